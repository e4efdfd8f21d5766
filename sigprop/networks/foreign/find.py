"""Find recurrent layers in a checkpoint by the last parts of the names of its arrays."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Inexact, Shaped

from sigprop.layers.base import Layer
from sigprop.networks.foreign import (
    delta,
    gated_units,
    lru,
    mamba,
    projected,
    rglru,
    rotrnn,
    rwkv,
    state_spaces,
)
from sigprop.networks.foreign.family import (
    Arrays,
    Family,
    Rest,
    Spelling,
    Without,
    fit,
)
from sigprop.networks.foreign.tensors import (
    Checkpoint,
    Tensor,
    in_memory,
    part,
    transposed,
)

FAMILIES = (
    lru.FAMILY,
    state_spaces.S5_FAMILY,
    state_spaces.S4D_FAMILY,
    rotrnn.FAMILY,
    rglru.FAMILY,
    mamba.MAMBA1,
    mamba.MAMBA2,
    mamba.LOG_LINEAR,
    mamba.MAMBA3,
    delta.GDN,
    delta.KDA,
    delta.COMBA,
    delta.PRECONDITIONER,
    delta.PRODUCT,
    delta.RAVEN,
    rwkv.FAMILY,
    projected.RWKV6,
    projected.RWKV7,
    projected.GLA,
    projected.GSA,
    projected.HGRN,
    projected.HGRN_BOUNDS,
    projected.FOX,
    projected.MESA,
    projected.MINGRU,
    projected.MLSTM,
    projected.SLSTM,
    projected.MINIMAX,
    gated_units.GRU_FAMILY,
    gated_units.LSTM_FAMILY,
)
WITHOUT = (delta.PLAIN, *projected.WITHOUT)

# PyTorch appends the index of a layer in a stack to the name of an array.
STACKED = re.compile(r"((?:weight|bias)_(?:ih|hh))_(l\d+(?:_reverse)?)")
KEYED = re.compile(r"\[(?:'([^']*)'|\"([^\"]*)\"|(\d+))\]")
# Names of wrapper modules of PEFT, torch.compile and FSDP, which are ignored.
WRAPPERS = (
    *("base_layer", "_orig_mod"),
    *("_fsdp_wrapped_module", "_checkpoint_wrapped_module"),
)
# A second recurrence with parameters of the same module becomes a separate layer.  Vim
# also reads backward, and the preconditioner of fla's DeltaNet has its own decay.
BRANCHES = {
    "A_b_log": "backward.A_log",
    **{
        f"{name}_b": f"backward.{name}" for name in ("D", "dt_proj", "x_proj", "conv1d")
    },
    **{
        name: f"preconditioner.{name}"
        for name in ("A_log_atk", "dt_bias_atk", "log_atk_scale", "a_atk_proj")
    },
}
# Names of optimiser states, which are stored under the names of parameters.
OF_OPTIMISERS = {
    *("opt_state", "opt_states", "optimizer", "optimizer_state", "optim"),
    *("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer"),
}


@dataclass(frozen=True)
class ForeignLayer:
    """Recurrent layer that was found in a checkpoint.

    Attributes:
        family: Family of layers to which the layer belongs.
        spelling: Names of the family's arrays in the library that wrote the checkpoint.
        prefix: Common prefix of the names of the layer's arrays in the file.
        tensors: Dictionary from names of ``spelling`` to the arrays in the file.
        sizes: Dictionary from the names of axes of the arrays to their lengths.
        options: Values of the family's options, from ``config.json`` or a mapping file.
        turned: Names of the matrices that the file stores transposed.

    Example:
        >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.zeros(8)}
        >>> (layer,) = find(of_arrays(arrays))
        >>> layer.family.name, layer.prefix, dict(layer.sizes)
        ('lru', 'seq', {'n': 8})
    """

    family: Family
    spelling: Spelling
    prefix: str
    tensors: Mapping[str, Tensor]
    sizes: Mapping[str, int]
    options: Mapping[str, Any] = field(default_factory=dict)
    turned: tuple[str, ...] = ()

    def local(self, name: str) -> str:
        """Return the name of an array in the file, without the prefix of the layer.

        Args:
            name: Name of the array in ``spelling``.
        """
        parts = dotted(self.tensors[name].name).split(".")
        first = 0
        for part_of_prefix in self.prefix.split("."):
            if len(parts) - first < 2 or parts[first] != part_of_prefix:
                break
            first += 1
        index = self.tensors[name].index
        return ".".join(parts[first:]) + (
            f"[{', '.join(map(str, index))}]" if index else ""
        )

    def read(self, names: Iterable[str]) -> dict[str, Shaped[np.ndarray, "..."]]:
        """Read the arrays with the given names in ``spelling`` that the file contains.

        Raises:
            ValueError: If an array does not have floating-point numbers of 16 or more
                bits, or its numbers cannot be read.
        """
        arrays = {}
        for name in names:
            if name not in self.tensors:
                continue
            tensor = self.tensors[name]
            if tensor.dtype.startswith(
                ("float8", "float4", "F8", "int", "uint", "bool")
            ):
                raise ValueError(
                    f"need floating-point numbers of 16 bits or more, got {tensor.name} of "
                    f"shape {tensor.shape} of {self.family.title} in {tensor.dtype}; "
                    "restore its scale and store it as float32"
                )
            try:
                arrays[name] = tensor.read()
            except ValueError as error:
                raise ValueError(f"{self.family.title}: {error}") from error
        return arrays

    def rest(self) -> Rest:
        """Return the decay and other numbers of the recurrence at zero input.

        Only the arrays that define these numbers are read from the file.

        Raises:
            ValueError: If ``read`` raises an error for one of these arrays.
        """
        return self.at_rest(self.read(self.spelling.slow))

    def at_rest(self, stored: Arrays) -> Rest:
        """Return the result of ``rest`` for given arrays instead of the stored arrays.

        Args:
            stored: Dictionary from names of ``spelling`` to arrays. It needs all arrays
                that ``rest`` reads.
        """
        options = {"sizes": self.sizes, **self.options}
        rest = self.family.rest(self.spelling.roles(_in_double(stored)), options)
        raw = {
            self.local(name): np.real(stored[name]).astype(float)
            for name in self.spelling.decay
            if name in stored
        }
        if rest.part is not None:
            raw[self.local(self.spelling.decay[0])] = rest.part
        return replace(rest, raw=raw)

    def layer(self, arrays: Arrays | None = None) -> Layer:
        """Build the layer of ``sigprop.layers`` with the parameters of this layer.

        Args:
            arrays: Dictionary from names of ``spelling`` to arrays, which JAX may
                trace. By default the arrays are read from the file.

        Raises:
            ValueError: If sigprop has no layer of this family, or an array is missing.
        """
        if self.family.layer is None:
            known = ", ".join(
                family.name for family in FAMILIES if family.layer is not None
            )
            raise ValueError(
                f"need a family of {known} for a layer, got {self.family.name}"
            )
        stored = self.read(self.tensors) if arrays is None else arrays
        options = dict(self.options)
        if self.family.name == "s5":
            im = _in_double(self.read(self.spelling.slow))
            roles = self.spelling.roles(im)
            options["conjugate"] = state_spaces.halved(roles["im"], options)
        roles = {k: v for k, v in self.spelling.roles(stored).items() if k != "heads"}
        return self.family.layer(roles, options)


@dataclass(frozen=True)
class Skipped:
    """Layer of a checkpoint that is recognised by array names but cannot be read.

    Attributes:
        prefix: Common prefix of the names of the layer's arrays in the file.
        tensors: Names, as in the file, of the arrays that define the decay of the
            layer.
        reason: Reason why the layer cannot be read, and a remedy.

    Example:
        >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.zeros(7)}
        >>> [one.prefix for one in survey(of_arrays(arrays)).skipped]
        ['seq']
    """

    prefix: str
    tensors: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Named:
    """Layer of a checkpoint for which no decay factor is stored.

    Attributes:
        prefix: Common prefix of the names of the layer's arrays in the file.
        kind: Type of the layer, with the reason why no decay factor is stored.
        tensors: Names, as in the file, of the arrays by which the layer is recognised.

    Example:
        >>> arrays = {f"a.{name}_proj.weight": np.zeros((4, 4)) for name in "qkb"}
        >>> [one.prefix for one in survey(of_arrays(arrays)).without]
        ['a']
    """

    prefix: str
    kind: Without
    tensors: tuple[str, ...]


@dataclass(frozen=True)
class Survey:
    """Layers that were found in a checkpoint by the names and shapes of its arrays.

    Attributes:
        layers: Layers that can be read, in the order of the file.
        skipped: Layers that are recognised but cannot be read, with the reason.
        of_optimiser: Names of arrays that were ignored because they belong to the state
            of an optimiser, such as Adam's moments.
        without: Layers that are recognised but for which no decay factor is stored,
            with the reason.

    Example:
        >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.zeros(8)}
        >>> found = survey(of_arrays(arrays))
        >>> len(found.layers), len(found.skipped), len(found.without)
        (1, 0, 0)
    """

    layers: tuple[ForeignLayer, ...]
    skipped: tuple[Skipped, ...]
    of_optimiser: tuple[str, ...]
    without: tuple[Named, ...] = ()


def _in_double(arrays: Arrays) -> dict[str, Inexact[np.ndarray, "..."]]:
    return {
        name: value.astype(complex if value.dtype.kind == "c" else float)
        for name, value in arrays.items()
    }


def dotted(name: str) -> str:
    """Return a name with dots between its parts.

    Example:
        >>> dotted("params/seq['nu_log']")
        'params.seq.nu_log'
    """
    keyed = KEYED.sub(
        lambda m: "." + next(g for g in m.groups() if g is not None), name
    )
    return keyed.strip(".").replace("/", ".")


def normal_name(name: str) -> str:
    """Return a dotted name with the number or direction of a layer before its last part.

    Example:
        >>> normal_name("params/seq/nu_log"), normal_name("rnn.weight_ih_l0")
        ('params.seq.nu_log', 'rnn.l0.weight_ih')
        >>> normal_name("mixer.dt_proj_b.base_layer.bias")
        'mixer.backward.dt_proj.bias'
    """
    parts = [part for part in dotted(name).split(".") if part not in WRAPPERS]
    match = STACKED.fullmatch(parts[-1]) if parts else None
    if match:
        return ".".join([*parts[:-1], match[2], match[1]])
    for index in range(max(len(parts) - 2, 0), len(parts)):
        if parts[index] in BRANCHES:
            branch = BRANCHES[parts[index]]
            return ".".join([*parts[:index], branch, *parts[index + 1 :]])
    return ".".join(parts)


def counted(name: str) -> list[tuple[int, str]]:
    """Return a key for sorting names, by which layer 10 comes after layer 9.

    Example:
        >>> sorted(["layers.10", "layers.9"], key=counted)
        ['layers.9', 'layers.10']
    """
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def find(checkpoint: Checkpoint) -> list[ForeignLayer]:
    """Return all recurrent layers of a checkpoint, in the order of the file.

    Args:
        checkpoint: Checkpoint from ``open_checkpoint`` or ``of_arrays``.

    Raises:
        ValueError: If a layer cannot be read, because the names of its arrays fit two
            families or their shapes fit none. The message names the array, its shape
            and the family.

    Example:
        >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.zeros(8)}
        >>> [layer.prefix for layer in find(of_arrays(arrays))]
        ['seq']
    """
    found = survey(checkpoint)
    if found.skipped:
        raise ValueError(found.skipped[0].reason)
    return list(found.layers)


def survey(checkpoint: Checkpoint, without: Collection[str] = ()) -> Survey:
    """Return the layers found in a checkpoint, including those that cannot be read.

    Args:
        checkpoint: Checkpoint from ``open_checkpoint`` or ``of_arrays``.
        without: Names of arrays to ignore.

    Example:
        >>> arrays = {"seq.nu_log": np.zeros(8), "seq.theta_log": np.zeros(8)}
        >>> [layer.family.name for layer in survey(of_arrays(arrays)).layers]
        ['lru']
    """
    of_optimiser = _of_optimiser(checkpoint.tensors)
    left_out = {*of_optimiser, *without}
    by_prefix = _by_prefix(
        {name: t for name, t in checkpoint.tensors.items() if name not in left_out}
    )
    layers: list[ForeignLayer] = []
    skipped: list[Skipped] = []
    named: list[Named] = []
    for prefix, here in by_prefix.items():
        recognised = _recognise(prefix, here, checkpoint)
        if isinstance(recognised, Skipped):
            skipped.append(recognised)
        elif recognised:
            layers += recognised
        else:
            named += _without(prefix, here, checkpoint)
    return Survey(
        tuple(layers), tuple(skipped), tuple(sorted(of_optimiser)), tuple(named)
    )


def _by_prefix(tensors: Mapping[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """Tensors by the prefix and the rest of their names."""
    depth = max(
        name.count(".") + 1
        for family in FAMILIES
        for spelling in family.spellings
        for name in (*spelling.needs, *spelling.may, *spelling.never)
    )
    by_prefix: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        parts = normal_name(name).split(".")
        for length in range(1, min(depth, len(parts)) + 1):
            prefix, local = ".".join(parts[:-length]), ".".join(parts[-length:])
            by_prefix.setdefault(prefix, {})[local] = tensor
    return by_prefix


def _without(
    prefix: str, here: Mapping[str, Tensor], checkpoint: Checkpoint
) -> Iterable[Named]:
    """The layer under a prefix, if it is one that stores no decay."""
    model = str((checkpoint.config or {}).get("model_type", ""))
    for kind in WITHOUT:
        known = set(kind.needs) <= set(here) and not set(kind.never) & set(here)
        if not known or (kind.models and model not in kind.models):
            continue
        tensors = {name: here[name] for name in kind.needs}
        if fit(_shapes(tensors), kind.needs)[1] is None:
            yield Named(prefix, kind, tuple(t.name for t in tensors.values()))
            return


def nearest(names: Sequence[str], checkpoint: Checkpoint) -> dict[str, str]:
    """Return, in words, the family that unknown tensors resemble most, by tensor.

    The text is empty if no family is similar.  Families are compared first by the number of
    their required names with the same prefix as the tensor, then by similar names.

    Args:
        names: Names of tensors that belong to no family.
        checkpoint: Checkpoint with all tensors.

    Example:
        >>> arrays = {"a.A_log": np.zeros(4), "a.dt_bia": np.zeros(4)}
        >>> nearest(["a.A_log"], of_arrays(arrays))
        {'a.A_log': 'the nearest family is Mamba-2, which needs A_log, dt_bias'}
    """
    by_prefix = _by_prefix(checkpoint.tensors) if names else {}
    known: dict[str, str] = {}  # layers that differ only in their index share an answer
    told = {}
    for name in names:
        key = re.sub(r"\d+", "0", name)
        if key not in known:
            parts = normal_name(name).split(".")
            prefixes = [".".join(parts[:length]) for length in range(len(parts))]
            own = {".".join(parts[length:]) for length in range(len(parts))}
            beside = set().union(*(by_prefix.get(p, {}) for p in prefixes[-5:]))
            known[key] = _nearest(own, beside)
        told[name] = known[key]
    return told


def _nearest(own: set[str], beside: set[str]) -> str:
    best, likest = (0.0, 0), None
    for family in FAMILIES:
        for spelling in family.spellings:
            needs = set(spelling.needs)
            if not any(get_close_matches(need, own, 1, 0.75) for need in needs):
                continue
            like = sum(bool(get_close_matches(n, beside, 1, 0.75)) for n in needs)
            near = (len(needs & beside) / len(needs), like)
            if near > best:
                best, likest = near, (family, spelling)
    if likest is None:
        return ""
    family, spelling = likest
    return (
        f"the nearest family is {family.title}, which needs {', '.join(spelling.needs)}"
    )


def _of_optimiser(names: Collection[str]) -> set[str]:
    """Names of an optimiser's state: by its own words, or twins under ``mu`` and ``nu``."""
    parts = {name: dotted(name).split(".") for name in names}
    dotted_names = {".".join(split) for split in parts.values()}
    state = set()
    for name, split in parts.items():
        twin = False
        for moment, other in (("mu", "nu"), ("nu", "mu")):
            for index in range(len(split) - 1):
                if split[index] == moment:
                    own = ".".join([*split[:index], other, *split[index + 1 :]])
                    twin = twin or own in dotted_names
        if twin or OF_OPTIMISERS & set(split):
            state.add(name)
    return state


