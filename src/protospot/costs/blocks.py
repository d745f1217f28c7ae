"""Costs by a function of two blocks of points: SciPy's metrics, scikit-learn's, or a user's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from protospot.costs.metrics import DEFINITIONS
from protospot.costs.plan import Plan
from protospot.costs.tiled import TiledCost
from protospot.errors import InputError
from protospot.points import Points
from protospot.types import Floats, Ints, Numbers

BlockFunction = Callable[[Numbers, Numbers], Any]  # (m, d) and (n, d) points to (m, n) costs


class BlockCost(TiledCost):
    """Costs that a function computes block by block, in float64."""

    def __init__(
        self, source: Points, target: Points, name: str, function: BlockFunction, plan: Plan
    ) -> None:
        super().__init__((len(source), len(target)), source.shape[1], plan, np.float64)
        self._source, self._target = source, target
        self._name, self._function = name, function

    def rows(self, sources: Ints, targets: Numbers | None = None) -> Floats:
        """Return the costs from these sources to every target, or to the given targets."""
        n = self.shape[1] if targets is None else len(targets)
        out = np.empty((len(sources), n))
        block = self._source.block(sources)
        for begin in range(0, n, self.plan.tile[0]):
            part = slice(begin, min(begin + self.plan.tile[0], n))
            side = self._target_side(part if targets is None else targets[part])
            out[:, part] = self._costs(block, side)
        return out

    def _source_side(self, rows: slice | Ints) -> Numbers:
        return self._source.block(rows)

    def _target_side(self, rows: slice | Ints) -> Numbers:
        return self._target.block(rows)

    def _tile(self, source_side: Numbers, target_side: Numbers, out: Numbers) -> None:
        out[...] = self._costs(source_side, target_side)

    def _costs(self, source: Numbers, target: Numbers) -> Floats:
        try:
            costs = np.asarray(self._function(source, target), dtype=np.float64)
        except (TypeError, ValueError) as reason:
            said = str(reason).rstrip(".")
            raise InputError(
                f"metric {self._name!r} must return one cost per pair, but: {said}."
            ) from reason
        expected = len(source), len(target)
        if costs.shape != expected:
            raise InputError(
                f"metric {self._name!r} must return one cost per pair: for {expected[0]} and "
                f"{expected[1]} points it returned an array of shape {costs.shape}."
            )
        if not np.isfinite(costs).all():
            row, column = np.argwhere(~np.isfinite(costs))[0]
            raise InputError(
                f"metric {self._name!r} must give finite costs, but for the rows "
                f"{source[row]!r} and {target[column]!r} it gave {costs[row, column]}."
            )
        return costs


def named_function(name: str, source: Points, target: Points) -> BlockFunction | None:
    """Return the SciPy or scikit-learn metric of this name, or None."""
    if name in _scipy_names():
        return _scipy_function(name, source, target)
    if name in _sklearn_names():
        from sklearn.metrics import pairwise_distances

        return partial(pairwise_distances, metric=name)
    return None


def _scipy_function(name: str, source: Points, target: Points) -> BlockFunction:
    from scipy.spatial.distance import cdist

    if name == "seuclidean":
        return partial(cdist, metric=name, V=np.diag(_covariance(source, target)))
    if name == "mahalanobis":
        return partial(cdist, metric=name, VI=_inverse(_covariance(source, target)))
    return partial(cdist, metric=name)


def known_names() -> set[str]:
    """Return the names that `named_function` knows, as far as their libraries are installed."""
    return _scipy_names() | _sklearn_names()


def called_function(function: Callable[..., Any], width: int) -> BlockFunction:
    """Return a user's function as one of blocks: it may take two blocks or two single rows."""
    many = 4 if width == 3 else 3  # another number than of features: x @ y must not fit by chance
    probe = np.linspace(0.5, 1.5, (2 + many) * width).reshape(2 + many, width)
    try:
        if np.shape(function(probe[:2], probe[2:])) == (2, many):
            return function
    except Exception:  # a function of two rows may fail on blocks in any way
        pass
    return lambda source, target: [[function(x, y) for y in target] for x in source]


def missing_libraries() -> str:
    """Return a sentence on metrics that are not known because a library is missing."""
    missing = [name for name in ("scipy", "sklearn") if not _is_there(name)]
    return f" Further metrics need {' and '.join(missing)}, to be installed." if missing else ""


def _is_there(library: str) -> bool:
    try:
        importlib.import_module(library)
    except ImportError:
        return False
    return True


def _scipy_names() -> set[str]:
    if not _is_there("scipy"):
        return set()
    from scipy.spatial import distance

    return set(distance._METRICS_NAMES) - set(DEFINITIONS)


def _sklearn_names() -> set[str]:
    if not _is_there("sklearn"):
        return set()
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS

    return set(PAIRWISE_DISTANCE_FUNCTIONS) - {"precomputed", "nan_euclidean"}


def _covariance(source: Points, target: Points) -> Floats:
    """Return the covariance of both tables taken as one, as SciPy does for a single block."""
    n = len(source) + len(target)
    mean = (source.mean() * len(source) + target.mean() * len(target)) / n
    total = np.zeros((len(mean), len(mean)))
    for points in (source, target):
        for rows in points.blocks():
            moved = points.block(rows) - mean
            total += moved.T @ moved
    return total / max(n - 1, 1)


def _inverse(covariance: Floats) -> Floats:
    rank = np.linalg.matrix_rank(covariance, hermitian=True)
    if rank < len(covariance):
        raise InputError(
            f"metric 'mahalanobis' needs features whose covariance can be inverted, but only "
            f"{rank} of {len(covariance)} directions vary: drop constant or repeated features."
        )
    return np.asarray(np.linalg.inv(covariance), np.float64)
