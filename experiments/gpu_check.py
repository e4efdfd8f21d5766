"""Check of a GPU: correct numbers, measured speeds, and the limits of the hardware.

``python -m sigprop.experiments.gpu_check --preset paper`` runs it.  Its parts take at most
``TOTAL`` seconds together.  Each part runs in its own process and has its own time limit.
After each part, its answers or the reason of its failure are written to one JSON file, the
record.  A part that fails does not stop the others, and a second run repeats only the parts
without answers.  The name of the record is printed last.

Without a GPU, the same parts run on the CPU and may take ten times as long.
"""

import dataclasses
import functools
import importlib.metadata
import io
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from rich.console import Console
from rich.table import Table

from sigprop.curvature.hessian import expand
from sigprop.experiments import store
from sigprop.experiments.command import main, measured_alone
from sigprop.experiments.progress import counted
from sigprop.inputs import AR1, White
from sigprop.layers.lru import LRU, lru, zucchet_lru
from sigprop.layers.lru_reference import published
from sigprop.networks.presets import TASKS, blur_paper, lru_paper, rotrnn_paper
from sigprop.neuron import gpu, montecarlo
from sigprop.neuron.ring import sample_ring
from sigprop.neuron.stable import sensitivity_moment, state_moment
from sigprop.numerics.devices import cores, cuda_capability
from sigprop.numerics.files import write_text
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import linear_teacher, teacher_student
from sigprop.training.recipes import Schedule, recipe
from sigprop.training.segments import begin, take_steps
from sigprop.training.supervised import KIND

STUDY, VERSION = "gpu_check", 1
TOTAL = 480  # seconds
SLOWER = 10  # factor on the time limits on a CPU
INPUT = AR1(0.5)
RING = (0.5, 0.95)  # moduli with transients shorter than 1000 steps
PRECISIONS, SPECTRA = ("float32", "float64"), ("real", "complex")
WAYS, PASSES = ("engine", "associative"), ("forward", "backward")
ROUTES = ("kernel", "scan")
LIMITS = ("copied_bytes", "multiply_adds")
MODELS: dict[str, Callable[[], Any]] = {
    "LRU": lambda: lru_paper("listops"),
    "RotRNN": lambda: rotrnn_paper("listops"),
    "BLUR": lambda: blur_paper(
        TASKS["listops"].inputs, TASKS["listops"].outputs, encoder="embedding"
    ),
}
TIMED = ("limit", "rate", "scan_seconds", "step_seconds", "hessian_seconds")
Answers = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """Sizes of all parts.

    Attributes:
        neurons: Neurons of the simulations.
        length: Length of a simulated sequence.
        sequences: Simulated sequences for the comparison with closed forms.
        least: Seconds that a timed simulation lasts at least.
        scan_length: Length of the sequence for the timed layer.
        states: Complex states of the timed layer.
        width: Features of the timed layer.
        task_length: Length of a training sequence.
        task_batch: Sequences in a training step.
        small: Width and number of states of the trained networks; the papers' if left out.
        hidden: Neurons of the student whose exact Hessian is timed.
        numbers: Size of the array that is copied and multiplied for the limits.
        verify: Arguments of ``sigprop verify``.
        repeats: Repeats of each timing.
    """

    neurons: int = 64
    length: int = 1024
    sequences: int = 16_384
    least: float = 0.3
    scan_length: int = 16_384
    states: int = 256
    width: int = 128
    task_length: int = 2048
    task_batch: int = 32
    small: int | None = None
    hidden: int = 256
    numbers: int = 2**26
    verify: tuple[str, ...] = ("--tier", "headline")
    repeats: int = 5
    seed: int = 0


SMOKE = Config(
    neurons=4,
    length=400,
    sequences=300,
    least=0.0,
    scan_length=32,
    states=4,
    width=4,
    task_length=16,
    task_batch=2,
    small=4,
    hidden=4,
    numbers=2**10,
    verify=("--claim", "zucchet:59"),
    repeats=2,
)
QUICK = Config(sequences=4096, scan_length=4096, repeats=2)
PAPER = Config()


