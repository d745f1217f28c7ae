"""Costs by their definition, in float64: what every pick and every result is checked against.

`form` is one of `protospot.kernels.forms`.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from protospot.kernels.forms import ABSOLUTE, SQUARED

Array = Any  # of any library that follows the array API standard


def direct(form: int, source: Array, target: Array, p: Array, q: Array, out: Array) -> None:
    """Write the value of every (source, target) pair of two small blocks."""
    for i in range(source.shape[0]):  # a row at a time: no three-dimensional array
        out[i, :] = _form(form, source[i, :][None, :], target, p[i], q)


def direct_pairs(
    form: int,
    points: Array,
    target: Array,
    p: Array,
    q: Array,
    counts: Array,
    source: Array,
    out: Array,
) -> None:
    """Write the value of listed pairs: the first counts_0 are target 0's, and so on."""
    xp = array_namespace(points, target)
    owner = xp.repeat(xp.arange(target.shape[0]), xp.astype(counts, xp.int64))
    x, y = xp.take(points, source, axis=0), xp.take(target, owner, axis=0)
    out[...] = _form(form, x, y, xp.take(p, source)[:, None], xp.take(q, owner))


def direct_sparse(
    form: int,
    width: int,
    x_begins: Array,
    x_columns: Array,
    x_values: Array,
    y_begins: Array,
    y_columns: Array,
    y_values: Array,
    p: Array,
    q: Array,
    out: Array,
) -> None:
    """Same as `direct` for rows stored sparse, as begins, columns and values."""
    x = _dense(width, x_begins, x_columns, x_values)
    direct(form, x, _dense(width, y_begins, y_columns, y_values), p, q, out)


def _form(form: int, x: Array, y: Array, p: Array, q: Array) -> Array:
    xp = array_namespace(x, y)
    x, y = xp.astype(x, xp.float64), xp.astype(y, xp.float64)
    if form == SQUARED:
        return xp.sum((x * p - y * q[:, None]) ** 2, axis=1)
    return xp.sum(xp.abs(x - y) if form == ABSOLUTE else x * y, axis=1)


def _dense(width: int, begins: Array, columns: Array, values: Array) -> Array:
    xp = array_namespace(begins, values)
    n = begins.shape[0] - 1
    row = xp.repeat(xp.arange(n), begins[1:] - begins[:-1])
    place = row * width + xp.astype(columns, row.dtype)
    cells = xp.arange(n * width)
    if place.shape[0] == 0:
        return xp.zeros((n, width), dtype=values.dtype)
    at = xp.clip(xp.searchsorted(place, cells), max=place.shape[0] - 1)
    value = xp.where(
        xp.take(place, at) == cells, xp.take(values, at), xp.zeros_like(cells, dtype=values.dtype)
    )
    return xp.reshape(value, (n, width))
