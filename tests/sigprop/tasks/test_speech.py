import wave
from pathlib import Path

import numpy as np
import pytest

from sigprop.tasks.speech import (
    COMMANDS,
    speech_commands,
    spoken_digits,
    step_moments,
    waveform,
)
from tests.sigprop.tasks.helpers import parts

RNG = np.random.default_rng(11)


def heard(part):
    """Every number as a batch has it."""
    return part.take(np.arange(len(part))).inputs


def record(path: Path, samples, rate: int, channels: int = 1, width: int = 2) -> None:
    path.parent.mkdir(exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(np.asarray(samples, "<i2").tobytes())


def noise(count: int | tuple[int, int]) -> np.ndarray:
    return RNG.integers(-32768, 32768, count).astype(np.int16)


# --- WAV ----------------------------------------------------------------------------


def test_a_recording_is_read_as_it_was_written(tmp_path):
    samples = noise(100)
    record(tmp_path / "a.wav", samples, 8000)
    np.testing.assert_array_equal(waveform(tmp_path / "a.wav", 8000), samples)


@pytest.mark.parametrize(
    ("rate", "channels", "width", "description"),
    [
        (16000, 1, 2, "1 of 16 bits at 16000 Hz"),
        (8000, 2, 2, "2 of 16 bits at 8000 Hz"),
        (8000, 1, 1, "1 of 8 bits at 8000 Hz"),
    ],
)
def test_another_rate_or_sort_of_sound_is_refused(
    tmp_path, rate, channels, width, description
):
    record(tmp_path / "a.wav", noise(100), rate, channels, width)
    with pytest.raises(ValueError, match=f"16 bits at 8000 Hz, got {description}"):
        waveform(tmp_path / "a.wav", 8000)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda content: content[:-10], "need the 100 samples .* got 95"),
        (lambda content: content[:20], "need a PCM WAV file"),
        (lambda content: b"", "need a PCM WAV file.*ends too early"),
        (lambda content: b"RIFX" + content[4:], "need a PCM WAV file.*RIFF"),
    ],
)
def test_a_damaged_recording_is_refused(tmp_path, damage, complaint):
    path = tmp_path / "a.wav"
    record(path, noise(100), 8000)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=complaint):
        waveform(path, 8000)


def test_a_recording_of_nothing_is_refused(tmp_path):
    record(tmp_path / "a.wav", [], 8000)
    with pytest.raises(ValueError, match="one at least, got 0"):
        waveform(tmp_path / "a.wav", 8000)


# --- commands -----------------------------------------------------------------------


@pytest.fixture
def commands(tmp_path):
    """Four clips a word, the first of 400 samples; the third and the fourth held out."""
    clips = {
        f"{command}/{index}.wav": noise(16000 if index else 400)
        for command in COMMANDS
        for index in range(4)
    }
    for name, samples in clips.items():
        record(tmp_path / name, samples, 16000)
    record(tmp_path / "_background_noise_" / "hum.wav", noise(99), 44100)
    for name, index in (("validation_list.txt", 2), ("testing_list.txt", 3)):
        lines = [f"{command}/{index}.wav\n" for command in reversed(COMMANDS)]
        (tmp_path / name).write_text("".join(lines))
    return tmp_path, clips


def test_commands_are_held_out_by_the_lists(commands):
    folder, clips = commands
    messages = []
    data = speech_commands(folder, normalise="none", progress=messages.append)
    assert messages[0] == "training: 70 recordings"
    assert [part.inputs.shape for part in parts(data)] == [
        (70, 16000, 1),
        (35, 16000, 1),
        (35, 16000, 1),
    ]
    for part, index in ((data.validation, 2), (data.test, 3)):
        for clip, label in zip(heard(part)[..., 0], part.labels, strict=True):
            name = f"{COMMANDS[label]}/{index}.wav"
            np.testing.assert_array_equal(clip * 32768, clips[name])
    assert data.classes == len(set(data.train.labels)) == len(set(COMMANDS)) == 35
    assert (data.train.lengths == 16000).all()
    assert not data.train.inputs[0, 400:].any()
    assert (heard(data.train)[0, :400, 0] * 32768 == clips["bed/0.wav"]).all()


@pytest.mark.parametrize(("normalise", "axis"), [("step", 0), ("all", (0, 1))])
def test_commands_are_normalised_by_moments_of_the_training(commands, normalise, axis):
    folder, _ = commands
    raw = speech_commands(folder, normalise="none")
    mean = heard(raw.train).astype(float).mean(axis)
    deviation = heard(raw.train).astype(float).std(axis, ddof=1)
    data = speech_commands(folder, normalise=normalise)
    for plain, scaled in zip(parts(raw), parts(data), strict=True):
        expected = (heard(plain) - mean) / (deviation + 1e-5)
        np.testing.assert_allclose(heard(scaled), expected, atol=2e-6)


