"""At the door: what a user passes in becomes clean arrays, or a sentence on what is wrong."""

from __future__ import annotations

import difflib
import operator
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from protospot.errors import InputError
from protospot.points import Points
from protospot.types import Floats, Ints


def read_points(data: Any, name: str) -> Points:
    """Return any accepted table of numbers as Points.

    Accepted are NumPy arrays and memory maps, anything with ``__array__`` (torch CPU tensors
    among them), lists of rows, pandas, polars and Arrow frames, and SciPy sparse matrices.
    """
    if isinstance(data, Points):
        return data
    points = _read(data, name)
    if points.raw.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            refuse_infinite(points, name, points.column_sums)  # the mean needs them later
    return points


def _read(data: Any, name: str) -> Points:
    if data is None:
        raise InputError(f"{name} must be a 2-d table of numbers, got None.")
    raw = _as_sparse(data, name) if _is_sparse(data) else _as_array(data, name)
    _check_shape(raw, name)
    return Points(raw)


def read_matrix(data: Any, name: str) -> Points:
    """Return a dense (n_source, n_target) matrix of costs or similarities as Points.

    Whether its entries are finite is left to whoever looks at them first: see `refuse_infinite`.
    """
    if _is_sparse(data):
        raise InputError(
            f"{name} must be a dense (n_source, n_target) matrix, got a sparse one: an entry that "
            "is left out has no cost. Pass matrix.toarray(), or the points and a metric."
        )
    return _read(data, name)


def read_weights(weights: Any, n_target: int) -> Floats:
    """Return the target weights, scaled to sum to 1; equal weights where None is given."""
    if weights is None:
        return np.full(n_target, 1.0 / n_target)
    array = _as_numbers(weights, "target_weights").astype(np.float64)
    if array.shape != (n_target,):
        raise InputError(
            "target_weights must have one entry per target point: expected shape "
            f"({n_target},), got {array.shape}."
        )
    _refuse(~np.isfinite(array), array, "target_weights must be finite")
    _refuse(array < 0, array, "target_weights must be non-negative")
    top = array.max()
    if top == 0:
        raise InputError("target_weights must have a positive sum, but all of them are 0.")
    array /= top  # so that neither huge nor tiny weights overflow in the sum
    shares: Floats = array / array.sum()
    return shares


def read_count(value: Any, name: str, most: int | None = None, what: str = "") -> int:
    """Return a whole number of at least 1, and at most `most`."""
    try:
        count = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, got {name}={value!r}.") from None
    if isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be a whole number, got {name}={value!r}.")
    if most is not None and not 1 <= count <= most:
        raise InputError(f"{name} must be between 1 and the {most} {what}, got {name}={count}.")
    if count < 1:
        raise InputError(f"{name} must be at least 1, got {name}={count}.")
    return count


