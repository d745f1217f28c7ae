"""Vectors from NumPy's own files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from protospot.checks import nearest_name
from protospot.errors import InputError


def read(path: Path, name: str | None) -> dict[str, Any]:
    """Read an .npy file, mapped into memory, or an array of an .npz file."""
    try:
        if path.suffix.lower() == ".npy":
            vectors = np.load(path, mmap_mode="r", allow_pickle=False)
            return _found(path, vectors, "the array")
        with np.load(path, allow_pickle=False) as arrays:
            name = name or _only(path, arrays)
            if name not in arrays:
                near = nearest_name(name, arrays.files)
                raise InputError(
                    f"{path.name} must hold an array {name!r}, but it has "
                    f"{', '.join(arrays.files)}.{near}"
                )
            return _found(path, arrays[name], f"array {name!r}")
    except InputError:
        raise
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as reason:
        raise InputError(f"{path.name} must be a file of NumPy arrays, but {reason}.") from reason


def _only(path: Path, arrays: Any) -> str:
    flat = [name for name in arrays.files if arrays[name].ndim == 2]
    if len(flat) != 1:
        raise InputError(
            f"{path.name} must hold one 2-d array, or --array must name one: it has "
            f"{', '.join(flat) or 'none'}."
        )
    return str(flat[0])


def _found(path: Path, vectors: Any, what: str) -> dict[str, Any]:
    if vectors.ndim != 2:
        raise InputError(f"{what} of {path.name} must be 2-d, got shape {vectors.shape}.")
    return {"vectors": vectors, "chosen": f"{what}, {vectors.shape[1]} numbers a row"}
