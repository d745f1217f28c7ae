"""Vectors from files of records: Parquet, Feather, Arrow, CSV, TSV, JSON lines.

All go through Arrow's datasets, which stream batches of the columns that are asked for.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from protospot.checks import nearest_name
from protospot.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from protospot.files.table import Wanted

_FORMATS = {".pq": "parquet", ".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}
_FORMATS |= {".jsonl": "json", ".ndjson": "json"}
_BATCH = 1 << 16  # rows


def read(path: Path, wanted: Wanted) -> dict[str, Any]:
    """Read the columns that are wanted, and those that look like vectors where none is named."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(f"reading {path.suffix} files", "io") from None
    try:
        data = _dataset(path)
        names = _Columns(path, data.schema, wanted)
        return names.gathered(data.to_batches(columns=names.needed, batch_size=_BATCH))
    except (pa.ArrowException, OSError) as reason:
        first = str(reason).splitlines()[0].rstrip(".")
        raise InputError(
            f"{path.name} must be a readable {path.suffix} file, but {first}."
        ) from reason


def _dataset(path: Path) -> Any:
    import pyarrow.csv as pc
    import pyarrow.dataset as ds

    ending = path.suffix.lower()
    form: Any = _FORMATS.get(ending, "feather")
    if ending == ".tsv":
        form = ds.CsvFileFormat(parse_options=pc.ParseOptions(delimiter="\t"))
    return ds.dataset(path, format=form)


class _Columns:
    """Which columns of a file mean what."""

    def __init__(self, path: Path, schema: Any, wanted: Wanted) -> None:
        self._path, self._schema = path, schema
        self._wanted = wanted
        for name in (wanted.id, wanted.weight, wanted.label, *wanted.show):
            if name is not None:
                self._must_exist(name)
        self.vectors, self.is_list = self._vector_columns()
        extra = [wanted.id, wanted.weight, wanted.label, *wanted.show]
        self.needed = list(dict.fromkeys([*self.vectors, *(n for n in extra if n is not None)]))

    def gathered(self, batches: Any) -> dict[str, Any]:
        """Return what these batches hold, as a Table takes it."""
        vectors: list[Any] = []
        others: dict[str, list[Any]] = {n: [] for n in self.needed if n not in self.vectors}
        n = 0
        for batch in batches:
            if batch.num_rows:
                vectors.append(self._vectors_of(batch, n, vectors[0].shape[1] if vectors else None))
                n += batch.num_rows
            for name, values in others.items():
                values.extend(batch.column(name).to_pylist())
        wanted = self._wanted
        width = vectors[0].shape[1] if vectors else 0
        found: dict[str, Any] = {
            "vectors": np.concatenate(vectors) if vectors else np.empty((0, 0)),
            "chosen": self._in_words(width),
            "shown": {name: others[name] for name in wanted.show},
        }
        if wanted.id is not None:
            found["ids"] = np.array(self._full(wanted.id, others[wanted.id]))
        if wanted.weight is not None:
            found["weights"] = self._numbers(wanted.weight, others[wanted.weight])
        if wanted.label is not None:
            found["labels"] = np.array(self._full(wanted.label, others[wanted.label]))
        return found

    def _vector_columns(self) -> tuple[list[str], bool]:
        lists = [f.name for f in self._schema if _is_list(f.type)]
        used = {self._wanted.id, self._wanted.weight, self._wanted.label, *self._wanted.show}
        numbers = [f.name for f in self._schema if _is_number(f.type) and f.name not in used]
        pattern = self._wanted.vectors
        if pattern is None:
            if len(lists) == 1:
                return lists, True
            if lists:
                raise InputError(
                    f"--vectors must name one of the list columns of {self._path.name}: "
                    f"{', '.join(lists)}."
                )
            matching = numbers
        elif pattern in lists:
            return [pattern], True
        else:
            matching = [name for name in numbers if fnmatchcase(name, pattern)]
        if not matching:
            near = nearest_name(pattern, self._schema.names)
            what = "a list column or numeric ones" if pattern is None else repr(pattern)
            raise InputError(
                f"{self._path.name} must have {what} for vectors, but its columns are "
                f"{', '.join(f'{f.name} ({f.type})' for f in self._schema)}.{near}"
            )
        return matching, False

    def _vectors_of(self, batch: Any, first: int, width: int | None) -> Any:
        """Return the vectors of a batch whose first row has this number."""
        if not self.is_list:
            return np.stack([self._column_of(batch, name, first) for name in self.vectors], axis=1)
        column = batch.column(self.vectors[0])
        if column.null_count:
            row = first + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(f"{self._where()} must be full, but row {row} is empty.")
        lengths = np.asarray(column.value_lengths())
        width = int(lengths[0]) if width is None else width
        if (lengths != width).any():
            row = int(np.flatnonzero(lengths != width)[0])
            raise InputError(
                f"{self._where()} must be equally long, but row {first + row} has {lengths[row]} "
                f"numbers, and the first row {width}."
            )
        values = column.flatten()
        if values.null_count:
            at = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
            row = first + at // width
            raise InputError(f"{self._where()} must be full, but a number of row {row} is not.")
        return values.to_numpy(zero_copy_only=False).reshape(-1, width)

    def _column_of(self, batch: Any, name: str, first: int) -> Any:
        column = batch.column(name)
        if column.null_count:
            row = first + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                f"column {name!r} of {self._path.name} must be full, but row {row} is empty."
            )
        return column.to_numpy(zero_copy_only=False)

    def _where(self) -> str:
        return f"vectors in column {self.vectors[0]!r} of {self._path.name}"

    def _in_words(self, width: int) -> str:
        if self.is_list:
            return f"column {self.vectors[0]!r}, {width} numbers a row"
        shown = ", ".join(self.vectors[:3]) + (", ..." if len(self.vectors) > 3 else "")
        return f"{len(self.vectors)} numeric columns: {shown}"

    def _must_exist(self, name: str) -> None:
        if name not in self._schema.names:
            near = nearest_name(name, self._schema.names)
            raise InputError(
                f"{self._path.name} must have a column {name!r}, but its columns are "
                f"{', '.join(self._schema.names)}.{near}"
            )

    def _full(self, name: str, values: list[Any]) -> list[Any]:
        if None in values:
            raise InputError(
                f"column {name!r} of {self._path.name} must be full, but row "
                f"{values.index(None)} is empty."
            )
        return values

    def _numbers(self, name: str, values: list[Any]) -> Any:
        try:
            return np.array(self._full(name, values), dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"column {name!r} of {self._path.name} must hold numbers.") from None


def _is_number(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_integer(kind) or pt.is_floating(kind))


def _is_list(kind: Any) -> bool:
    import pyarrow.types as pt

    is_list = pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)
    return bool(is_list and _is_number(kind.value_type))
