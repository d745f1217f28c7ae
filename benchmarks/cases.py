"""The cases: what each is about, its data, and who takes part.

Every case exists in two sizes. The full one is what protospot promises something about
(`claims.py`); the quick one goes the same ways in a few minutes altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.data import Arrays
from benchmarks.peers import GREEDY, PEERS, REFINED

RECTANGULAR = (
    REFINED,
    "interpret SPOT",
    "submodlib LazyGreedy",
    "onebatch",
    "KMeans + nearest row",
)

QUICKEST = ("submodlib LazyGreedy", "kmedoids pam_build", "kmedoids fasterpam", "onebatch")


@dataclass(frozen=True, slots=True)
class Case:
    """Data, a number of prototypes, and the competitors beside protospot."""

    name: str
    about: str
    arrays: Callable[[Path | None], Arrays]  # from the folder of real data
    k: int
    peers: tuple[str, ...] = ()
    limit: str = ""  # "gemm" or "read"
    seconds: float = 60.0  # that a peer may take
    own_seconds: float = 600.0  # that protospot may take
    options: dict[str, Any] = field(default_factory=dict)


def cases(*, quick: bool = False) -> list[Case]:
    """Return all cases, in the order of the table."""
    return _small(quick) + _square(quick) + _mnist(quick) + _features(quick) + _large(quick)


def _small(quick: bool) -> list[Case]:
    return [
        Case(
            "small",
            "mixture, 500 x 500, d = 32: a small problem",
            lambda _: data.mixtures(500, 500, 32),
            k=50,
            peers=RECTANGULAR,
        ),
        Case(
            "digits",
            "scikit-learn's digits, source = target, 1,797 rows, d = 64",
            lambda _: Arrays(data.digits()),
            k=20 if quick else 50,
            peers=(REFINED, *PEERS),
            seconds=15 if quick else 60,
        ),
    ]


def _square(quick: bool) -> list[Case]:
    n, k = (1_000, 50) if quick else (5_000, 100)
    what = f"source = target, {n:,} rows, d = 64"
    few = ("submodlib LazyGreedy",) if quick else QUICKEST
    return [
        Case(
            "square",
            f"mixture, {what}",
            lambda _: Arrays(data.mixture(n, 64)),
            k=k,
            peers=GREEDY if quick else (REFINED, *PEERS),
            seconds=15 if quick else 60,
        ),
        Case(
            "square-matrix",
            f"the same mixture, {what}, its float32 cost matrix given",
            lambda _: data.as_matrix(Arrays(data.mixture(n, 64))),
            k=k,
            peers=(REFINED, *GREEDY, "kmedoids fasterpam"),
            limit="read",
            seconds=15 if quick else 40,
        ),
        Case(
            "square-sphere",
            f"sphere, {what}",
            lambda _: Arrays(data.sphere(n, 64)),
            k=k,
            peers=few,
            seconds=15 if quick else 40,
        ),
    ]


def _mnist(quick: bool) -> list[Case]:
    n_source, n_target = (1_000, 10_000) if quick else (5_000, 54_210)
    n_stored, n_refined, k = (2_000, 4_000, 50) if quick else (10_000, 20_000, 200)
    size = f"MNIST, {n_source:,} x {n_target:,}, d = 784, from features"
    return [
        Case(
            "mnist",
            size,
            lambda folder: data.mnist(folder, n_source, n_target),
            k=k,
            peers=RECTANGULAR,
            limit="gemm",
            seconds=10 if quick else 90,
        ),
        Case(
            "mnist-many",
            f"{size}, more prototypes",
            lambda folder: data.mnist(folder, n_source, n_target),
            k=10 * k,
            limit="gemm",
        ),
        Case(
            "mnist-refined",
            f"MNIST, {n_source:,} x {n_refined:,}, d = 784, from features",
            lambda folder: data.mnist(folder, n_source, n_refined),
            k=k // 2,
            peers=(REFINED, "onebatch"),
            seconds=10 if quick else 60,
        ),
        Case(
            "stored",
            f"MNIST, stored float32 matrix of {n_source:,} x {n_stored:,} costs",
            lambda folder: data.as_matrix(data.mnist(folder, n_source, n_stored)),
            k=k,
            peers=RECTANGULAR,
            limit="read",
            seconds=15 if quick else 300,
        ),
        Case(
            "stored-sphere",
            f"sphere, d = 64, stored float32 matrix of {n_source:,} x {n_stored:,} costs",
            lambda _: data.as_matrix(data.spheres(n_source, n_stored, 64)),
            k=k,
            peers=("submodlib LazyGreedy",),
            limit="read",
            seconds=15 if quick else 60,
        ),
    ]


def _features(quick: bool) -> list[Case]:
    n_source, n_target = (1_000, 10_000) if quick else (5_000, 50_000)
    what = f"{n_source:,} x {n_target:,}, d = 256, from features"
    with_limit: dict[str, Any] = {"k": 50 if quick else 200, "limit": "gemm"}
    return [
        Case(
            "mixture",
            f"mixture, {what}",
            lambda _: data.mixtures(n_source, n_target, 256),
            **with_limit,
        ),
        Case(
            "sphere",
            f"sphere, {what}",
            lambda _: data.spheres(n_source, n_target, 256),
            **with_limit,
        ),
    ]


def _large(quick: bool) -> list[Case]:
    n, n_sphere = (20_000, 5_000) if quick else (200_000, 50_000)
    room, k, many = ("64MiB", 100, 2_000) if quick else ("2GiB", 500, 20_000)
    size = f"mixture, {n:,} x {n:,}, d = 64, memory={room!r}"
    within: dict[str, Any] = {"limit": "gemm", "options": {"memory": room}}
    return [
        Case("large", size, lambda _: data.mixtures(n, n, 64), k=k, **within),
        Case(
            "large-many",
            f"{size}, more prototypes",
            lambda _: data.mixtures(n, n, 64),
            k=many,
            **within,
        ),
        Case(
            "large-sphere",
            f"sphere, {n_sphere:,} x {n_sphere:,}, d = 64, memory={room!r}",
            lambda _: data.spheres(n_sphere, n_sphere, 64),
            k=k,
            own_seconds=180,
            **within,
        ),
    ]
