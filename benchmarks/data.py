"""What is measured on: mixtures, points on a sphere, handwritten digits, MNIST.

Drawn data depend on their arguments alone. A source and a target are two draws of one
distribution: the same centres, other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]

SOURCE, TARGET = 0, 1  # draws
_ROWS = 1  # streams of random numbers from here on are for rows; the one below, for centres


class Missing(Exception):
    """Data that are not on this machine; the message says where they are looked for."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """What every competitor of a case is given: points, or the matrix of their costs.

    With points, no target means that the source is the target.
    """

    source: Numbers | None = None
    target: Numbers | None = None
    matrix: Numbers | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(n_source, n_target)."""
        if self.matrix is not None:
            return self.matrix.shape[0], self.matrix.shape[1]
        return len(self.sources), len(self.targets)

    @property
    def sources(self) -> Numbers:
        """The source points."""
        assert self.source is not None
        return self.source

    @property
    def targets(self) -> Numbers:
        """The target points, which may be the source points."""
        return self.sources if self.target is None else self.target

    @property
    def is_square(self) -> bool:
        """Whether the source is the target."""
        if self.matrix is None:
            return self.target is None
        return bool(self.matrix.shape[0] == self.matrix.shape[1])

    def costs(self) -> Numbers:
        """Return the matrix that is given, or compute it from the points."""
        return squared_distances(self.sources, self.target) if self.matrix is None else self.matrix

    def head(self, n_source: int, n_target: int) -> Arrays:
        """Return the same kind of arrays with at most so many sources and targets."""
        if self.is_square:
            n_source = n_target = min(n_source, n_target)
        if self.matrix is not None:
            return Arrays(matrix=self.matrix[:n_source, :n_target].copy())
        target = None if self.target is None else self.target[:n_target].copy()
        return Arrays(self.sources[:n_source].copy(), target)

    def save(self, folder: Path) -> None:
        """Write the arrays for other processes to load."""
        for name in self.__slots__:
            (folder / f"{name}.npy").unlink(missing_ok=True)
            if getattr(self, name) is not None:
                np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Arrays:
        """Read what `save` wrote."""
        files = {name: folder / f"{name}.npy" for name in cls.__slots__}
        return cls(**{name: np.load(file) for name, file in files.items() if file.exists()})


def mixture(
    n: int,
    d: int,
    *,
    centres: int = 300,
    spread: float = 2.0,
    noise: float = 1.0,
    seed: int = 0,
    draw: int = SOURCE,
) -> Numbers:
    """Return n points around centres which depend on d, `centres`, `spread` and the seed alone."""
    middles = np.random.default_rng([seed, 0]).standard_normal((centres, d), np.float32)
    rng = np.random.default_rng([seed, _ROWS + draw])
    points = rng.standard_normal((n, d), np.float32)
    points *= np.float32(noise)
    points += np.float32(spread) * middles[rng.integers(centres, size=n)]
    return points


def sphere(n: int, d: int, *, seed: int = 0, draw: int = SOURCE) -> Numbers:
    """Return n points spread evenly over the unit sphere: no clusters, so pairs die slowest."""
    points = np.random.default_rng([seed, _ROWS + draw]).standard_normal((n, d), np.float32)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points


def digits() -> Numbers:
    """Return scikit-learn's 1,797 handwritten digits, 64 pixels each."""
    from sklearn.datasets import load_digits

    pixels: Numbers = load_digits().data.astype(np.float32)
    return pixels


def mnist(
    folder: Path | None, n_source: int = 5_000, n_target: int = 54_210, *, seed: int = 0
) -> Arrays:
    """Return random test images for source, and for target as many training images per digit.

    Pixels are divided by 255, because interpret is wrong where costs exceed a million.
    """
    file = None if folder is None else folder / "mnist.npz"
    if file is None or not file.is_file():
        raise Missing("no mnist.npz: name its folder by --data or PROTOSPOT_DATA")
    rng = np.random.default_rng(seed)
    with np.load(file) as images:
        rows = np.sort(rng.choice(len(images["X_test"]), n_source, replace=False))
        source = images["X_test"][rows]
        labels = images["y_train"]
        each = [rng.choice(np.flatnonzero(labels == i), n_target // 10, False) for i in range(10)]
        target = images["X_train"][np.sort(np.concatenate(each))]
    return Arrays(source.astype(np.float32) / 255, target.astype(np.float32) / 255)


def mixtures(n_source: int, n_target: int, d: int) -> Arrays:
    """Return a source and a target drawn from the same mixture."""
    return Arrays(mixture(n_source, d), mixture(n_target, d, draw=TARGET))


def spheres(n_source: int, n_target: int, d: int) -> Arrays:
    """Return a source and a target drawn from the same sphere."""
    return Arrays(sphere(n_source, d), sphere(n_target, d, draw=TARGET))


def as_matrix(arrays: Arrays) -> Arrays:
    """Return the cost matrix of these points, to be given instead of them."""
    return Arrays(matrix=arrays.costs())


def squared_distances(source: Numbers, target: Numbers | None = None) -> Numbers:
    """Return the cost matrix as most people would compute it, in the dtype of the points."""
    from sklearn.metrics.pairwise import euclidean_distances

    costs: Numbers = euclidean_distances(source, target, squared=True)
    return costs
