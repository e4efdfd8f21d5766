"""The list of figures, and the way to draw one; imports nothing heavy until asked."""

import difflib
import importlib
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sigprop.figures.entries import ADVICE, BLUR, Entry

if TYPE_CHECKING:
    from sigprop.figures import style


FORMATS = ("pdf", "png", "svg")
DEFAULT = FORMATS[:2]


GATES = ("rglru", "mingru", "selective", "gla", "unit", "gated-deltanet")
FIGURES = {
    **BLUR,
    "lru-1": Entry(
        "sigprop.figures.lru_1",
        {"a": "ladder_digits", "b": "ladder_listops", "c": "ladder_smnist"},
        "From a tanh RNN to the LRU in five steps",
        reduced="Networks are smaller and are trained for fewer steps, from three seeds. The "
        "data are digits of 64 pixels, expressions of up to 127 tokens and 10 000 digits of "
        "784 pixels.",
        rows=("lru:fig1",),
    ),
    "lru-2": Entry(
        "sigprop.figures.lru_2",
        dict.fromkeys("abc", "ring_eigenvalues"),
        "Eigenvalues of Gaussian matrices fill the unit disk",
        rows=("lru:fig2",),
    ),
    "lru-3": Entry(
        "sigprop.figures.lru_3",
        dict.fromkeys("abc", "ring_eigenvalues"),
        "Eigenvalues sampled by Lemma 3.2 fill a ring",
        rows=("lru:fig3",),
    ),
    "lru-4": Entry(
        "sigprop.figures.lru_4",
        dict.fromkeys("abcd", "impulse_responses"),
        "Impulse responses of modes with all phases and with small phases",
        rows=("lru:fig4", "lru:text:few-oscillations"),
    ),
    "lru-5": Entry(
        "sigprop.figures.lru_5",
        dict.fromkeys("ab", "normalisation") | dict.fromkeys("cd", "paths"),
        "Normalisation and small phases on Pathfinder",
        reduced="Untrained networks have 128 features and 256 states. Training uses images of "
        "256 pixels; the paper uses 16 384 pixels.",
        rows=("lru:fig5",),
    ),
    "lru-6": Entry(
        "sigprop.figures.lru_6",
        dict.fromkeys("abc", "relu_leakage"),
        "Spectrum of an oscillation after a ReLU",
        rows=("lru:fig6",),
    ),
    "lru-7": Entry(
        "sigprop.figures.lru_7",
        dict.fromkeys("ab", "convolution_kernel"),
        "A convolution learnt by linear and tanh RNNs",
        rows=("lru:fig7",),
    ),
    "lru-8": Entry(
        "sigprop.figures.lru_8",
        dict.fromkeys("abc", "power_descent"),
        "Learning the power of an eigenvalue in two parametrisations",
        rows=("lru:fig8",),
    ),
    "lru-9": Entry(
        "sigprop.figures.lru_9",
        dict.fromkeys("ab", "ring_gain"),
        "Gain of a layer with eigenvalues on a ring, simulated and predicted",
        rows=("lru:fig9",),
    ),
    "rotrnn-3": Entry(
        "sigprop.figures.rotrnn_3",
        dict.fromkeys("ab", "lists"),
        "State norms during training, measured and in closed form",
        reduced="Networks are smaller and are trained for 2000 steps from three seeds, on "
        "expressions of up to 127 tokens.",
        rows=("rotrnn:fig3",),
    ),
    "sigprop-adam": Entry(
        "sigprop.figures.sigprop_adam",
        dict.fromkeys("abcd", "hessian_structure"),
        "Adam's effective rates are the inverse norms of the Hessian's rows",
    ),
    "sigprop-basins": Entry(
        "sigprop.figures.sigprop_basins",
        dict.fromkeys("ab", "basins"),
        "Initial eigenvalues from which training reaches the teacher",
    ),
    "sigprop-bench": Entry(
        "sigprop.figures.sigprop_bench",
        {"a": "speed_moments", "b": "speed_layers"}
        | dict.fromkeys("cd", "speed_sizes"),
        "Speed of moments and layers compared with alternatives",
    ),
    "sigprop-depth": Entry(
        "sigprop.figures.sigprop_depth",
        dict.fromkeys("abcdef", "depth_map"),
        "Signals through depth: where they vanish or explode",
    ),
    "sigprop-edges": Entry(
        "sigprop.figures.sigprop_edges",
        dict.fromkeys("abc", "edges"),
        "Moments of BLUR's merged states at each position of a window",
        rows=("sigprop:moments-blur",),
    ),
    "sigprop-effective-eigenvalues": Entry(
        "sigprop.figures.sigprop_effective_eigenvalues",
        {"a": "gated_neurons"},
        "States of gated layers compared with linearised layers",
    ),
    "sigprop-gates": Entry(
        "sigprop.figures.sigprop_gates",
        dict.fromkeys("abc", "gated_moments"),
        "Moments of input-gated layers against the time constant",
        rows=tuple(f"sigprop:gates-{name}" for name in GATES),
    ),
    "sigprop-networks": Entry(
        "sigprop.figures.sigprop_networks",
        dict.fromkeys("abc", "network_curvature"),
        "Curvature of deep networks at initialisation",
    ),
    "sigprop-parametrisations": Entry(
        "sigprop.figures.sigprop_parametrisations",
        dict.fromkeys("ab", "parametrisations"),
        "LRU and tanh parametrisations compared with the optimal ones",
    ),
    **ADVICE,
    "sigprop-transients": Entry(
        "sigprop.figures.sigprop_transients",
        dict.fromkeys("abcd", "transients"),
        "State norms over time from the zero state",
        rows=("rotrnn:text:constant-norm", "sigprop:moments-rotrnn"),
    ),
    "zucchet-1a": Entry(
        "sigprop.figures.zucchet_1a",
        {"a": "curse_of_memory"},
        "The sensitivity explodes as the time constant grows",
        rows=(
            "zucchet:fig1:recurrence",
            "zucchet:fig1:correlation",
            "zucchet:fig1:grey-line",
        ),
    ),
    "zucchet-1bc": Entry(
        "sigprop.figures.zucchet_1bc",
        dict.fromkeys("bc", "one_dimensional"),
        "The loss of one linear unit sharpens as the teacher's time constant grows",
        rows=("zucchet:fig1:sharpness-real", "zucchet:fig1:sharpness-circle"),
    ),
    "zucchet-2": Entry(
        "sigprop.figures.zucchet_2",
        dict.fromkeys("ab", "curse_of_memory"),
        "Moments with input normalisation and reparametrisation",
        rows=(
            "zucchet:fig2a",
            "zucchet:fig2b",
            "zucchet:fig2b:bounded",
            "sigprop:controlled-edge",
            "zucchet:fig2:other-inputs",
            "zucchet:fig2:grey-state",
            "zucchet:fig2:grey-sensitivity",
        ),
    ),
    "zucchet-3": Entry(
        "sigprop.figures.zucchet_3",
        {"a": "memory_gap", "b": "ablation", "c": "starts"},
        "Final losses of RNN and LRU as the teacher's time constant grows",
        rows=("zucchet:fig3",),
    ),
    "zucchet-4": Entry(
        "sigprop.figures.zucchet_4",
        dict.fromkeys("ab", "hessian_structure")
        | dict.fromkeys("cd", "adaptive_rates"),
        "Hessians and effective learning rates of a dense and a complex diagonal RNN",
        rows=(
            "zucchet:fig4",
            "zucchet:fig4:rank",
            "zucchet:fig4:concentration",
            "zucchet:fig4:adam",
            "zucchet:fig4:learning-rate",
        ),
    ),
    "zucchet-5": Entry(
        "sigprop.figures.zucchet_5",
        dict.fromkeys("abc", "deep_signals"),
        "States and gradients of deep networks against the time constant",
        reduced="Networks have 64 neurons and read 64 random sequences; the paper uses "
        "embeddings.",
        rows=(
            "zucchet:fig5",
            "zucchet:fig5:lru",
            "zucchet:fig5:recurrent",
            "zucchet:fig5:gru",
            "zucchet:fig5:normalisation",
        ),
    ),
    "zucchet-6": Entry(
        "sigprop.figures.zucchet_6",
        dict.fromkeys("abc", "one_dimensional"),
        "The loss of one normalised unit, and its curvature, in three parametrisations",
        rows=("zucchet:fig6", "zucchet:fig6-modulus", "zucchet:fig6-hessian"),
    ),
    "zucchet-7": Entry(
        "sigprop.figures.zucchet_7",
        dict.fromkeys("abc", "angle_descent"),
        "Adam learns the angle of one eigenvalue in three parametrisations",
        rows=(
            "zucchet:fig7",
            "zucchet:fig7-sharpness",
            "zucchet:fig7-granularity",
            "zucchet:fig7-valley",
        ),
    ),
    "zucchet-8": Entry(
        "sigprop.figures.zucchet_8",
        dict.fromkeys("abc", "similarity"),
        "Pairs of eigenvalues that the Hessian couples, for four input correlations",
        rows=("zucchet:fig8",),
    ),
    "zucchet-9": Entry(
        "sigprop.figures.zucchet_9",
        dict.fromkeys("ab", "hessian_structure")
        | dict.fromkeys("cd", "adaptive_rates"),
        "Hessians and effective learning rates of the LRU and S4",
        rows=("zucchet:fig9", "zucchet:fig9:magnitude"),
    ),
    "zucchet-10": Entry(
        "sigprop.figures.zucchet_10",
        dict.fromkeys("abc", "hessian_structure") | {"d": "concentration"},
        "Hessian and final loss as the eigenvalue phases concentrate",
        rows=("zucchet:fig10", "zucchet:fig10:gap"),
    ),
    "zucchet-11": Entry(
        "sigprop.figures.zucchet_11",
        dict.fromkeys("ab", "heads"),
        "Final loss and effective learning rates against the number of heads",
        rows=("zucchet:fig11", "zucchet:fig11:performance"),
    ),
    "zucchet-12": Entry(
        "sigprop.figures.zucchet_12",
        {"a": "embedding_correlation"},
        "The autocovariance of the inputs of deep networks, and its fit",
        reduced="Inputs are 192 random features with the autocovariance of the paper's fit; "
        "the paper uses embeddings.",
        rows=("zucchet:fig12", "zucchet:fig12:fit"),
    ),
    "zucchet-13": Entry(
        "sigprop.figures.zucchet_13",
        dict.fromkeys("abc", "deep_signals"),
        "Gradients of each layer of deep networks against the time constant",
        reduced="Networks have 64 neurons and read 64 random sequences; the paper uses "
        "embeddings.",
        rows=("zucchet:fig13", "zucchet:fig13:networks"),
    ),
    "zucchet-14": Entry(
        "sigprop.figures.zucchet_14",
        dict.fromkeys("abc", "gru_jacobian"),
        "Recurrent Jacobian of GRUs against the delay, on and off the diagonal",
        reduced="Inputs are random, with the autocovariance of Figure 12; the paper uses "
        "embeddings.",
        rows=(
            "zucchet:fig14",
            "zucchet:fig14:input-gates",
            "zucchet:fig14:embeddings",
        ),
    ),
    "zucchet-15": Entry(
        "sigprop.figures.zucchet_15",
        dict.fromkeys("ab", "gated_neurons"),
        "Moments of gated neurons against the time constant",
        reduced="Inputs are random, with the autocovariance of Figure 12; the paper uses "
        "embeddings.",
        rows=("zucchet:fig15", "zucchet:fig15:samples"),
    ),
}


