"""One pass over rows of a table: its sums, and the rows as factors of a matrix product."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any  # of any library that follows the array API standard


def row_sums(block: Array, out: Array) -> None:
    """Write the sum of each row."""
    xp = array_namespace(block, out)
    out[...] = xp.sum(block, axis=1, dtype=out.dtype)


def sums_and_gains(block: Array, guess: Array, edges: Array, sums: Array, parts: Array) -> None:
    """Write the sum of each row, and by how much its numbers are below those of a guess.

    Numbers that are above are not counted; `parts` has the sum between one edge and the next.
    """
    xp = array_namespace(block, guess)
    row_sums(block, sums)
    falls = xp.clip(guess - block, min=0)
    for b in range(edges.shape[0] - 1):
        mine = falls[:, int(edges[b]) : int(edges[b + 1])]
        parts[:, b] = xp.sum(mine, axis=1, dtype=parts.dtype)


def column_sums(block: Array, out: Array) -> None:
    """Add the sum of each column."""
    xp = array_namespace(block, out)
    out += xp.sum(block, axis=0, dtype=out.dtype)


def squared_lengths(block: Array, shift: Array, scales: Array, out: Array, reach: Array) -> None:
    """Write the squared length of each row, moved by minus the shift and then scaled.

    Also raises `reach` to the largest size of a number in each column.
    """
    xp = array_namespace(block, out)
    moved = (xp.astype(block, out.dtype) - shift) * scales[:, None]
    out[...] = xp.sum(moved * moved, axis=1)
    reach[...] = xp.maximum(reach, xp.max(xp.abs(moved), axis=0))


def factors(
    block: Array, columns: Array, shift: Array, scales: Array, factor: float, out: Array
) -> None:
    """Write these columns, moved, scaled and multiplied by a factor, to the first ones of `out`.

    The columns are in order and none is there twice.
    """
    xp = array_namespace(block, out)
    part = xp.astype(xp.take(block, columns, axis=1), shift.dtype)
    moved = (part - xp.take(shift, columns)) * (scales * factor)[:, None]
    out[:, : columns.shape[0]] = xp.astype(moved, out.dtype)


def pull(block: Array, shift: Array, masses: Array, out: Array) -> None:
    """Add the sum of the moved rows, each times its mass."""
    xp = array_namespace(block, out)
    out += xp.matmul(masses, xp.astype(block, out.dtype) - shift)


def pulled(block: Array, shift: Array, scales: Array, by: Array, out: Array) -> None:
    """Write the inner product of each row, moved and scaled, with a vector."""
    xp = array_namespace(block, out)
    out[...] = xp.matmul((xp.astype(block, out.dtype) - shift) * scales[:, None], by)


def count_numbers(block: Array, out: Array) -> None:
    """Write how many numbers of each row are not zero."""
    xp = array_namespace(block, out)
    out[...] = xp.sum(xp.astype(block != 0, out.dtype), axis=1, dtype=out.dtype)


def take_numbers(block: Array, scales: Array, columns: Array, values: Array) -> None:
    """Write the columns of all numbers that are not zero, row by row, and the scaled numbers."""
    xp = array_namespace(block, scales)
    flat = xp.nonzero(xp.reshape(block != 0, (-1,)))[0]
    scaled = xp.astype(block, scales.dtype) * scales[:, None]
    columns[...] = xp.astype(flat % block.shape[1], columns.dtype)
    values[...] = xp.astype(xp.take(xp.reshape(scaled, (-1,)), flat), values.dtype)
