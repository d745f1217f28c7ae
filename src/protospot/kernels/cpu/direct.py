"""Costs by their definition, in float64: what every pick and every result is checked against."""

from __future__ import annotations

import numpy as np

from protospot.kernels.forms import ABSOLUTE, SQUARED
from protospot.kernels.jit import REORDER, kernel
from protospot.types import Floats, Ints, Numbers


@kernel(REORDER)
def _squared(x: Numbers, y: Numbers, p: float, q: float) -> float:
    total = 0.0
    for k in range(len(x)):
        step = np.float64(x[k]) * p - np.float64(y[k]) * q
        total += step * step
    return total


@kernel(REORDER)
def _absolute(x: Numbers, y: Numbers) -> float:
    total = 0.0
    for k in range(len(x)):
        total += abs(np.float64(x[k]) - np.float64(y[k]))
    return total


@kernel(REORDER)
def _product(x: Numbers, y: Numbers) -> float:
    total = 0.0
    for k in range(len(x)):
        total += np.float64(x[k]) * np.float64(y[k])
    return total


@kernel()
def direct(form: int, source: Numbers, target: Numbers, p: Floats, q: Floats, out: Floats) -> None:
    """Same as generic.direct."""
    for i in range(len(source)):
        for j in range(len(target)):
            if form == SQUARED:
                out[i, j] = _squared(source[i], target[j], p[i], q[j])
            elif form == ABSOLUTE:
                out[i, j] = _absolute(source[i], target[j])
            else:
                out[i, j] = _product(source[i], target[j])


@kernel()
def direct_pairs(
    form: int,
    points: Numbers,
    target: Numbers,
    p: Floats,
    q: Floats,
    counts: Numbers,
    source: Numbers,
    out: Floats,
) -> None:
    """Same as generic.direct_pairs."""
    e = np.uintp(0)
    for j in range(len(target)):
        for _ in range(counts[j]):
            i = np.uintp(source[e])
            if form == SQUARED:
                out[e] = _squared(points[i], target[j], p[i], q[j])
            elif form == ABSOLUTE:
                out[e] = _absolute(points[i], target[j])
            else:
                out[e] = _product(points[i], target[j])
            e += np.uintp(1)


@kernel()
def direct_sparse(
    form: int,
    width: int,
    x_begins: Ints,
    x_columns: Numbers,
    x_values: Floats,
    y_begins: Ints,
    y_columns: Numbers,
    y_values: Floats,
    p: Floats,
    q: Floats,
    out: Floats,
) -> None:
    """Same as generic.direct_sparse, by merging two sorted rows."""
    for i in range(len(x_begins) - 1):
        for j in range(len(y_begins) - 1):
            a, a_end = x_begins[i], x_begins[i + 1]
            b, b_end = y_begins[j], y_begins[j + 1]
            total = 0.0
            while a < a_end or b < b_end:
                column = min(
                    x_columns[a] if a < a_end else width, y_columns[b] if b < b_end else width
                )
                x = 0.0
                y = 0.0
                if a < a_end and x_columns[a] == column:
                    x = x_values[a]
                    a += 1
                if b < b_end and y_columns[b] == column:
                    y = y_values[b]
                    b += 1
                if form == SQUARED:
                    total += (x * p[i] - y * q[j]) ** 2
                elif form == ABSOLUTE:
                    total += abs(x - y)
                else:
                    total += x * y
            out[i, j] = total