def _recognise(
    prefix: str, here: Mapping[str, Tensor], checkpoint: Checkpoint
) -> list[ForeignLayer] | Skipped:
    """The layers under a prefix: one, one for each index of a stack, or none."""
    exact: dict[str, list[ForeignLayer]] = {}
    bent: dict[str, list[ForeignLayer]] = {}
    misfits: list[tuple[ForeignLayer, str]] = []
    for family in FAMILIES:
        for spelling in family.spellings:
            if not set(spelling.needs) <= set(here) or set(spelling.never) & set(here):
                continue
            names = {**spelling.needs, **spelling.may}
            tensors = {name: here[name] for name in names if name in here}
            sizes, wrong = fit(_shapes(tensors), names)
            options = family.configured(checkpoint.config or {})
            layer = ForeignLayer(family, spelling, prefix, tensors, sizes, options)
            candidates = [layer]
            if wrong is not None:
                candidates = _stacked(layer, names) or _turned(layer, names)
                if not candidates:
                    misfits.append((layer, wrong))
                    continue
            fits = exact if wrong is None else bent
            rival = fits.get(family.name)
            if rival is None or len(rival[0].tensors) < len(tensors):
                fits[family.name] = candidates
    if exact or bent:
        return _decide(prefix, exact or bent, checkpoint)
    if not misfits:
        return []
    layer, wrong = misfits[0]
    tensor, spelling = here[wrong], layer.spelling
    wanted = {**spelling.needs, **spelling.may}[wrong]
    return _skipped(
        layer,
        f"need {wrong} of shape ({', '.join(wanted.split())}) in {layer.family.title} of "
        f"{spelling.library}, got {tensor.name} of shape {tensor.shape}; if it is "
        "another family, or its complex numbers are stored otherwise, say by --mapping "
        "what it is",
    )


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tensor.shape for name, tensor in tensors.items()}


