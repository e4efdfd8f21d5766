"""Recordings read sample by sample: 35 spoken commands, and ten spoken digits.

A sequence is one recording of 16-bit samples, divided by 32,768.  The files are read from a
folder in their original layout, and never downloaded.

Source: Warden (2018), Speech Commands; Jackson et al., the Free Spoken Digit Dataset;
normalisation of the commands as in S4, Gu et al. (2022), and S5, Smith et al. (2023).
"""

import re
import wave
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Float, Int16

from sigprop.tasks.examples import DataSet, Examples

FULL_SCALE = 32768.0
COMMAND_RATE = 16_000  # samples a second
DIGIT_RATE = 8_000
WORDS = (
    "bed cat down five forward go house left marvin no on right sheila tree up visual yes "
    "backward bird dog eight follow four happy learn nine off one seven six stop three two "
    "wow zero"
)
COMMANDS = tuple(WORDS.split())  # in the order of their labels
GUARD = 1e-5  # beside a standard deviation, which is zero where all is silent
LISTS = {"validation": "validation_list.txt", "test": "testing_list.txt"}

Recordings = list[tuple[Path, int]]  # each with its class


def waveform(path: Path, rate: int) -> Int16[np.ndarray, " time"]:
    """The samples of a mono 16-bit WAV file.

    Raises:
        ValueError: If the file is no such WAV file, has another rate, holds no sample, or is
            cut short.
    """
    try:
        with wave.open(str(path)) as file:
            codec = file.getnchannels(), 8 * file.getsampwidth(), file.getframerate()
            count = file.getnframes()
            content = file.readframes(count)
    except (wave.Error, EOFError) as error:
        reason = str(error) or "it ends too early"
        raise ValueError(
            f"need a PCM WAV file, got {path}: {reason}; fetch it again"
        ) from error
    if codec != (1, 16, rate):
        raise ValueError(
            f"need 1 channel of 16 bits at {rate} Hz, got {codec[0]} of {codec[1]} bits at "
            f"{codec[2]} Hz in {path}"
        )
    if not count or len(content) != 2 * count:
        raise ValueError(
            f"need the {count} samples that its header names, one at least, got "
            f"{len(content) // 2} in {path}; fetch it again"
        )
    return np.frombuffer(content, "<i2").astype(np.int16, copy=False)


def speech_commands(
    folder: Path,
    *,
    normalise: Literal["step", "all", "none"] = "step",
    stride: int = 1,
    progress: Callable[[str], None] | None = None,
) -> DataSet:
    """35 spoken words, of one second each: 16,000 steps of one number.

    The validation and the test are what the two lists of the folder name, the training is
    the rest.  A shorter clip is continued by silence, which counts as a part of it: all
    lengths are equal.  Normalised is ``(x - mean) / (deviation + 1e-5)`` with the mean and
    the unbiased standard deviation of the training clips, silence included, for every step
    by itself or of all steps together.  Samples stay 16-bit numbers until a batch is
    taken: the full set takes 32 kB a clip in memory, 3.4 GB; ``stride=2`` halves it.

    Args:
        folder: Holds a folder of WAV files for each word, ``validation_list.txt`` and
            ``testing_list.txt``.
        normalise: For each step, over all steps, or not at all.
        stride: Keeps every so many-th sample, with no filter.
        progress: Is told of every part.

    Raises:
        FileNotFoundError: If the layout is another one.
        ValueError: If a recording is damaged, longer than a second or of another rate, if a
            list names a file that is not there, or the stride is not positive.
    """
    if stride < 1:
        raise ValueError(f"need a stride of one or more, got {stride}")
    parts = []
    for name, recordings in _command_parts(folder).items():
        if progress is not None:
            progress(f"{name}: {len(recordings)} recordings")
        parts.append(_command_examples(recordings, stride))
    if normalise != "none":
        mean, deviation = step_moments(parts[0].inputs[..., 0])
        if normalise == "all":
            mean, deviation = _pooled(mean, deviation, len(parts[0]))
        unit = deviation + GUARD
        parts = [_scaled(part, FULL_SCALE * unit, mean / unit) for part in parts]
    return DataSet(*parts, classes=len(COMMANDS))


def spoken_digits(folder: Path, *, length: int = DIGIT_RATE) -> DataSet:
    """Ten spoken digits at 8 kHz: steps of one number, padded or cut to ``length``.

    Of each speaker's recordings of a digit, numbers 0 to 4 are the test, as the data set
    has it, 5 to 9 the validation and the others the training; every speaker is in all
    three.  Samples are divided by the root mean square of the training, padding left out,
    so that silence and padding stay zero.  An example's length is that of its recording.

    Args:
        folder: Holds the files ``{digit}_{speaker}_{index}.wav``.
        length: Steps of all examples, one second unless told; what is longer is cut.

    Raises:
        FileNotFoundError: If the layout is another one.
        ValueError: If a recording is damaged or of another rate, a part has none, the
            training is silent, or the length is not positive.
    """
    if length < 1:
        raise ValueError(f"need a length of one or more, got {length}")
    train, validation, test = (
        _examples(part, DIGIT_RATE, length) for part in _digit_parts(folder)
    )
    power = np.sum(np.square(train.inputs, dtype=np.float64)) / train.lengths.sum()
    if not power:
        raise ValueError(f"need sound in the training, got silence alone in {folder}")
    parts = [_scaled(part, float(np.sqrt(power))) for part in (train, validation, test)]
    return DataSet(*parts, classes=10)


