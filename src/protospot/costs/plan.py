"""What a memory budget buys: copies, tiles, threads, and room for live pairs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from protospot import threads
from protospot.costs.codes import code_type, number_type, part_edges
from protospot.errors import InputError, MemoryBudgetError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{unit}I": 1 << (10 * power) for power, unit in enumerate("KMGT", start=1)}
_VECTORS = 144  # bytes per source and per target point: best, owner, gains, a few rows
_BLOCKS = 8 << 20  # blocks of rows that are checked and prepared, and small change
_LIST = 24  # bytes per source and part of the targets: where its list is, and what it gains by it
_LISTING, _LOOKING = 150, 10  # multiplications in the time of listing a pair, and looking at it
_ALWAYS = 1 << 16  # live pairs that are listed without asking
_TILES = ((512, 1024), (256, 512), (64, 256), (16, 64))  # targets x sources, largest first


@dataclass(frozen=True, slots=True)
class Plan:
    """How the working memory is used."""

    budget: int
    threads: int
    tile: tuple[int, int]  # (targets, sources) of the piece that is worked on at a time
    copies: frozenset[str]  # which tables are kept as prepared copies
    pair_bytes: int  # left for live pairs
    rows_at_once: int  # exact rows that may exist together

    def pair_limit(self, shape: tuple[int, int], pair_size: int) -> int:
        """How many live pairs may be collected: what is left serves to pack them later."""
        lists = shape[0] * (len(part_edges(shape[1], self.threads)) - 1)
        left = self.pair_bytes - _LIST * lists
        return max(0, left * 7 // (8 * pair_size))


def make_plan(
    shape: tuple[int, int], width: int, copies: dict[str, int], memory: int | str | None
) -> Plan:
    """Divide a budget, given the number of features and the bytes each wished copy takes."""
    n_source, n_target = shape
    budget = free_memory() // 2 if memory is None else parse_bytes(memory)
    workers = threads.available()
    for count, tile in [(workers, tile) for tile in _TILES[:2]] + [(1, tile) for tile in _TILES]:
        needed = _fixed(shape, width, count, tile)
        if needed - _BLOCKS <= (budget - _BLOCKS) // 2:
            break
    if needed > budget:
        raise MemoryBudgetError(
            f"memory must be at least {needed} bytes for {n_source} x {n_target} points with "
            f"{width} features, got {memory!r}: pass memory={needed} or more."
        )
    left = budget - needed
    kept = set()
    for name, size in copies.items():
        if size <= left * 3 // 4:
            kept.add(name)
            left -= size
    rows_at_once = max(1, min(64, left // 8 // (8 * n_target)))
    return Plan(budget, count, tile, frozenset(kept), left * 3 // 4, rows_at_once)


def smallest(shape: tuple[int, int], width: int) -> int:
    """Return the smallest budget that works."""
    return _fixed(shape, width, 1, _TILES[-1])


def parse_bytes(memory: int | str) -> int:
    """Return a budget such as 2**30, "512MiB" or "2 GB" in bytes."""
    is_whole = isinstance(memory, int | np.integer) and not isinstance(memory, bool)
    if is_whole and int(memory) > 0:
        return int(memory)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(memory).upper())
    if not isinstance(memory, str) or not found or found[2] not in _UNITS:
        raise InputError(
            "memory must be a positive number of bytes or a text such as '512MiB' or '2GB', "
            f"got {memory!r}."
        )
    return int(float(found[1]) * _UNITS[found[2]])


def free_memory() -> int:
    """Return the bytes that are free now, a container's limit respected."""
    free = [_meminfo(), _container()]
    return min((value for value in free if value is not None), default=4 << 30)


def _fixed(shape: tuple[int, int], width: int, workers: int, tile: tuple[int, int]) -> int:
    n_source, n_target = shape
    vectors = _VECTORS * (n_source + n_target) + 8 * workers * n_source
    # Per worker: a tile and its live pairs, and both sides' rows as read and as prepared.
    scratch = workers * (20 * tile[0] * tile[1] + 16 * (tile[0] + tile[1]) * (width + 2))
    targets, sources = sample_shape(tile)
    sample = 8 * targets * sources + 16 * (targets + sources) * (width + 2)
    return vectors + scratch + sample + _BLOCKS


def sample_shape(tile: tuple[int, int]) -> tuple[int, int]:
    """Return how many targets and sources are sampled to guess the share of live pairs."""
    return min(128, tile[0]), 2 * tile[1]


def pair_size(shape: tuple[int, int], dtype: np.dtype[Any], workers: int, *, rounds: bool) -> int:
    """Return the bytes of a live pair while pairs are collected."""
    edges = part_edges(shape[1], workers)
    number = number_type(int(np.diff(edges).max())).itemsize
    listed = number + code_type(dtype, is_rounded=rounds).itemsize
    # Each worker has a part of the targets in its hands, as the tiles gave it.
    return listed + -(-(number + dtype.itemsize) * workers // (len(edges) - 1))


def listing_price(width: int) -> float:
    """Return what it costs to list a live pair, in pairs of so many features looked at."""
    return _LISTING / (_LOOKING + width)


def exact_price(width: int) -> float:
    """Return what the exact cost of a listed pair costs, in pairs of so many features looked at."""
    return (2 * _LOOKING + width) / _LOOKING


def worth_listing(n_pairs: int, price: float, spent: float) -> float:
    """Return how many live pairs are worth a list, when not to have it has cost so many passes.

    Lists are bought when they cost no more than has been spent: at most twice the best is paid.
    """
    return max(_ALWAYS, n_pairs * max(1.0, spent) / price)


def _meminfo() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def _container() -> int | None:
    folder = Path("/sys/fs/cgroup")
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            return max(0, int((folder / limit).read_text()) - int((folder / used).read_text()))
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue
    return None