class Part(NamedTuple):
    """Time limit of a part in seconds, and the function that measures it."""

    limit: float
    measure: Callable[[Config, str], Answers]


def _environment(config: Config, where: str) -> Answers:
    device = jax.devices()[0]
    memory = device.memory_stats() or {}
    return {
        "device": device.device_kind,
        "platform": device.platform,
        "driver": _driver(),
        "runtime": device.client.platform_version,
        "compute_capability": cuda_capability(),
        "memory": memory.get("bytes_limit"),
        "devices": jax.device_count(),
        "cores": cores(),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("jax", "jaxlib")},
    }


def _driver() -> str:
    """Return the version of NVIDIA's driver, or ``unknown``."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return answer.stdout.partition("\n")[0].strip()


def _gates(config: Config, where: str) -> Answers:
    """Compare the kernel with the scan, and its draws with those of ``jax.random``."""
    apart: list[list[float]] = []
    draws: list[float] = []
    for name in PRECISIONS:
        char = np.dtype(name).char
        with double_precision(name == "float64"):
            apart.append(
                [
                    gpu.apart(
                        gpu.compared(
                            montecarlo._leaves, char, kind == "real", True, True
                        )
                    )
                    for kind in SPECTRA
                ]
            )
            draws.append(_draws_apart(np.dtype(name).type))
    return {"apart": apart, "draws_apart": draws}


def _draws_apart(dtype: Any) -> float:
    """Return the largest difference between the kernel's and JAX's draws.

    It is relative to the largest draw.  The draws are read from a neuron with a zero
    eigenvalue, whose state is its last input.
    """
    key, sequences = jax.random.key(1), 100
    forgets = jnp.zeros((1, 1), dtype)
    looks = gpu.looks(key, forgets, White(), (1, 64), sequences)
    _, draws_key = jax.random.split(key)
    most = 0.0
    for chunk, (look, last) in enumerate(zip(looks, (0, 62), strict=True)):
        shape = (64, 1, sequences)
        draws = jax.random.normal(jax.random.fold_in(draws_key, chunk), shape, dtype)
        right = np.asarray(draws[last])
        most = max(
            most, np.abs(np.asarray(look[0]) - right).max() / np.abs(right).max()
        )
    return float(most)


def _eigenvalues(config: Config) -> Any:
    return sample_ring(jax.random.key(config.seed), config.neurons, *RING)


def _moments(config: Config, sequences: int) -> Any:
    key = jax.random.key(config.seed + 1)
    lam, times = _eigenvalues(config), (config.length,)
    (sums,) = montecarlo.second_moments(key, lam, INPUT, times=times, num=sequences)
    return sums


def _closed_forms(config: Config, where: str) -> Answers:
    """Compare simulated moments with the closed forms, in standard errors."""
    lam = np.asarray(_eigenvalues(config), np.complex128)
    sums = _moments(config, config.sequences)
    forms = {"state": state_moment, "sensitivity": sensitivity_moment}
    score = []
    for name, form in forms.items():
        with double_precision(True):
            exact = np.asarray(form(1 - np.abs(lam), np.angle(lam), INPUT.rho))
        estimate = sums[name].estimate()
        score.append(((estimate.mean - exact) / estimate.sem).tolist())
    return {"score": score}


def _verify(config: Config, where: str) -> Answers:
    """Count the claims that ``sigprop verify`` judges, and those judged as expected."""
    device = "cpu" if where in ("", "cpu") else "gpu"
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "sigprop", "verify", *config.verify]
        command += ["--device", device, "--no-figures", "--json", str(rows)]
        process = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_limit("verify", where) - 5,
        )
        if process.returncode not in (0, 1):
            raise RuntimeError(process.stderr.strip().rpartition("\n")[2])
        judged = json.loads(rows.read_text("utf-8"))
    right = sum(row["status"] == row["expected"] for row in judged)
    return {"claims": [len(judged), right]}


def _rates(config: Config, where: str) -> Answers:
    """Measure the rate of the moments by the fastest route, and by the scan of JAX."""
    batch, steps = 2048, config.neurons * config.length
    lam, key = _eigenvalues(config)[:, None], jax.random.key(config.seed)

    def by_scan(sequences: int) -> Any:
        size, times = min(batch, sequences), (config.length,)
        keys = [jax.random.fold_in(key, i) for i in range(sequences // size)]
        return [
            montecarlo.scanned(each, montecarlo.split(lam), INPUT, times, size)
            for each in keys
        ]

    routes = functools.partial(_moments, config), by_scan
    rates = []
    for route in routes:
        sequences = min(batch, config.sequences)
        while True:
            seconds = _seconds(functools.partial(route, sequences), 1)[0]
            if seconds >= config.least or sequences >= 2**20:
                break
            sequences *= 4
        call = functools.partial(route, sequences)
        times = _seconds(call, config.repeats)
        rates.append([steps * sequences / one for one in times])
    return {"rate": rates}


def _seconds(call: Callable[[], Any], repeats: int) -> list[float]:
    """Return the seconds of each call, after a first call that compiles."""
    jax.block_until_ready(call())
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(call())
        seconds.append(time.perf_counter() - began)
    return seconds


def _scans(config: Config, where: str) -> Answers:
    """Time an LRU with our scan and with JAX's, with and without gradients."""
    key, u_key = jax.random.split(jax.random.key(config.seed))
    layer = lru(config.states, config.width, key=key, r_min=RING[0], r_max=RING[1])
    u = jax.random.normal(u_key, (config.scan_length, config.width))
    ways: tuple[Callable[[LRU, Any], Any], ...] = (lambda layer, u: layer(u), published)
    return {"scan_seconds": [_both_passes(way, layer, u, config) for way in ways]}


