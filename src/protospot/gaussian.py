"""The Gaussian kernel between points, and how wide it should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from protospot import checks
from protospot.errors import InputError, MemoryBudgetError
from protospot.kernels.choose import kernels
from protospot.kernels.forms import SQUARED
from protospot.points import Points
from protospot.threads import Team, available, share_out
from protospot.types import Floats, Numbers

_SAMPLE = 1000  # points that the median heuristic looks at
_LARGEST_TILE = 512  # a tile that stays in cache


@dataclass(frozen=True)
class GaussianKernel:
    """k(x, y) = exp(-|x - y|^2 / (2 sigma^2)), evaluated block by block.

    `middle` is any point amid the data: distances are taken from there, where they lose least.
    """

    sigma: float
    middle: Floats
    budget: int  # bytes for blocks of points and of kernel values

    def densities(self, places: Points, points: Points, masses: Floats) -> Floats:
        """Return sum_l masses_l k(place, point_l) for each place."""
        total = np.zeros(len(places))
        smallest = 8 * (4 * points.shape[1] + 1)
        team = Team(max(1, min(available(), self.budget // smallest)))
        across = list(self._tiles(points, team.size))

        def add(rows: slice, _: int) -> None:
            here = self._scaled(places.block(rows))
            for others in across:
                tile = _exp_of_minus_squares(here, self._scaled(points.block(others)))
                total[rows] += tile @ masses[others]

        share_out(list(self._tiles(places, team.size)), team, add)
        return total

    def row(self, points: Points, index: int) -> Floats:
        """Return k from one of the points to all, by direct differences: exactly 1 to a copy."""
        place, one = points.block(np.array([index])), np.ones(1)
        squares = np.empty((1, len(points)))
        for rows in points.strips():
            block, out = points.block(rows), squares[:, rows]
            kernels().direct(SQUARED, place, block, one, np.ones(len(block)), out)
        alike: Floats = np.exp(squares[0] * (-0.5 / self.sigma**2))
        return alike

    def _scaled(self, block: Numbers) -> Floats:
        scaled: Floats = (block - self.middle) / (self.sigma * np.sqrt(2.0))
        return scaled

    def _tiles(self, points: Points, workers: int) -> Iterator[slice]:
        # A tile of s places and s points takes 8 (4 s d + s^2) bytes: solve for s.
        width = points.shape[1]
        side = int(np.sqrt(4 * width**2 + self.budget / (8 * workers)) - 2 * width)
        if side < 1:
            raise MemoryBudgetError(
                f"memory must be at least {8 * (4 * width + 1)} bytes for the kernel of points "
                f"with {width} features, got {self.budget}."
            )
        side = min(side, _LARGEST_TILE)
        for start in range(0, len(points), side):
            yield slice(start, min(start + side, len(points)))


def kernel_width(sigma: Any, points: Points) -> float:
    """Return the width that is asked for; the median distance between the points where none is."""
    width = median_distance(points) if sigma is None else checks.read_amount(sigma, "sigma")
    if width == 0:
        raise InputError("sigma must be above 0, got sigma=0: leave it out to have one chosen.")
    return width


def median_distance(points: Points) -> float:
    """Return the median positive distance between points: a usual width for a kernel.

    Of more than 1,000 points a sample is used, the same one every time.
    """
    from scipy.spatial.distance import pdist

    rows = np.arange(len(points))
    if len(rows) > _SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SAMPLE, replace=False))
    distances = pdist(points.block(rows).astype(np.float64))
    distances = distances[distances > 0]
    if not distances.size:
        raise InputError(
            "sigma cannot be chosen from the distances between target points, as all that were "
            "looked at are equal: pass sigma=, the width of the kernel."
        )
    return float(np.median(distances))


def _exp_of_minus_squares(here: Floats, there: Floats) -> Floats:
    tile: Floats = here @ there.T
    tile *= 2
    tile -= np.einsum("ij,ij->i", here, here)[:, None]
    tile -= np.einsum("ij,ij->i", there, there)
    return np.exp(np.minimum(tile, 0.0, out=tile), out=tile)