def _skipped(layer: ForeignLayer, reason: str) -> Skipped:
    names = [name for name in layer.spelling.slow if name in layer.tensors]
    told = tuple(layer.tensors[name].name for name in names)
    return Skipped(layer.prefix, told, reason)


def _stacked(layer: ForeignLayer, names: Mapping[str, str]) -> list[ForeignLayer]:
    """The layers of arrays whose first axis, or first two, count layers (``nn.scan``)."""
    for axes in (1, 2):
        leading = {tensor.shape[:axes] for tensor in layer.tensors.values()}
        (shape,) = leading if len(leading) == 1 else ((),)
        if len(shape) < axes or 0 in shape:
            continue
        inner = {name: t.shape[axes:] for name, t in layer.tensors.items()}
        sizes, wrong = fit(inner, names)
        if wrong is None:
            return [
                replace(
                    layer,
                    prefix=".".join(filter(None, [layer.prefix, *map(str, index)])),
                    tensors={n: part(t, index) for n, t in layer.tensors.items()},
                    sizes=sizes,
                )
                for index in np.ndindex(shape)
            ]
    return []


def _turned(layer: ForeignLayer, names: Mapping[str, str]) -> list[ForeignLayer]:
    """The layer with as few matrices transposed as make its shapes fit, if they do."""
    matrices = [name for name, t in layer.tensors.items() if len(t.shape) == 2]
    for count in range(1, len(matrices) + 1):
        for turned in combinations(matrices, count):
            tensors = {
                name: transposed(tensor) if name in turned else tensor
                for name, tensor in layer.tensors.items()
            }
            sizes, wrong = fit(_shapes(tensors), names)
            if wrong is None:
                return [replace(layer, tensors=tensors, sizes=sizes, turned=turned)]
    return []


