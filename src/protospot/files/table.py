"""A table of vectors with names: whatever file it came from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from protospot.checks import nearest_name
from protospot.errors import InputError
from protospot.files import arrays, images, records
from protospot.types import Floats, Numbers

_RECORDS = (".parquet", ".pq", ".feather", ".arrow", ".ipc", ".csv", ".tsv", ".jsonl", ".ndjson")
_ARRAYS = (".npy", ".npz")


@dataclass(slots=True)
class Wanted:
    """Which columns mean what; None where that is to be found out."""

    vectors: str | None = None  # a list column, or a pattern of names of numeric ones
    id: str | None = None
    weight: str | None = None
    label: str | None = None
    show: tuple[str, ...] = ()
    array: str | None = None  # of an .npz


@dataclass(frozen=True, slots=True)
class Table:
    """Vectors, what to call them, and what to show of them."""

    path: Path
    vectors: Numbers
    chosen: str  # what the vectors are, in words
    ids: Numbers  # row numbers where no column names them
    weights: Floats | None = None
    labels: Numbers | None = None
    shown: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.vectors)


def read(path: str | os.PathLike[str], wanted: Wanted | None = None) -> Table:
    """Read a file, or a folder of images.

    Parquet, Feather and Arrow files are streamed, and only the columns that are needed are read;
    `.npy` files are mapped. Nothing in a file is executed.
    """
    path, wanted = Path(path), wanted or Wanted()
    if not path.exists():
        near = nearest_name(path.name, [other.name for other in path.parent.glob("*")])
        raise InputError(f"{str(path)!r} must be a file or a folder, but there is none.{near}")
    if path.is_dir():
        found = images.read(path)
    elif path.suffix.lower() in _ARRAYS:
        found = arrays.read(path, wanted.array)
    elif path.suffix.lower() in _RECORDS:
        found = records.read(path, wanted)
    else:
        raise InputError(
            f"{str(path)!r} must end in one of {', '.join((*_RECORDS, *_ARRAYS))}, or be a folder "
            "of images."
        )
    n = len(found["vectors"])
    if n == 0:
        raise InputError(f"{str(path)!r} must hold at least one row, but it is empty.")
    ids = found.pop("ids", None)
    ids = np.arange(n) if ids is None else _distinct(ids, path, wanted.id)
    return Table(path=path, ids=ids, **found)


def _distinct(ids: Numbers, path: Path, column: str | None) -> Numbers:
    values, first, counts = np.unique(ids, return_index=True, return_counts=True)
    if len(values) < len(ids):
        twice = ids[first[counts > 1].min()].item()
        raise InputError(
            f"column {column!r} of {path.name} must name each row once, but {twice!r} is there "
            "more than once: use another column, or leave out --id to number the rows."
        )
    return ids
