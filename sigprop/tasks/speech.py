"""Recordings read sample by sample: 35 spoken commands, and ten spoken digits.

A sequence is one recording of 16-bit samples, divided by 32,768.  The files are read from a
folder in their original layout; nothing is downloaded.

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
    """Read the samples of a mono 16-bit WAV file.

    Args:
        path: Path of the file.
        rate: Required sampling rate in hertz.

    Raises:
        ValueError: If the file is no mono 16-bit WAV file, has another rate or no samples,
            or is cut short.
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
    """Load 35 spoken words of one second each, as 16,000 steps of one number.

    Two lists in the folder name the validation and the test clips; all others are for
    training.  Shorter clips are continued by silence to one second.  All lengths are thus
    equal.

    Samples are normalised to ``(x - mean) / (deviation + 1e-5)``.  Mean and unbiased
    standard deviation are those of the training clips, including silence.  Samples are
    stored as 16-bit integers until a batch is made.  The full set takes 3.4 GB of memory,
    or half with ``stride=2``.

    Args:
        folder: Folder with ``validation_list.txt``, ``testing_list.txt``, and a folder of
            WAV files for each word.
        normalise: ``step`` for a mean and deviation of each step, ``all`` for one mean and
            deviation of all steps, ``none`` for no normalisation.
        stride: Distance of the samples that are used, without a filter.
        progress: Function that is called with a message on each part.

    Raises:
        FileNotFoundError: If the folder of a word or one of the lists is missing.
        ValueError: If a recording is damaged, longer than a second or of another rate; if
            a list names a missing file, or a file twice; if a part has no recordings; if
            ``stride`` is below one.
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
    """Load ten spoken digits at 8 kHz, as steps of one number.

    Of each speaker's recordings of a digit, numbers 0 to 4 are the test part, as the data
    set prescribes.  Numbers 5 to 9 are the validation part, and the others the training
    part.  Every speaker is in all three parts.  Samples are divided by the root mean
    square of the training part without padding.  Silence and padding are thus zero.

    Args:
        folder: Folder with the files ``{digit}_{speaker}_{index}.wav``.
        length: Number of steps to which recordings are padded or cut.  Default: 8,000, one
            second.

    Raises:
        FileNotFoundError: If the folder has no WAV files.
        ValueError: If a file has another name; if a recording is damaged or of another
            rate; if a part has no recordings, or the training part is silent; if
            ``length`` is below one.
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
    """Mean and unbiased standard deviation of every step, divided by 32,768.

    Args:
        clips: Samples of the clips, one clip a row.
        block: Number of steps that are copied to double precision at once.

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
    """Examples whose integer samples ``x`` stand for ``x / scale - centre``."""
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
    """The recordings of each part, in the order of words and names."""
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
    """Remove a listed recording from the training recordings, and return it."""
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
