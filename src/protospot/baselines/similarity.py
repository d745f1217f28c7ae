"""How alike the sources are, to one another and to the target, by a Gaussian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from protospot import checks
from protospot.errors import InputError
from protospot.gaussian import GaussianKernel, kernel_width
from protospot.points import Points
from protospot.solvers import Run
from protospot.types import Floats, Ints

_TIE = 1e-12  # scores closer than this are equal: of equals the lowest source is taken


class Similarity:
    """A kernel between source points, and each source's mean kernel with the target."""

    def __init__(self, run: Run, sigma: Any) -> None:
        self._source, target = _points(run)
        self.sigma = kernel_width(sigma, target)
        self._kernel = GaussianKernel(self.sigma, target.mean(), run.cost.plan.budget)
        self.to_target = self._kernel.densities(self._source, target, run.cover.weights)

    def row(self, source: int) -> Floats:
        """Return how alike a source is to all sources; 1 to itself."""
        return self._kernel.row(self._source, source)

    def mixed(self, sources: Ints, weights: Floats) -> Floats:
        """Return how alike each source is to a weighted set of sources."""
        some = Points(self._source.block(sources))
        return self._kernel.densities(self._source, some, weights)


def first_of_largest(scores: Floats) -> int:
    """Return the lowest of the sources whose score is the largest, but for rounding."""
    return int(np.flatnonzero(scores >= scores.max() - _TIE)[0])


def _points(run: Run) -> tuple[Points, Points]:
    if run.data is None:
        raise InputError(
            "methods 'mmd-critic' and 'protodash' need points, which a matrix does not have: pass "
            "source and target, with a metric such as 'sqeuclidean'."
        )
    source, target = run.data
    read = checks.read_points(source, "source")
    return read, read if target is None else checks.read_points(target, "target")