def _decide(
    prefix: str, fits: Mapping[str, list[ForeignLayer]], checkpoint: Checkpoint
) -> list[ForeignLayer] | Skipped:
    if len(fits) == 1:
        return next(iter(fits.values()))
    model = str((checkpoint.config or {}).get("model_type", ""))
    meant = [
        candidates
        for candidates in fits.values()
        if model in candidates[0].family.models
    ]
    # If several families fit, the one with the most of its tensors is chosen.
    most = sorted(fits.values(), key=lambda candidates: -len(candidates[0].tensors))
    if len(meant) == 1:
        return meant[0]
    if len(most[0][0].tensors) > len(most[1][0].tensors):
        return most[0]
    tensor = next(iter(most[0][0].tensors.values()))
    titles = " and ".join(candidates[0].family.title for candidates in most)
    hint = (
        f"model_type {model!r} in config.json" if model else "no config.json beside it"
    )
    return _skipped(
        most[0][0],
        f"need names of one family, got {tensor.name} of shape {tensor.shape} under "
        f"{prefix or 'no prefix'!r}, which fits {titles}, and {hint}; put the model's "
        "config.json beside the file, or say by --mapping what it is",
    )


def of_arrays(arrays: Mapping[str, Shaped[np.ndarray, "..."]]) -> Checkpoint:
    """Return a ``Checkpoint`` that contains arrays in memory.

    Args:
        arrays: Dictionary from names to arrays.

    Example:
        >>> checkpoint = of_arrays({"seq.nu_log": np.zeros(8)})
        >>> checkpoint.tensors["seq.nu_log"].shape
        (8,)
    """
    tensors = {
        name: in_memory(name, np.asarray(array)) for name, array in arrays.items()
    }
    return Checkpoint(Path("arrays"), tensors, None)


def titles(families: Sequence[Family] = FAMILIES) -> str:
    """Return the titles of families, separated by commas."""
    return ", ".join(family.title for family in families)