def entry(name: str) -> Entry:
    """Look a figure up.

    Raises:
        ValueError: If there is no figure of that name; suggests the nearest.
    """
    if name not in FIGURES:
        raise ValueError(
            f"need a figure that `sigprop figure --list` lists, {_got(name, FIGURES)}"
        )
    return FIGURES[name]


def require_formats(asked: Iterable[str] | None) -> tuple[str, ...]:
    """The formats to write, each once; PDF and PNG if none is asked for.

    Raises:
        ValueError: If one is unknown; suggests the nearest.
    """
    formats = tuple(dict.fromkeys(map(str.casefold, asked or DEFAULT)))
    for kind in formats:
        if kind not in FORMATS:
            raise ValueError(
                f"need a format in {', '.join(FORMATS)}, {_got(kind, FORMATS)}"
            )
    return formats


def _got(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.4)
    return f"got {name!r}" + "".join(f"; did you mean {one}?" for one in near)


def of_rows() -> dict[str, str]:
    """The figure that shows each row of the ledger, by the row's id."""
    return {row: name for name, shown in FIGURES.items() for row in shown.rows}


def source_and_caption(name: str) -> tuple[str, str]:
    """The figure of a paper that a figure follows, and what its panels show.

    The first is the start of the module's docstring, the second the docstring of ``draw``
    up to its section ``Raises``.

    Raises:
        ValueError: If the name is unknown.
    """
    module = importlib.import_module(entry(name).module)
    source, drawn = (inspect.getdoc(one) or "" for one in (module, module.draw))
    drawn = drawn.partition("\n\nRaises:")[0].replace("``", "")
    return source.partition(":")[0], " ".join(drawn.split())


