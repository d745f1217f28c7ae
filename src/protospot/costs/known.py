"""Gains as far as they are known: in parts, of which old ones are upper bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protospot.types import Bools, Floats, Ints


@dataclass(slots=True)
class Known:
    """The gains of all sources, each the sum of its parts; part b is that of some of the targets.

    A value may be off by its doubt and by the slack, which all have in common.
    """

    parts: Floats  # (n_source, number of parts)
    doubts: Floats
    slack: float
    values: Floats
    is_stale: Bools  # whether a part of it is old
    turn: int = 0  # the part with which to begin when gains are next computed again

    @classmethod
    def fresh(cls, parts: Floats, doubts: Floats, slack: float) -> Known:
        """Return gains whose parts are all up to date."""
        return cls(parts, doubts, slack, parts.sum(axis=1), np.zeros(len(parts), bool))

    @property
    def state(self) -> tuple[Floats, Floats, Floats, Bools]:
        """What kernels bring up to date."""
        return self.parts, self.values, self.doubts, self.is_stale

    def next_turn(self) -> int:
        """Return the part to begin with, another one each time: it may be what a bound lacks."""
        self.turn = (self.turn + 1) % self.parts.shape[1]
        return self.turn

    def merged(self, groups: Ints) -> None:
        """Make one part of those from each group's begin to the next."""
        self.parts = np.add.reduceat(self.parts, groups[:-1], axis=1)


_PART = 512  # targets at least that a part of a gain comes from
_PARTS = 16  # at most


def gain_edges(n_target: int) -> Ints:
    """Return where the parts of the targets begin that gains from a matrix are kept by."""
    return even_edges(n_target, min(_PARTS, max(1, n_target // _PART)))


def even_edges(n: int, parts: int) -> Ints:
    """Return where so many equal parts of n things begin, and n."""
    edges: Ints = np.arange(parts + 1, dtype=np.int64) * n // parts
    return edges