def test_the_test_is_not_in_the_moments(commands):
    folder, clips = commands
    before = speech_commands(folder)
    for command in COMMANDS:
        record(folder / command / "3.wav", clips[f"{command}/3.wav"] // 2, 16000)
    after = speech_commands(folder)
    np.testing.assert_array_equal(heard(before.train), heard(after.train))
    assert (heard(before.test) != heard(after.test)).any()


def test_half_the_rate_is_every_other_sample(commands):
    folder, _ = commands
    full, half = speech_commands(folder), speech_commands(folder, stride=2)
    np.testing.assert_array_equal(heard(full.test)[:, ::2], heard(half.test))
    assert (half.train.lengths == 8000).all()
    with pytest.raises(ValueError, match="need a stride of one or more, got 0"):
        speech_commands(folder, stride=0)


def test_commands_refuse_a_list_that_does_not_fit(commands):
    folder, _ = commands
    path = folder / "testing_list.txt"
    lines = path.read_text()
    for line in ("bed/9.wav", "bed/2.wav"):  # not there, and in both lists
        path.write_text(f"{lines}{line}\n")
        with pytest.raises(ValueError, match=f"got '{line}'"):
            speech_commands(folder)
    path.write_text("")
    with pytest.raises(ValueError, match="need recordings for test"):
        speech_commands(folder)


def test_commands_refuse_a_clip_of_more_than_a_second(commands):
    folder, _ = commands
    record(folder / "zero" / "1.wav", noise(16001), 16000)
    with pytest.raises(ValueError, match=r"need 16000 samples or fewer, got 16001"):
        speech_commands(folder)


def test_commands_name_the_layout_where_it_is_missing(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"35 words.*found no bed, .*testing_list"
    ):
        speech_commands(tmp_path)


def test_moments_of_blocks_are_those_of_the_whole():
    clips = noise((20, 50))
    for block in (1, 7, 50, 99):
        mean, deviation = step_moments(clips, block)
        np.testing.assert_allclose(mean, (clips / 32768).mean(0))
        np.testing.assert_allclose(deviation, (clips / 32768).std(0, ddof=1))
    with pytest.raises(
        ValueError, match="need two clips or more for a deviation, got 1"
    ):
        step_moments(clips[:1])


# --- digits -------------------------------------------------------------------------


@pytest.fixture
def spoken(tmp_path):
    for digit in range(2):
        for speaker in ("ada", "max"):
            for index in range(12):
                count = 90 if index % 2 else 30
                name = f"{digit}_{speaker}_{index}.wav"
                record(tmp_path / name, np.full(count, 100 + index), 8000)
    return tmp_path


def test_spoken_digits_are_held_out_by_their_number(spoken):
    data = spoken_digits(spoken, length=60)
    numbers = {0: range(10, 12), 1: range(5, 10), 2: range(5)}
    power = (30 * 110**2 + 60 * 111**2) / 90
    for part, indices in zip(parts(data), numbers.values(), strict=True):
        assert np.bincount(part.labels).tolist() == [2 * len(indices)] * 2
        loudness = heard(part)[:, 0, 0] * np.sqrt(power) - 100
        np.testing.assert_allclose(sorted(loudness), sorted([*indices] * 4), atol=1e-3)
        even = np.rint(loudness) % 2 == 0
        np.testing.assert_array_equal(part.lengths, np.where(even, 30, 60))
        assert part.inputs.shape[1:] == (60, 1)
        assert not heard(part)[even, 30:].any()
        assert heard(part)[~even].all()


def test_spoken_digits_refuse_what_they_cannot_read(spoken, tmp_path):
    with pytest.raises(ValueError, match="need a length of one or more, got 0"):
        spoken_digits(spoken, length=0)
    record(spoken / "1_max_3.wav", noise(40), 16000)
    with pytest.raises(
        ValueError, match=r"8000 Hz, got .* at 16000 Hz in .*1_max_3.wav"
    ):
        spoken_digits(spoken)
    record(spoken / "noise.wav", noise(40), 8000)
    with pytest.raises(ValueError, match=r"{digit}_{speaker}_{index}.wav, got .*noise"):
        spoken_digits(spoken)
    with pytest.raises(FileNotFoundError, match=r"{index}.wav, found none in"):
        spoken_digits(tmp_path / "elsewhere")


def test_spoken_digits_need_every_part_and_sound(tmp_path):
    for index in (0, 5, 10):
        record(tmp_path / f"3_ada_{index}.wav", np.zeros(9), 8000)
    with pytest.raises(ValueError, match="silence alone"):
        spoken_digits(tmp_path)
    (tmp_path / "3_ada_5.wav").unlink()
    with pytest.raises(ValueError, match="need recordings for validation, got none"):
        spoken_digits(tmp_path)


@pytest.mark.data("fsdd")
def test_the_recordings_at_hand(real_data):
    data = spoken_digits(real_data)
    for part, count in zip(parts(data), (200, 25, 25), strict=True):
        assert np.bincount(part.labels).tolist() == [count] * 10
        assert part.inputs.shape[1:] == (8000, 1)
        assert part.lengths.min() > 1000
    train = data.train
    power = np.square(heard(train), dtype=float).sum() / train.lengths.sum()
    assert power == pytest.approx(1, rel=1e-5)
