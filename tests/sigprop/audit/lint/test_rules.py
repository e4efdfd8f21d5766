"""Every rule is triggered by what it is for, and by nothing that is healthy."""

import re

import ml_dtypes
import numpy as np
import pytest

from sigprop.audit.lint import RULES, Settings, lint
from sigprop.audit.lint.optimiser import optimiser
from sigprop.audit.lint.resolution import BITS, distinct_time_constants, lost, spacing
from sigprop.networks.foreign import of_arrays
from tests.sigprop.audit.lint import healthy
from tests.sigprop.audit.lint.healthy import HEALTHY

SEEDS = 100


def report_of(arrays, **settings):
    named = {f"model.layers.0.{name}": array for name, array in arrays.items()}
    return lint(of_arrays(named), Settings(**settings))


def ids(report):
    return {finding.rule.id for finding in report.findings}


@pytest.mark.sampled(kind="name")
@pytest.mark.parametrize("seeds", [10, SEEDS])
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_initialisation_has_no_finding_at_a_hundred_seeds(name, seeds):
    layers = {
        f"seeds.{seed}.{key}": array
        for seed in range(seeds)
        for key, array in HEALTHY[name](np.random.default_rng(seed)).items()
    }
    report = lint(of_arrays(layers), Settings(256))
    assert len(report.layers) == seeds
    assert report.graver == ()


@pytest.mark.sampled(kind="name")
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_one_stored_in_half_precision_has_none_either(name, kind):
    dtype = np.dtype(getattr(ml_dtypes, kind, kind))
    for seed in range(5):
        arrays = HEALTHY[name](np.random.default_rng(seed))
        report = report_of({key: array.astype(dtype) for key, array in arrays.items()})
        assert report.graver == (), (seed, report.graver)


def changed(name, **arrays):
    """A healthy layer with some arrays replaced, by values or by functions of the old."""

    def draw(g):
        altered = HEALTHY[name](g)
        for key, new in arrays.items():
            key = key.replace("__", ".")
            altered[key] = np.asarray(
                new(altered[key], g)
                if callable(new)
                else np.full_like(altered[key], new),
                altered[key].dtype,
            )
        return altered

    return draw


def in_bfloat16(old, g):
    """What drawing ``A`` in bfloat16 does: a uniform draw in [0, 16) rounds to zero."""
    draws = g.uniform(0, 16, old.shape)
    draws[:2] = g.uniform(0, 2**-140, 2)  # below its smallest number
    with np.errstate(divide="ignore"):
        return np.log(draws.astype(ml_dtypes.bfloat16).astype(float))


def holed(value):
    return lambda old, g: np.where(
        np.arange(old.size).reshape(old.shape) == 3, value, old
    )


def like_weights(old, g):
    return 0.02 * g.normal(size=old.shape)