def said(
    name: str, results: "style.Results", panel: str | None = None
) -> tuple[str, str]:
    """What a figure shows of its caption, if it is whole, and where its results come from.

    Raises:
        ValueError: If the name is unknown.
    """
    from sigprop.figures import provenance

    shown = entry(name)
    module = importlib.import_module(shown.module)
    origin = provenance.sentence(results, shown.reduced)
    return "" if panel else module.shown(results), origin


def details(name: str, results: "style.Results") -> "style.Cells":
    """The numbers behind a figure's sentences as a table; nothing for most figures.

    Raises:
        ValueError: If the name is unknown.
    """
    module = importlib.import_module(entry(name).module)
    return module.details(results) if hasattr(module, "details") else ()


def draw_and_save(
    name: str,
    results: "style.Results",
    panel: str | None = None,
    into: Path | None = None,
    formats: Iterable[str] | None = None,
    verdicts: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw a figure, or one panel of it, from stored results; write PDF and PNG.

    The files are named after the figure, the panel, and the presets of the results unless
    all are of the preset ``paper``: no picture takes the place of a better one.  Below
    each figure, and in the metadata of its files, stands what the ledger says of its
    caption, what of that a whole figure shows, and where its results come from.

    Args:
        name: One of ``FIGURES``.
        results: Those that the panels need, by the names of their studies.
        panel: One of the figure's panels; all of them if left out.
        into: Folder for the files; ``sigprop.figures.style.folder()`` if left out.
        formats: Some of ``pdf``, ``png`` and ``svg``; the first two if left out.
        verdicts: Statuses of the ledger by the figure's rows; unsaid if left out.

    Raises:
        ValueError: If the name, the panel or a format is unknown.
        OSError: If a file cannot be written.
    """
    shown, kinds = entry(name), require_formats(formats)
    module = importlib.import_module(shown.module)
    from sigprop.figures import provenance, style

    drawn = module.draw(results, panel)
    sentence, origin = said(name, results, panel)
    told = provenance.verdict(verdicts or {}, sentence)
    presets = {study: one.attrs["preset"] for study, one in results.items()}
    files = stem(name, panel, presets)
    return style.save(drawn, files, into, kinds, shown.title, told, origin)


def stem(name: str, panel: str | None, presets: Mapping[str, str]) -> str:
    """The name of a figure's files without their kind.

    >>> stem("zucchet-3", None, {"memory_gap": "paper"})
    'zucchet-3'
    >>> stem("zucchet-3", "b", {"ablation": "quick"})
    'zucchet-3-b-quick'
    """
    found = sorted(set(presets.values()))
    return "-".join(filter(None, (name, panel, *(found if found != ["paper"] else ()))))
