"""One result in a file: NetCDF-4, compressed, with checksums and complex numbers."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr

from sigprop.numerics.files import unfinished

COMPLEX_PARTS = ("real", "imag")


def attributes(file: Path) -> dict[str, Any]:
    """Read the scalar attributes of a file, without its data.

    Raises:
        Exception: If the file is damaged; HDF5 has many types of errors.
    """
    with h5py.File(file, "r") as opened:
        return {
            name: np.asarray(value).item()
            for name, value in opened.attrs.items()
            if np.size(value) == 1
        }


def read(file: Path) -> xr.Dataset:
    """Read a file and verify its checksums; inverse of ``write``.

    Raises:
        Exception: If the file is damaged; HDF5 has many types of errors.
    """
    _require_sound(file)
    with xr.open_dataset(file, engine="h5netcdf") as stored:
        return _decode(stored.load())


def write(file: Path, dataset: xr.Dataset) -> Path:
    """Write a file under a temporary name, then rename it; return its name.

    Raises:
        ValueError: If a variable has no dimension, or a coordinate is complex.
        OSError: If the file cannot be written; an older file stays unchanged.
    """
    encoded = _encode(dataset)
    how = _encoding(encoded)
    with unfinished(file) as partial:
        encoded.to_netcdf(partial, engine="h5netcdf", encoding=how)
    return file


def _require_sound(file: Path) -> None:
    """Read all data with h5py: after an error, h5netcdf would leave the file open."""
    with h5py.File(file, "r") as stored:
        stored.visititems(
            lambda _, item: item[()] if isinstance(item, h5py.Dataset) else None
        )


def _encoding(dataset: xr.Dataset) -> dict[Any, dict[str, Any]]:
    """Compress every variable, with a checksum; both need text of fixed width."""
    common = {"zlib": True, "complevel": 4, "fletcher32": True}
    text = {"dtype": "S1"}
    numbers = {"_FillValue": None}
    return {
        name: common | (text if variable.dtype.kind == "U" else numbers)
        for name, variable in dataset.variables.items()
    }


def _encode(dataset: xr.Dataset) -> xr.Dataset:
    """Split complex variables into two real ones, as NetCDF has no complex numbers."""
    for name, variable in dataset.variables.items():
        if not variable.dims:
            raise ValueError(
                f"need at least one dimension, got the scalar {name!r}; make it an "
                "attribute"
            )
        if variable.dtype.kind == "c" and name in dataset.coords:
            raise ValueError(f"need real coordinates, got the complex {name!r}")
    for name, values in dataset.data_vars.items():
        if values.dtype.kind == "c":
            real, imag = (f"{name}_{part}" for part in COMPLEX_PARTS)
            dataset = dataset.drop_vars([name]).assign(
                {
                    real: values.real.assign_attrs(values.attrs, complex_part="real"),
                    imag: values.imag.assign_attrs(values.attrs, complex_part="imag"),
                }
            )
    return dataset


def _decode(dataset: xr.Dataset) -> xr.Dataset:
    """Undo ``_encode``, and convert bytes to text."""
    for name, values in dataset.variables.items():
        if values.dtype.kind == "O":
            dataset = dataset.assign({name: values.astype(str)})
    halves = [
        str(name)
        for name, values in dataset.data_vars.items()
        if values.attrs.get("complex_part") == "real"
    ]
    for name in halves:
        stem = name.removesuffix("_real")
        real, imag = dataset[name], dataset[f"{stem}_imag"]
        values = np.empty(real.shape, np.result_type(real, np.complex64))
        values.real, values.imag = real.values, imag.values
        attributes = {k: v for k, v in real.attrs.items() if k != "complex_part"}
        dataset = dataset.drop_vars([name, f"{stem}_imag"]).assign(
            {stem: (real.dims, values, attributes)}
        )
    return dataset
