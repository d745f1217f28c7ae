"""The two things that no selection can be faster than on a machine.

From points, every cost has to be computed: one product of the two tables, into a buffer that is
used again. From a stored matrix, every cost has to be read once. Both use as many threads as the
selection they are compared with, and are timed between its runs, in its process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import Arrays, Numbers

# (targets, sources) per block, and whether each thread has blocks of its own with one BLAS thread
# in it, or BLAS shares out every block among its threads.
_WAYS = (
    ((512, 1024), True),
    ((1024, 4096), True),
    ((4096, 2048), False),
    ((2048, 8192), False),
)
_TRIAL = 2e9  # multiplications to try a way with


@dataclass(frozen=True, slots=True)
class Limit:
    """A pass over all pairs, ready to be timed."""

    name: str
    how: str
    run: Callable[[], None]


def gemm(given: Arrays, threads: int) -> Limit:
    """Return ``target @ source.T`` in whichever of a few ways is fastest here."""
    source, targets = given.sources, given.targets
    trial = targets[: max(4096, int(_TRIAL / source.size))]
    ways = [Products(source, block, threads if is_own else 1) for block, is_own in _WAYS]
    for way in ways:
        way.run(trial[:256])  # touches the buffers, starts the threads
    fastest = min(ways, key=lambda way: _seconds(way, trial))
    return Limit("one GEMM", f"{source.dtype}, {fastest}", lambda: fastest.run(targets))


def read(given: Arrays, threads: int) -> Limit:
    """Return ``matrix.sum()``, each thread summing rows of its own."""
    matrix = given.matrix
    assert matrix is not None
    parts = np.array_split(matrix, threads)
    pool = ThreadPoolExecutor(threads)

    def run() -> None:
        sum(pool.map(lambda part: float(part.sum()), parts))

    return Limit("one read", f"{matrix.dtype}, {matrix.nbytes / 2**20:.0f} MiB", run)


LIMITS: dict[str, Callable[[Arrays, int], Limit]] = {"gemm": gemm, "read": read}


class Products:
    """All products of source and target rows, block after block into the same buffers.

    Several workers have one BLAS thread each; one worker has all of them.
    """

    def __init__(self, source: Numbers, block: tuple[int, int], workers: int) -> None:
        self._source, self._block, self._workers = source, block, workers
        self._pool = ThreadPoolExecutor(workers)
        width = min(block[1], len(source))
        self._buffers = [np.empty((block[0], width), source.dtype) for _ in range(workers)]

    def __str__(self) -> str:
        whose = "of its own per thread" if self._workers > 1 else "shared by the threads"
        return f"blocks of {self._block[0]} x {self._block[1]} {whose}"

    def run(self, target: Numbers) -> None:
        """Compute every product."""
        parts = np.array_split(target, self._workers)
        # A second BLAS thread per worker would fight with the other workers.
        with threadpool_limits(1, user_api="blas") if self._workers > 1 else nullcontext():
            list(self._pool.map(self._work, parts, self._buffers))

    def _work(self, target: Numbers, buffer: Numbers) -> None:
        rows, columns = buffer.shape
        for top in range(0, len(target), rows):
            part = target[top : top + rows]
            for left in range(0, len(self._source), columns):
                sources = self._source[left : left + columns]
                np.matmul(part, sources.T, out=buffer[: len(part), : len(sources)])


def _seconds(way: Products, target: Numbers) -> float:
    began = time.perf_counter()
    way.run(target)
    return time.perf_counter() - began