# --- moments ------------------------------------------------------------------------


def step_moments(
    clips: Int16[np.ndarray, "n time"], block: int = 256
) -> tuple[Float[np.ndarray, " time"], Float[np.ndarray, " time"]]:
    """Mean and unbiased standard deviation of every step, relative to ``FULL_SCALE``.

    Steps are taken by blocks, which bounds the memory of the double precision copies.

    Raises:
        ValueError: If there are fewer than two clips.
    """
    if len(clips) < 2:
        raise ValueError(f"need two clips or more for a deviation, got {len(clips)}")
    moments = []
    for start in range(0, clips.shape[1], block):
        steps = clips[:, start : start + block] / FULL_SCALE
        moments.append((steps.mean(0), steps.std(0, ddof=1)))
    means, deviations = zip(*moments, strict=True)
    return np.concatenate(means), np.concatenate(deviations)


def _pooled(
    mean: Float[np.ndarray, " time"], deviation: Float[np.ndarray, " time"], count: int
) -> tuple[Float[np.ndarray, " time"], Float[np.ndarray, " time"]]:
    """Mean and unbiased standard deviation over all steps of ``count`` clips."""
    centre = mean.mean()
    within, between = (count - 1) * deviation**2, count * (mean - centre) ** 2
    variance = (within + between).sum() / (count * len(mean) - 1)
    return np.full_like(mean, centre), np.full_like(mean, np.sqrt(variance))


def _scaled(
    part: Examples,
    scale: Float[np.ndarray, " time"] | float,
    centre: Float[np.ndarray, " time"] | float = 0.0,
) -> Examples:
    """The samples stand for ``x / scale - centre``."""
    numbers = (np.atleast_1d(value).astype(np.float32) for value in (scale, centre))
    scale, centre = (array[:, None] for array in numbers)
    return replace(part, scale=scale, centre=centre)


# --- files --------------------------------------------------------------------------


def _examples(
    recordings: Recordings, rate: int, length: int, stride: int = 1, cut: bool = True
) -> Examples:
    inputs = np.zeros((len(recordings), -(-length // stride), 1), np.int16)
    lengths = np.empty(len(recordings), np.int32)
    for row, (path, _) in enumerate(recordings):
        samples = waveform(path, rate)
        if len(samples) > length and not cut:
            raise ValueError(
                f"need {length} samples or fewer, got {len(samples)} in {path}"
            )
        samples = samples[:length:stride]
        inputs[row, : len(samples), 0] = samples
        lengths[row] = len(samples)
    labels = np.array([label for _, label in recordings], np.int32)
    return _scaled(Examples(inputs, lengths, labels), FULL_SCALE)


def _command_examples(recordings: Recordings, stride: int) -> Examples:
    clips = _examples(recordings, COMMAND_RATE, COMMAND_RATE, stride, cut=False)
    return replace(clips, lengths=np.full_like(clips.lengths, clips.inputs.shape[1]))


def _command_parts(folder: Path) -> dict[str, Recordings]:
    """The recordings of training, validation and test, by word and name."""
    missing = [name for name in COMMANDS if not (folder / name).is_dir()]
    missing += [name for name in LISTS.values() if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"need a folder of WAV files for each of {len(COMMANDS)} words, "
            f"{' and '.join(LISTS.values())} in {folder}, found no {', '.join(missing)}"
        )
    clips = {
        f"{command}/{path.name}": (path, label)
        for label, command in enumerate(COMMANDS)
        for path in sorted((folder / command).glob("*.wav"))
    }
    lists = {
        part: [_listed(clips, line, folder / name) for line in _lines(folder / name)]
        for part, name in LISTS.items()
    }
    return _complete({"training": list(clips.values()), **lists}, folder)


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def _listed(
    clips: dict[str, tuple[Path, int]], line: str, path: Path
) -> tuple[Path, int]:
    """Takes a recording out of those of the training."""
    if line not in clips:
        raise ValueError(
            f"need lists of `word/file.wav`, each named once, got {line!r} in {path}, which "
            "is no file or already held out; fetch the data set again"
        )
    return clips.pop(line)


def _digit_parts(folder: Path) -> list[Recordings]:
    parts: dict[str, Recordings] = {"training": [], "validation": [], "test": []}
    pattern = re.compile(r"([0-9])_([^_]+)_([0-9]+)\.wav")
    for path in sorted(folder.glob("*.wav")):
        match = pattern.fullmatch(path.name)
        if match is None:
            raise ValueError(
                f"need files {{digit}}_{{speaker}}_{{index}}.wav, got {path}"
            )
        digit, _, index = match.groups()
        part = (
            ("test", "validation")[int(index) // 5] if int(index) < 10 else "training"
        )
        parts[part].append((path, int(digit)))
    if not any(parts.values()):
        raise FileNotFoundError(
            f"need files {{digit}}_{{speaker}}_{{index}}.wav, found none in {folder}"
        )
    return list(_complete(parts, folder).values())


def _complete(parts: dict[str, Recordings], folder: Path) -> dict[str, Recordings]:
    empty = [part for part, recordings in parts.items() if not recordings]
    if empty:
        raise ValueError(
            f"need recordings for {' and '.join(empty)}, got none in {folder}"
        )
    return parts