def _both_passes(way: Any, layer: LRU, u: Any, config: Config) -> list[list[float]]:
    """Return the seconds of a layer's outputs, and of a loss with all gradients."""
    forward = jax.jit(way)
    both = jax.jit(
        jax.value_and_grad(lambda layer, u: jnp.mean(way(layer, u) ** 2), (0, 1))
    )
    programs = (functools.partial(program, layer, u) for program in (forward, both))
    return [_seconds(program, config.repeats) for program in programs]


def _training(config: Config, where: str) -> Answers:
    """Time a training step on sequences of tokens."""
    return {"step_seconds": [_steps(make(), config) for make in MODELS.values()]}


def _steps(network: Any, config: Config) -> list[float]:
    if config.small is not None:
        sizes = {"width": config.small, "state_size": config.small, "depth": 1}
        options = dict(network.layer_options)
        options |= {"heads": 1} if "heads" in options else {}
        network = dataclasses.replace(network, **sizes, layer_options=options)
    training = recipe(
        network, Schedule(1000, config.task_batch, 1e-3, 0.5), segment=1, evaluate=1
    )
    begun = begin(KIND, training, config.seed)
    draw = np.random.default_rng(config.seed)
    shape = (1, config.task_batch, config.task_length)
    tokens = draw.integers(0, network.inputs, shape)
    labels = draw.integers(0, network.outputs, shape[:2])
    batches = jnp.asarray(tokens), None, jnp.asarray(labels)
    return _seconds(
        lambda: take_steps(KIND, training, begun.run, begun.state, batches),
        config.repeats,
    )


def _hessian(config: Config, where: str) -> Answers:
    """Time the exact Hessian of a student of a linear teacher, in double precision."""
    with double_precision(True):
        teacher_key, key = jax.random.split(jax.random.key(config.seed))
        task = teacher_student(linear_teacher(teacher_key, nu0=0.9), length=None)
        student = zucchet_lru(config.hidden, 1, key=key, nu0=0.9, theta0=3.0)
        return {
            "hessian_seconds": _seconds(lambda: expand(task, student), config.repeats)
        }


