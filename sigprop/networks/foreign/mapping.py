"""Mapping files, in which users give the names of the arrays of their layers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sigprop.networks.foreign import plain
from sigprop.networks.foreign.family import fit
from sigprop.networks.foreign.find import (
    FAMILIES,
    ForeignLayer,
    Survey,
    counted,
    normal_name,
    survey,
)
from sigprop.networks.foreign.tensors import Checkpoint
from sigprop.numerics.documents import read_document, require_keys

BY_NAME = {family.name: family for family in (*FAMILIES, plain.FAMILY)}


def mapped(checkpoint: Checkpoint, mapping: Path | str) -> list[ForeignLayer]:
    r"""Return the layers of a checkpoint that a TOML or JSON file describes.

    In the mapping file, each table ``[[layer]]`` has a ``family``, ``names`` and
    optionally ``options``.  The table ``names`` maps the family's name of each array to
    its name in the checkpoint.  A ``*`` in the name in the checkpoint matches any text
    without dots, so one table can describe many layers::

        [[layer]]
        family = "lru"
        names = {nu_log = "enc.*.decay", theta_log = "enc.*.phase"}

    A layer of the family ``decay`` is described by one array of decays.  The option
    ``transform`` names a function that is applied to the array.  The option
    ``quantity`` names the result: ``nu``, ``lambda``, ``log-decay`` or
    ``time-constant``.  Finally, ``|lam|`` is raised to the power that the option
    ``power`` gives::

        [[layer]]
        family = "decay"
        names = {decay = "layers.*.forget"}
        options = {quantity = "lambda", transform = "sigmoid"}

    Args:
        checkpoint: Checkpoint from ``open_checkpoint`` or ``of_arrays``.
        mapping: Path of the mapping file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a key, a family, a name or an option is unknown, or the shape of
            an array does not fit the family.

    Example:
        >>> import numpy as np, tempfile
        >>> from sigprop.networks.foreign import of_arrays
        >>> checkpoint = of_arrays({"enc.decay": np.zeros(8), "enc.phase": np.zeros(8)})
        >>> text = '[[layer]]\nfamily = "lru"\n'
        >>> text += 'names = {nu_log = "enc.decay", theta_log = "enc.phase"}'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "names.toml"
        ...     _ = file.write_text(text)
        ...     [layer.family.name for layer in mapped(checkpoint, file)]
        ['lru']
    """
    path = Path(mapping)
    content = require_keys(str(path), read_document(path), ("layer",))
    layers = content.get("layer")
    if not isinstance(layers, list):
        raise ValueError(f"need a list `layer` of tables in {path}, got {layers!r:.60}")
    keys = ("family", "names", "options", "prefix")
    tables = [require_keys(str(path), table, keys) for table in layers]
    named = [
        _named(checkpoint, single, path)
        for table in tables
        for single in _expanded(checkpoint, table, path)
    ]
    taken: dict[str, str] = {}
    for layer in named:
        for tensor in layer.tensors.values():
            if taken.setdefault(tensor.name, layer.prefix) != layer.prefix:
                raise ValueError(
                    f"need each tensor in one layer of {path}, got {tensor.name} in two"
                )
    return named


def survey_mapped(checkpoint: Checkpoint, mapping: Path | str | None = None) -> Survey:
    """Return the layers that a mapping file lists, and all others that ``survey`` finds.

    Args:
        checkpoint: Checkpoint from ``open_checkpoint`` or ``of_arrays``.
        mapping: Path of the mapping file, if there is one.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a key, a family, a name or an option is unknown, or the shape of
            an array does not fit the family.
    """
    named = [] if mapping is None else mapped(checkpoint, mapping)
    taken = {tensor.name for layer in named for tensor in layer.tensors.values()}
    others = survey(checkpoint, taken)
    return replace(others, layers=(*named, *others.layers))


def _expanded(
    checkpoint: Checkpoint, about: Mapping[str, Any], path: Path
) -> Iterator[Mapping[str, Any]]:
    """A table for every match of the patterns in its names.

    Raises:
        ValueError: If a pattern matches nothing, or names match different layers.
    """
    names = about.get("names", {})
    patterns = (
        {
            name: theirs
            for name, theirs in names.items()
            if isinstance(theirs, str) and "*" in theirs
        }
        if isinstance(names, dict)
        else {}
    )
    patterns = {n: p for n, p in patterns.items() if p not in checkpoint.tensors}
    if not patterns:
        yield about
        return
    matches = {name: _matches(checkpoint, p) for name, p in patterns.items()}
    for name, found in matches.items():
        if not found:
            raise ValueError(
                f"need a name of {checkpoint.path} that fits {patterns[name]!r} of {path}, "
                "got none"
            )
    first = next(iter(matches.values()))
    for name, found in matches.items():
        alone = set(found) ^ set(first)
        if alone:
            raise ValueError(
                f"need the same layers for all names in {path}, got "
                f"{', '.join(sorted(alone, key=lambda c: counted('.'.join(c)))[0])} for "
                f"one of {patterns[next(iter(matches))]!r} and {patterns[name]!r} alone"
            )
    for caught in sorted(first, key=lambda c: counted(".".join(c))):
        single = {**names, **{name: found[caught] for name, found in matches.items()}}
        prefix = about.get("prefix", "")
        if isinstance(prefix, str) and prefix:
            prefix = ".".join([prefix, *caught])
        yield {**about, "names": single, "prefix": prefix}


def _matches(checkpoint: Checkpoint, pattern: str) -> dict[tuple[str, ...], str]:
    """Names that fit a pattern, by the texts in place of its stars."""
    parts = map(re.escape, pattern.split("*"))
    regular = re.compile(r"([^./]*)".join(parts))
    fits = ((name, regular.fullmatch(name)) for name in checkpoint.tensors)
    return {match.groups(): name for name, match in fits if match}


def _named(
    checkpoint: Checkpoint, about: Mapping[str, Any], path: Path
) -> ForeignLayer:
    family = BY_NAME.get(str(about.get("family")))
    if family is None:
        raise ValueError(
            f"need a family of {', '.join(BY_NAME)} in {path}, got {about.get('family')!r}"
        )
    names, options = about.get("names", {}), about.get("options", {})
    prefix = about.get("prefix", "")
    if not (
        isinstance(names, dict)
        and all(isinstance(name_of_tensor, str) for name_of_tensor in names.values())
        and isinstance(options, dict)
        and isinstance(prefix, str)
    ):
        raise ValueError(
            f"need names, each a text, options, a table, and prefix, a text, in {path}, "
            f"got {names!r:.60}, {options!r:.60} and {prefix!r:.60}"
        )
    require_keys(f"options of {family.title} in {path}", options, family.options)
    if family is plain.FAMILY:
        plain.require_options(options)
    absent = sorted(set(names.values()) - set(checkpoint.tensors))
    if absent:
        raise ValueError(
            f"need names of {checkpoint.path} in {path}, got {absent[0]!r}"
        )
    tensors = {name: checkpoint.tensors[theirs] for name, theirs in names.items()}
    configured = {**family.configured(checkpoint.config or {}), **options}
    complaint = f"need the names of one spelling of {family.title}"
    for spelling in family.spellings:
        wanted = {**spelling.needs, **spelling.may}
        if not set(spelling.needs) <= set(names) <= set(wanted):
            continue
        sizes, wrong = fit(
            {name: tensor.shape for name, tensor in tensors.items()}, wanted
        )
        if wrong is None:
            prefix = prefix or _common(names.values())
            return ForeignLayer(family, spelling, prefix, tensors, sizes, configured)
        complaint = (
            f"need {wrong} of shape ({', '.join(wanted[wrong].split())}) in {family.title}, "
            f"got {names[wrong]} of shape {tensors[wrong].shape}"
        )
    raise ValueError(f"{complaint}, in {path} for {', '.join(names) or 'nothing'}")


def _common(names: Iterable[str]) -> str:
    parts = [normal_name(name).split(".") for name in names]
    common = []
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        common.append(column[0])
    return ".".join(common)