def read_rows(rows: Any, n_source: int, name: str) -> Ints:
    """Return distinct row numbers of the source, in the order given."""
    array = _as_numbers(rows, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(
            f"{name} must be a 1-d list of whole row numbers of the source, got shape "
            f"{array.shape} and dtype {array.dtype}."
        )
    out = (array < 0) | (array >= n_source)
    _refuse(out, array, f"{name} must be row numbers of the source, 0 to {n_source - 1}")
    read: Ints = array.astype(np.int64)
    values, counts = np.unique(read, return_counts=True)
    if (counts > 1).any():
        repeated = int(values[counts > 1][0])
        raise InputError(f"{name} must not repeat a row, but row {repeated} is there twice.")
    return read


def read_amount(value: Any, name: str) -> float:
    """Return a finite, non-negative number."""
    try:
        amount = float(value)
    except (TypeError, ValueError):
        amount = None
    if amount is None or isinstance(value, str | bool | np.bool_):
        raise InputError(f"{name} must be a number, got {name}={value!r}.")
    if not (0 <= amount < float("inf")):
        raise InputError(f"{name} must be a finite number of at least 0, got {name}={value!r}.")
    return amount


def same_width(source: Any, target: Any, names: tuple[str, str] = ("source", "target")) -> None:
    """Refuse two tables whose rows have different lengths."""
    if source.shape[1] != target.shape[1]:
        raise InputError(
            f"{names[0]} and {names[1]} must have the same number of features, got "
            f"{source.shape[1]} and {target.shape[1]}."
        )


def one_of(value: Any, allowed: Iterable[str], name: str, note: str = "") -> str:
    """Return the value if it is one of the allowed names; else name them and the nearest."""
    names = sorted(allowed)
    if isinstance(value, str) and value in names:
        return value
    raise InputError(
        f"{name} must be one of {', '.join(names)}; got {value!r}.{note}"
        f"{nearest_name(value, names)}"
    )


def nearest_name(value: Any, names: Iterable[str]) -> str:
    """Return a question after the name that may have been meant; empty when none is near."""
    near = difflib.get_close_matches(value, names, n=1) if isinstance(value, str) else []
    return f" Did you mean {near[0]!r}?" if near else ""


def read_share(value: Any, name: str, most: int) -> int:
    """Return a whole number from 0 to `most`."""
    count = 0 if isinstance(value, int) and value == 0 else read_count(value, name)
    if count > most:
        raise InputError(f"{name} must be between 0 and {most}, got {name}={value}.")
    return count


def read_seed(seed: Any) -> int | None:
    """Return a non-negative whole number, or None for no seed."""
    if seed is None:
        return None
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise InputError(f"seed must be a whole number of at least 0, or None, got {seed!r}.")
    return number


def _is_sparse(data: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


def _as_sparse(data: Any, name: str) -> Any:
    from scipy.sparse import csr_array

    if data.ndim != 2:
        raise InputError(f"{name} must be a 2-d table of numbers, got a {data.ndim}-d sparse one.")
    _check_kind(data.dtype, name)
    if data.dtype == np.float16 or not data.dtype.isnative:  # SciPy computes with neither
        data = data.astype(np.float32 if data.dtype.itemsize == 2 else np.float64)
    rows = csr_array(data)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _as_array(data: Any, name: str) -> Any:
    if not isinstance(data, np.ndarray | list | tuple):
        data = _from_frame(data, name)
    return _as_numbers(data, name)


def _as_numbers(data: Any, name: str) -> Any:
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise InputError(f"{name} must have no masked entries: fill or drop them first.")
    if isinstance(data, list | tuple):
        data = [_from_tensor(entry, name) for entry in data]
    try:
        array = np.asarray(_from_tensor(data, name))
    except (TypeError, ValueError) as reason:
        said = str(reason).rstrip(".")
        raise InputError(f"{name} must be a table of numbers, but {said}.") from None
    _check_kind(array.dtype, name)
    return array


def _from_tensor(data: Any, name: str) -> Any:
    if type(data).__module__.partition(".")[0] != "torch":
        return data
    if data.device.type != "cpu":
        raise InputError(
            f"{name} must lie in main memory, got a tensor on {str(data.device)!r}: "
            "pass tensor.cpu()."
        )
    data = data.detach()
    # NumPy has no bfloat16; float32 holds all its values.
    return (data.float() if "bfloat16" in str(data.dtype) else data).numpy()


def _from_frame(data: Any, name: str) -> Any:
    import narwhals.stable.v2 as nw

    if not nw.dependencies.is_into_dataframe(data):
        return data
    try:
        frame = nw.from_native(data, eager_only=True)
        frame.schema  # noqa: B018 - the names are looked at here
    except nw.exceptions.DuplicateError:
        names = list(map(str, data.columns))
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"{name} must have columns of different names, but {twice!r} is there more than once: "
            "rename one, or pass frame.to_numpy()."
        ) from None
    other = [c for c, kind in frame.schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    if other:
        raise InputError(
            f"{name} must have numeric columns only, but {other[0]!r} is {frame.schema[other[0]]} "
            f"({len(other)} such column(s)): select the numeric ones first."
        )
    array = frame.to_numpy()
    # Columns of unlike types come out as Python objects; all their values are numbers.
    if array.dtype != object:
        return array
    return np.column_stack([column.cast(nw.Float64).to_numpy() for column in frame.iter_columns()])


def _check_kind(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind in "biuf":
        return
    said = {"c": "complex numbers", "O": "Python objects", "U": "text", "S": "text", "T": "text"}
    raise InputError(
        f"{name} must hold real numbers, got {said.get(dtype.kind, str(dtype))} (dtype {dtype}): "
        "convert to float32 or float64 first."
    )


def _check_shape(raw: Any, name: str) -> None:
    if raw.ndim != 2:
        hint = " For one feature pass array.reshape(-1, 1)." if raw.ndim == 1 else ""
        raise InputError(
            f"{name} must be 2-d, one row per point, got {raw.ndim}-d with shape {raw.shape}.{hint}"
        )
    if 0 in raw.shape:
        raise InputError(
            f"{name} must have at least one row and one column, got shape {raw.shape}."
        )


def refuse_infinite(points: Points, name: str, sums: Floats) -> None:
    """Refuse numbers that are not finite, given the sums of all rows, or of all columns."""
    # Sums are finite unless an entry is not, or they overflowed: look closer only then.
    if np.isfinite(sums).all():
        return
    for rows in points.blocks():
        part = points.raw[rows]
        if np.isfinite(part.data if points.is_sparse else part).all():
            continue
        dense = part.toarray() if points.is_sparse else part
        row, column = np.argwhere(~np.isfinite(dense))[0]
        raise InputError(
            f"{name} must be finite, but {name}[{rows.start + row}, {column}] is "
            f"{dense[row, column]}: drop or fill such rows first."
        )


def _refuse(bad: Any, array: Any, sentence: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise InputError(f"{sentence}, but entry {first} is {array[first]}.")
