"""What a problem needs in memory, known from shapes and types alone: for `make` and `explain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from protospot.costs.features import EXTRA
from protospot.costs.metrics import DEFINITIONS
from protospot.costs.plan import (
    Plan,
    listing_price,
    make_plan,
    pair_size,
    smallest,
    worth_listing,
)

MATRICES = {"precomputed": "the cost matrix", "similarity": "the similarity matrix"}
MANY = 20_000  # sources from which on few of them ever come near the lead
_DOUBLE: np.dtype[Any] = np.dtype(np.float64)


def is_matrix(metric: Any) -> bool:
    """Whether the source of such a metric is the whole matrix."""
    return isinstance(metric, str) and metric in MATRICES


class Table(Protocol):
    """As much of `Points` as is needed here."""

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, features)."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type that the rows are worked on in."""
        ...

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are stored sparse."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether the table can be used as it stands."""
        ...

    @property
    def stored(self) -> int:
        """How many numbers a row stores on average."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes and types, before any memory is planned."""

    shape: tuple[int, int]  # (n_source, n_target)
    width: int  # numbers per point
    dtype: np.dtype[Any]  # that costs are screened in
    copies: dict[str, int]  # bytes of each copy that would help
    rounds: bool = False  # whether live pairs are listed with rounded costs
    streams: bool = False  # whether stored rows are read as they stand

    def plan(self, memory: Any) -> Plan:
        """Divide a memory budget."""
        return make_plan(self.shape, self.width, self.copies, memory)

    @property
    def listing_price(self) -> float:
        """What it costs to list a live pair, in pairs looked at."""
        return listing_price(self.width)

    @property
    def is_lazy(self) -> bool:
        """Whether gains are computed again source by source, not target by target."""
        return self.shape[0] >= MANY or self.streams

    def most_pairs(self, plan: Plan) -> float:
        """How many live pairs are likely to be collected at the first opportunity."""
        n_pairs = self.shape[0] * self.shape[1]
        worth = worth_listing(n_pairs, self.listing_price, 1.0)
        size = pair_size(self.shape, self.dtype, plan.threads, rounds=self.rounds)
        return min(plan.pair_limit(self.shape, size), worth)

    @property
    def smallest_memory(self) -> int:
        """The smallest budget that works."""
        return smallest(self.shape, self.width)


def of_matrix(matrix: Table, metric: str) -> Layout:
    """Return the layout of a matrix that is given."""
    is_cost = metric == "precomputed"
    dtype = matrix.dtype if is_cost else _DOUBLE
    return Layout(matrix.shape, 1, dtype, {}, streams=is_cost and matrix.is_ready)


def of_points(source: Table, target: Table, metric: str) -> Layout:
    """Return the layout of points of one type under a metric that is a Definition or a function."""
    tables = {"source": source, "target": target}
    shape = source.shape[0], target.shape[0]
    width = source.shape[1]
    if metric not in DEFINITIONS:
        return Layout(shape, width, _DOUBLE, {"matrix": _DOUBLE.itemsize * shape[0] * shape[1]})
    if source.is_sparse:
        stored = max(source.stored, target.stored)
        return Layout(shape, min(width, 2 * stored), _DOUBLE, {})
    definition = DEFINITIONS[metric]
    # A root magnifies what float32 loses near zero.
    dtype = source.dtype if definition.is_product and not definition.is_root else _DOUBLE
    copies = {
        f"{name} rows": table.dtype.itemsize * table.shape[0] * width
        for name, table in tables.items()
        if not table.is_ready
    }
    if definition.is_product:
        # Features of targets are made as they are needed unless many sources go over them: then
        # some sources will be looked at alone (`gains.contested`), again and again.
        kept = tables if shape[0] >= MANY else {"source": source}
        for name, table in kept.items():
            copies[name] = dtype.itemsize * table.shape[0] * (width + EXTRA)
    rounds = dtype == np.float32 and metric != "dot"
    return Layout(shape, width, dtype, copies, rounds)
