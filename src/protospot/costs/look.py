"""The first look at a matrix: whether it is finite, and what each source costs alone.

Which source is picked first is known only after that pass, but a sample can tell beforehand. What
every source would gain beside the guess is computed in the same pass, and saves the next one where
the guess was right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protospot.costs.known import even_edges, gain_edges
from protospot.costs.plan import Plan
from protospot.kernels.choose import kernels
from protospot.points import Points
from protospot.threads import Team, share_out, shares
from protospot.types import Floats, Ints, Numbers

_RUNS, _SHARE = 4, 64  # pieces that a sample of the targets consists of, and which share it is
_FINALISTS = 64  # sources whose whole rows are compared
_LARGE = 1 << 20  # costs below which a pass takes less time than a guess


@dataclass(frozen=True, slots=True)
class Look:
    """The sums of all rows, and all gains in parts beside a guess, where targets weigh the same."""

    sums: Floats
    guess: Numbers | None = None  # its costs
    parts: Floats | None = None

    def gains_beside(self, best: Numbers, weights: Floats) -> Floats | None:
        """Return all gains in parts; None if `best` is not what the guess leaves."""
        is_right = self.guess is not None and np.array_equal(self.guess, best)
        if self.parts is None or not is_right or (weights != weights[0]).any():
            return None
        parts: Floats = self.parts * weights[0]
        return parts


def first_look(points: Points, plan: Plan) -> Look:
    """Look at all rows of a matrix of costs; what is not finite shows in the sums."""
    n_source, n_target = points.shape
    edges, team = gain_edges(n_target), Team(plan.threads)
    shape = n_source, len(edges) - 1
    fits = 8 * n_source * len(edges) <= plan.pair_bytes // 4  # where pairs are listed later
    if not points.is_ready or not fits or points.raw.size < _LARGE:
        return Look(points.row_sums)
    sums, parts = np.empty(n_source), np.empty(shape)
    guess = np.array(points.raw[_likely_first(points.raw, team)])

    def look(rows: slice, _: int) -> None:
        kernels().sums_and_gains(points.raw[rows], guess, edges, sums[rows], parts[rows])

    share_out(points.strips(), team, look)
    return Look(sums, guess, parts)


def _likely_first(matrix: Numbers, team: Team) -> int:
    """Return the source with the smallest sum, among those that lead by some of the targets."""
    n_source, n_target = matrix.shape
    begins = even_edges(n_target, _RUNS)
    width = max(1, n_target // (_RUNS * _SHARE))
    totals = np.zeros(n_source)

    def add(rows: slice, _: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # the reader looks at the sums
            for begin in begins[:-1]:
                some = matrix[rows, begin : begin + width]
                totals[rows] += some.sum(axis=1, dtype=np.float64)

    share_out(shares(n_source, team.size), team, add)
    finalists: Ints = np.argsort(totals)[:_FINALISTS]
    with np.errstate(over="ignore", invalid="ignore"):
        sums = [float(matrix[source].sum(dtype=np.float64)) for source in finalists]
    return int(finalists[int(np.argmin(sums))])