def _limits(config: Config, where: str) -> Answers:
    """Measure the rates of copied bytes and multiply-adds, in single precision."""
    x, half, chain = jnp.linspace(0, 1, config.numbers), jnp.float32(0.5), 512

    @jax.jit
    def copied(x: Any) -> Any:
        return x + half

    @jax.jit
    def multiplied(x: Any, factor: Any) -> Any:
        for _ in range(chain):
            x = x * factor + factor
        return x

    moved = _seconds(lambda: copied(x), config.repeats)
    added = _seconds(lambda: multiplied(x, half), config.repeats)
    return {
        "limit": [
            [2 * x.nbytes / one for one in moved],
            [chain * x.size / one for one in added],
        ]
    }


PARTS = {
    "environment": Part(30, _environment),
    "limits": Part(30, _limits),
    "gates": Part(80, _gates),
    "closed forms": Part(50, _closed_forms),
    "rates": Part(50, _rates),
    "scans": Part(40, _scans),
    "Hessian": Part(20, _hessian),
    "training": Part(80, _training),
    "verify": Part(100, _verify),
}


def measure(name: str, sizes: dict[str, Any], where: str) -> Answers:
    """Measure one part in this process; ``said`` has the messages of sigprop.

    Args:
        name: A key of ``PARTS``.
        sizes: Fields of a ``Config``.
        where: Platform of the device, or an empty string if it is unknown.
    """
    config = _config(sizes)
    with redirect_stderr(io.StringIO()) as errors:
        answers = PARTS[name].measure(config, where)
    lines = errors.getvalue().splitlines()
    return answers | {"said": [line for line in lines if line.startswith("sigprop:")]}


def _config(sizes: dict[str, Any]) -> Config:
    """Return a configuration from its fields in JSON, which has lists for tuples."""
    return Config(**{**sizes, "verify": tuple(sizes["verify"])})


def file(config: Config) -> Path:
    """Return the file of a configuration's record."""
    return store.folder() / f"{STUDY}-{store.key(STUDY, VERSION, config)}.json"


def run(config: Config) -> xr.Dataset:
    """Measure every part without answers; numbers of failed parts are NaN."""
    record = _begun(config)
    for name in counted(PARTS, "parts"):
        if "answers" not in record["parts"].get(name, {}):
            record["parts"][name] = _ended(name, config, _platform(record))
            write_text(file(config), json.dumps(record, indent=1) + "\n")
    return dataset(config, record)


def _begun(config: Config) -> dict[str, Any]:
    """Return the record of an interrupted run, or a new one.

    A complete record, or a record of another commit, is not continued.
    """
    new = {"study": STUDY, "version": VERSION, "commit": store._commit(), "parts": {}}
    try:
        old = json.loads(file(config).read_text("utf-8"))
        parts = [old["parts"].get(name, {}) for name in PARTS]
        whole = all("answers" in part for part in parts)
        return new if whole or old["commit"] != new["commit"] else old
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return new


def _platform(record: dict[str, Any]) -> str:
    about = record["parts"].get("environment", {}).get("answers", {})
    return about.get("platform", "")


def _limit(name: str, where: str) -> float:
    """Return the time limit of a part in seconds; an unknown platform counts as a CPU."""
    return PARTS[name].limit * (SLOWER if where in ("", "cpu") else 1)


def _ended(name: str, config: Config, where: str) -> dict[str, Any]:
    """Measure a part; return its seconds, and its answers or the reason of its failure."""
    began, limit = time.perf_counter(), _limit(name, where)
    try:
        found = {
            "answers": measured_alone(
                STUDY, name, dataclasses.asdict(config), where, limit=limit
            )
        }
    except (MemoryError, RuntimeError, TimeoutError, ValueError) as error:
        found = {"failed": str(error) or type(error).__name__}
    return {"seconds": time.perf_counter() - began, "limit": limit} | found


