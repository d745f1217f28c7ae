"""What the rest of the library knows of costs."""

from __future__ import annotations

from typing import Protocol

from protospot.costs.known import Known
from protospot.costs.pairs import LivePairs, PairCosts
from protospot.costs.plan import Plan
from protospot.types import Floats, Ints, Numbers


class Cost(Protocol):
    """A source-by-target cost that need not exist in memory.

    `rows` is exact: float64, by the definition of the metric. All else may screen in lower
    precision; `margins` says how far a screened cost can be from the exact one.
    """

    plan: Plan
    splits_sources: bool  # whether rows are stored, so that one can be looked at by itself

    @property
    def shape(self) -> tuple[int, int]:
        """(n_source, n_target)."""
        ...

    @property
    def margins(self) -> tuple[Floats, Floats]:
        """Per source and per target: |screened cost - exact cost| <= the sum of both."""
        ...

    @property
    def rounding(self) -> float:
        """Relative rounding of a screened sum over all targets."""
        ...

    @property
    def underflow(self) -> float:
        """What the smallest numbers of the screening precision lose."""
        ...

    @property
    def pair_size(self) -> int:
        """Bytes per live pair while they are collected."""
        ...

    @property
    def listing_price(self) -> float:
        """What it costs to list a live pair, in pairs looked at."""
        ...

    @property
    def exact_price(self) -> float:
        """What the exact cost of a listed pair costs, in pairs looked at."""
        ...

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Exact costs from these sources to every target, or to the given targets."""
        ...

    def weighted_sums(self, weights: Floats) -> tuple[Floats, Floats | float]:
        """Cost of serving the whole target from each source alone, and how far off it may be."""
        ...

    def gains(self, best: Floats, weights: Floats, sources: Ints | None = None) -> Floats:
        """How much each source, or each of the given, would lower the weighted sum of `best`."""
        ...

    def gain_parts(self, best: Floats, weights: Floats, edges: Ints) -> Floats:
        """All gains in parts: that of the targets between one edge and the next."""
        ...

    def contest(
        self,
        sources: Ints,
        best: Floats,
        weights: Floats,
        edges: Ints,
        bar: float,
        known: Known,
    ) -> int:
        """Bring gains up to date until they fall below the bar; return the pairs looked at."""
        ...

    def lower(
        self, gains: Floats, targets: Ints, before: Floats, after: Floats, weights: Floats
    ) -> None:
        """Bring gains up to date after the best of these targets fell from before to after."""
        ...

    def live_share(self, best: Floats) -> float:
        """Roughly which share of the pairs costs less than its target's best."""
        ...

    def live(
        self, best: Floats, weights: Floats, limit: int, sources: Ints | None = None
    ) -> tuple[LivePairs, Floats] | None:
        """All pairs that cost less than their target's best, and gain parts; None over limit.

        Of all sources, or of the given: then lists count sources by their place among these.
        """
        ...

    @property
    def listed_costs(self) -> PairCosts | None:
        """What gives exact costs of pairs listed by source; None where that cannot be had."""
        ...

    def may_serve(self, sources: Ints) -> list[Ints]:
        """Source by source, the targets that may cost it less than all those before it."""
        ...

    def nearest(self) -> tuple[Floats, Ints]:
        """Each target's exact cheapest cost and the lowest source that has it."""
        ...

    def exact(self) -> Cost:
        """The same cost without screening: slower, and with zero margins."""
        ...