def twice(old, g):
    return np.concatenate([old[: len(old) // 2]] * 2)


def shard(old, g):
    return old * (np.arange(len(old)) < len(old) / 8).reshape(-1, *[1] * (old.ndim - 1))


def rolled(arrays, steps):
    return {**arrays, "bias_ih_l0": np.roll(arrays["bias_ih_l0"], steps)}


def above(old, g):
    return np.minimum(old, np.quantile(old, 0.7))


def squared(old, g):
    return 2 * old


def softplus_twice(old, g):
    return healthy.inverse_softplus(np.logaddexp(0, old) ** 2)


DECAYED = {"lr": 1e-3, "weight_decay": 0.1, "steps": 20000}
SPARED = {"no_decay": ["A_log", "D", "*bias", "a_param"], **DECAYED}

# By name: the defect, what is said of its use, and the rule that must find it.
PLANTED = {
    "bfloat16 draws A_log = -inf": (
        changed("gated DeltaNet", A_log=in_bfloat16),
        {},
        "decay-not-finite",
    ),
    "NaN in nu_log": (
        changed("minimal-LRU", nu_log=holed(np.nan)),
        {},
        "decay-not-finite",
    ),
    "NaN after reload, in a projection": (
        changed("Mamba-2", in_proj__weight=holed(np.nan)),
        {},
        "weights-not-finite",
    ),
    "infinity in B": (changed("S5", B=holed(np.inf)), {}, "weights-not-finite"),
    "A_log all zero": (changed("Mamba-2", A_log=0), {}, "decay-all-zero"),
    "dt_bias all zero": (changed("gated DeltaNet", dt_bias=0), {}, "decay-all-zero"),
    "nu_log drawn as a weight": (
        changed("minimal-LRU", nu_log=like_weights),
        {},
        "decay-overwritten",
    ),
    "time_decay drawn as a weight": (
        changed("RWKV-4", time_decay=like_weights),
        {},
        "decay-overwritten",
    ),
    "one rate for all heads": (
        changed("Mamba-2", A_log=1.3, dt_bias=-4.6),
        {},
        "one-memory",
    ),
    "Re A above zero": (changed("S5", Lambda_re=holed(0.2)), {}, "mode-exploding"),
    "nu underflows": (changed("minimal-LRU", nu_log=holed(-30.0)), {}, "mode-frozen"),
    "rates a thousand times too small": (
        changed("Mamba-2", A_log=lambda old, g: old - 12),
        {"length": 128},
        "frozen-for-length",
    ),
    "the sign of the logarithm": (
        changed("LRU for long sequences", nu_log=lambda old, g: -old),
        {},
        "mode-instant",
    ),
    "memories of ten steps for sixteen thousand": (
        lambda g: healthy.minimal_lru(g, low=0.5, high=0.9),
        {"length": 16384},
        "memory-short",
    ),
    "an LSTM without forget bias": (
        healthy.torch_unit(4, None),
        {"length": 1000},
        "memory-short",
    ),
    "a GRU without update bias": (
        HEALTHY["PyTorch GRU"],
        {"length": 1000},
        "memory-short",
    ),
    "A_log of 100 overflows": (
        changed("Mamba-2", A_log=holed(100.0)),
        {},
        "decay-overflow",
    ),
    "gamma_log of 90 overflows": (
        changed("minimal-LRU", gamma_log=holed(90.0)),
        {},
        "decay-overflow",
    ),
    "theta_log of 90 overflows": (
        changed("minimal-LRU", theta_log=holed(90.0)),
        {},
        "decay-overflow",
    ),
    "one shard of eight": (
        changed("Mamba-2", A_log=shard, dt_bias=shard),
        {},
        "decay-part-zero",
    ),
    "rows of A_log never drawn": (
        changed("Mamba-1", A_log=shard),
        {},
        "decay-part-zero",
    ),
    "A itself stored as A_log": (
        changed("Mamba-2", A_log=lambda old, g: -np.exp(old)),
        {},
        "decay-negative",
    ),
    "A itself stored as A_log of Mamba-1": (
        changed("Mamba-1", A_log=lambda old, g: -np.exp(old)),
        {},
        "decay-negative",
    ),
    "logarithms in bfloat16": (
        lambda g: {
            key: array.astype(ml_dtypes.bfloat16)
            for key, array in healthy.mamba2(g).items()
        },
        {},
        "log-rounded",
    ),
    "A_log transposed": (
        lambda g: {
            key: array.T if key == "A_log" else array
            for key, array in healthy.mamba1(g).items()
        },
        {},
        "array-transposed",
    ),
    "forget biases in the input gates": (
        lambda g: rolled(healthy.torch_unit(4, (10, 1000))(g), -64),
        {},
        "gates-swapped",
    ),
    "forget biases in the order of another library": (
        lambda g: rolled(healthy.torch_unit(4, (10, 1000))(g), 64),
        {},
        "gates-swapped",
    ),
    "update biases of a GRU in the reset gates": (
        lambda g: rolled(healthy.torch_unit(3, (10, 1000))(g), -64),
        {},
        "gates-swapped",
    ),
    "recurrent weights of variance 1": (
        changed("chrono LSTM", weight_hh_l0=lambda old, g: g.normal(size=old.shape)),
        {},
        "recurrent-exploding",
    ),
    "recurrent weights of a GRU of variance 1": (
        changed("PyTorch GRU", weight_hh_l0=lambda old, g: g.normal(size=old.shape)),
        {},
        "recurrent-exploding",
    ),
    "NaN in the recurrent weights": (
        changed("PyTorch GRU", weight_hh_l0=holed(np.nan)),
        {},
        "weights-not-finite",
    ),
    "a tensor of an unknown family": (
        lambda g: {**healthy.mamba2(g), "other.slope_rate": np.ones(4)},
        {},
        "not-judged",
    ),
    "eigenvalues in bfloat16": (
        HEALTHY["LRU for long sequences"],
        {"dtype": "bfloat16"},
        "resolution-lost",
    ),
    "eigenvalues in float16": (
        lambda g: healthy.minimal_lru(g, low=0.9995, high=0.9999),
        {"dtype": "float16"},
        "resolution-lost",
    ),
    "dt squared": (changed("S4D-Inv", log_dt=squared), {}, "steps-small"),
    "dt squared for long sequences": (
        changed("S4D-Inv", log_dt=squared),
        {"length": 16384},
        "steps-small",
    ),
    "dt squared in Mamba": (
        changed("Mamba-1", dt_proj__bias=softplus_twice),
        {},
        "steps-small",
    ),
    "dt_proj.bias drawn as nn.Linear's": (
        changed(
            "Mamba-1", dt_proj__bias=lambda old, g: g.uniform(-0.4, 0.4, old.shape)
        ),
        {},
        "steps-large",
    ),
    "RG-LRU on the wrong ring": (lambda g: healthy.rglru(g, power=1), {}, "ring-wrong"),
    "clipped at the end of the range": (
        changed("minimal-LRU", nu_log=above),
        {},
        "decay-clipped",
    ),
    "a row of B and a column of C at zero": (
        changed(
            "minimal-LRU",
            B_re=lambda old, g: old * (np.arange(len(old)) != 5)[:, None],
            B_im=lambda old, g: old * (np.arange(len(old)) != 5)[:, None],
        ),
        {},
        "mode-dead",
    ),
    "gamma underflows": (
        changed("minimal-LRU", gamma_log=holed(-200.0)),
        {},
        "mode-dead",
    ),
    "one key for two halves": (
        changed("minimal-LRU", nu_log=twice, theta_log=twice, gamma_log=twice),
        {},
        "mode-duplicated",
    ),
    "gamma of another ring": (
        changed("LRU for long sequences", gamma_log=0),
        {},
        "gamma-mismatch",
    ),
    "gamma squared": (
        changed("LRU for long sequences", gamma_log=squared),
        {},
        "gamma-mismatch",
    ),
    "input gates of an LSTM shut": (
        changed(
            "chrono LSTM",
            bias_ih_l0=lambda old, g: np.where(np.arange(old.size) < 64, -20, old),
        ),
        {},
        "gates-saturated",
    ),
    "gates of RG-LRU shut": (changed("Griffin", a_gate__b=-12), {}, "gates-saturated"),
    "a map to Mamba's steps never drawn": (
        changed("Mamba-1", x_proj__weight=0.0, dt_proj__weight=0.0),
        {},
        "gate-constant",
    ),
    "frequencies of S5 ten times up": (
        changed("S5", Lambda_im=lambda old, g: 1000 * old),
        {},
        "phase-aliased",
    ),
    "phases in degrees": (
        changed("minimal-LRU", theta_log=lambda old, g: old + np.log(57.3)),
        {},
        "phase-aliased",
    ),
    "phases of a whole turn for a long sequence": (
        lambda g: healthy.minimal_lru(g, low=0.999, high=0.9999),
        {"length": 4096},
        "phase-turns",
    ),
    "weight decay on A_log and D": (
        HEALTHY["Mamba-1"],
        {"optimiser": optimiser(DECAYED)},
        "weight-decay",
    ),
    "weight decay on a_param": (
        HEALTHY["Griffin"],
        {"optimiser": optimiser(DECAYED)},
        "weight-decay",
    ),
}


# What inputs may make good, and what is often meant.
ONLY_NOTES = (
    "a GRU without update bias",
    "logarithms in bfloat16",
    "A_log transposed",
    "phases of a whole turn for a long sequence",
)


@pytest.mark.sampled(36, kind="defect", keep=[f"{ONLY_NOTES[0]}-3"])
@pytest.mark.parametrize("seed", [0, 3, 7])
@pytest.mark.parametrize("defect", PLANTED)
def test_a_planted_defect_is_found(defect, seed):
    draw, settings, rule = PLANTED[defect]
    report = report_of(draw(np.random.default_rng(seed)), **settings)
    assert rule in ids(report)
    known = defect not in ONLY_NOTES
    assert (rule in {finding.rule.id for finding in report.graver}) == known


def test_every_rule_has_a_fixture_and_there_are_fifteen_defects():
    assert {rule for _, _, rule in PLANTED.values()} == {rule.id for rule in RULES}
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert len(PLANTED) >= 15


def test_the_wrong_ring_remembers_125_steps_and_the_right_one_1000():
    report = report_of(healthy.rglru(np.random.default_rng(1), width=4096, power=1))
    (finding,) = report.graver
    longest = float(
        re.search(r"longest time constant is (\S+) steps", finding.consequence)[1]
    )
    assert 120 < longest <= -1 / np.log(0.999**8)
    assert "would be 1000" in finding.consequence


def test_what_is_spared_from_weight_decay_is_no_finding():
    settings = {"optimiser": optimiser(SPARED)}
    report = report_of(HEALTHY["Mamba-1"](np.random.default_rng(0)), **settings)
    assert report.graver == ()


def test_weight_decay_tells_what_becomes_of_the_memory():
    arrays = healthy.f4(nu_log=np.full(8, -4.0), theta_log=np.linspace(0, 1, 8))
    settings = optimiser({"lr": 0.01, "weight_decay": 0.1, "steps": 1000 * np.log(2)})
    (finding,) = (
        candidate
        for candidate in report_of(arrays, optimiser=settings).findings
        if candidate.rule.id == "weight-decay"
    )
    # A rate of exp(-4) goes to exp(-2): with 1/(1 - exp(-rate)) 55.1 steps become 7.9.
    assert "from 55.1 to 7.9 steps" in finding.consequence
    assert "halve in 693.1 steps" in finding.consequence


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize(("shortest", "longest"), [(2, 10), (10, 1000), (100, 5000)])
def test_distinct_memories_are_those_of_all_numbers_of_the_format(
    dtype, shortest, longest
):
    bits = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        numbers = bits.view(np.dtype(getattr(ml_dtypes, dtype, dtype))).astype(float)
    low, high = 1 - 1 / shortest, 1 - 1 / longest
    expected = int(((numbers >= low) & (numbers <= high)).sum())
    assert distinct_time_constants(dtype, shortest, longest) == expected


@pytest.mark.parametrize("dtype", BITS)
def test_spacing_is_the_distance_of_neighbours_below_one(dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    unit, step = kind.type(1), kind.type(spacing(dtype))
    assert kind.type(unit - step) < unit
    if dtype != "float64":
        half = np.float64(1) - spacing(dtype) * 0.49
        assert kind.type(half) == unit
    assert lost(np.array([0.9 * spacing(dtype)]), dtype).all()
    assert not lost(np.array([1.1 * spacing(dtype)]), dtype).any()