def dataset(config: Config, record: dict[str, Any]) -> xr.Dataset:
    """Return the numbers of a record by name."""
    repeats = ("repeat", config.repeats)
    shapes: dict[str, tuple[tuple[tuple[str, int], ...], str]] = {
        "limit": ((("limited", 2), repeats), "a second"),
        "apart": ((("precision", 2), ("spectrum", 2)), "of the largest number"),
        "draws_apart": ((("precision", 2),), "of the largest number"),
        "score": ((("moment", 2), ("neuron", config.neurons)), "standard errors"),
        "rate": ((("route", 2), repeats), "neuron-steps a second"),
        "scan_seconds": ((("way", 2), ("pass", 2), repeats), "s"),
        "hessian_seconds": ((repeats,), "s"),
        "step_seconds": ((("model", len(MODELS)), repeats), "s a step"),
        "claims": ((("count", 2),), "claims"),
    }
    parts = record["parts"]
    answers: Answers = {}
    for part in parts.values():
        answers |= part.get("answers", {})
    variables: dict[str, Any] = {}
    for name, (where, units) in shapes.items():
        sizes = [size for _, size in where]
        values = np.array(answers.get(name, np.full(sizes, np.nan)), float)
        dimensions = [dimension for dimension, _ in where]
        variables[name] = dimensions, values.reshape(sizes), {"units": units}
    seconds = [parts[name]["seconds"] for name in PARTS]
    variables["part_seconds"] = "part", seconds, {"units": "s"}
    allowed = [gpu.CLOSE[np.dtype(name).char] for name in PRECISIONS]
    variables["allowed"] = "precision", allowed, {"units": "of the largest number"}
    about = parts["environment"].get("answers", {})
    return xr.Dataset(
        variables,
        {
            "limited": list(LIMITS),
            "precision": list(PRECISIONS),
            "spectrum": list(SPECTRA),
            "moment": ["state", "sensitivity"],
            "route": list(ROUTES),
            "way": list(WAYS),
            "pass": list(PASSES),
            "model": list(MODELS),
            "count": ["judged", "as expected"],
            "part": list(PARTS),
        },
        {
            "dtype": "float32",
            "checked": about.get("device", "unknown"),
            "platform": about.get("platform", "unknown"),
            "record": json.dumps(record),
            "scan_length": config.scan_length,
            "task_length": config.task_length,
            "task_batch": config.task_batch,
            "hidden": config.hidden,
        },
    )


def failures(data: xr.Dataset) -> list[str]:
    """List all problems: parts that failed, and comparisons out of tolerance."""
    parts = json.loads(data.attrs["record"])["parts"]
    lines = [
        f"{name}: {part['failed']}" for name, part in parts.items() if "failed" in part
    ]
    for name in ("apart", "draws_apart"):
        far = (data[name] > data["allowed"]).values.any()
        lines += [f"{name}: beyond what is allowed"] if far else []
    if np.abs(data["score"].values).max() > 5:
        lines.append("score: a moment is more than 5 standard errors off")
    judged, right = data["claims"].values
    if right < judged:
        lines.append(f"claims: {judged - right:.0f} of {judged:.0f} not as expected")
    for part in parts.values():
        lines += part.get("answers", {}).get("said", [])
    return lines


def show(data: xr.Dataset) -> None:
    """Print the numbers, all problems, and the name of the record."""
    table = Table(title=f"Check of {data.attrs['checked']}", box=None)
    table.add_column("measured")
    table.add_column("median", justify="right")
    table.add_column("unit")
    for name in TIMED:
        middle = data[name].median("repeat")
        for index in np.ndindex(middle.shape):
            one = middle[index]
            labels = [str(one[dimension].values) for dimension in middle.dims]
            label = " ".join([name, *labels]).replace("_", " ")
            table.add_row(label, f"{float(one):.3g}", data[name].attrs["units"])
    console = Console(highlight=False)
    console.print(table)
    for line in failures(data) or ["everything is as it should be"]:
        console.print(line, soft_wrap=True)
    record = file(_config(json.loads(data.attrs["config"])))
    console.print(f"please send {record}", soft_wrap=True)


if __name__ == "__main__":
    main(STUDY)
