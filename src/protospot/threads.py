"""Our own worker threads, which share no state with anybody.

numba's threading layers abort when two threads enter or a process forks; these are plain threads
around kernels that release the interpreter's lock. BLAS is kept to one thread in each of them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any


def available() -> int:
    """Return how many threads to use: all cores, unless the environment says otherwise.

    It does so by PROTOSPOT_NUM_THREADS or else OMP_NUM_THREADS.
    """
    for name in ("PROTOSPOT_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Team:
    """Worker threads that wait for work, as long as the team is in use."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int], None], workers: int | None = None) -> None:
        """Call ``work(0)`` ... ``work(workers - 1)`` side by side; the first error is raised."""
        workers = self.size if workers is None else min(workers, self.size)
        with making_way():
            if workers == 1:
                work(0)
            else:
                self._share(work, workers)

    def _share(self, work: Callable[[int], None], workers: int) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.size - 1, "protospot")
        others = [self._pool.submit(work, worker) for worker in range(1, workers)]
        try:
            work(0)
        finally:
            wait(others)
        for other in others:
            other.result()


def shares(n: int, workers: int) -> list[slice]:
    """Return n things in as many equal runs as there are workers."""
    return [slice(n * w // workers, n * (w + 1) // workers) for w in range(workers)]


def share_out(
    things: list[slice], team: Team, work: Callable[[slice, int], None], *, in_turn: bool = False
) -> None:
    """Call ``work(thing, worker)`` for each thing: whoever is free takes the next.

    With `in_turn` each worker always gets the same, so that what it sums up always rounds alike.
    """
    workers = min(team.size, len(things))
    whoever = iter(things)

    def mine(worker: int) -> None:
        for thing in things[worker::workers] if in_turn else whoever:
            work(thing, worker)

    team.run(mine, workers)


_SWITCH = 2e-4  # seconds after which a thread that wants the interpreter's lock gets it
_lock = threading.Lock()
_inside = 0  # how many calls are inside now
_limit: Any = None
_usual_switch = 0.0


@contextmanager
def making_way() -> Iterator[None]:
    """Make way for our threads.

    BLAS is kept to one thread: ours are enough, and its own fight with them. And a thread that
    comes back from a kernel need not wait the usual 5 ms for the interpreter's lock, in which it
    could have done as much as in all the kernel.
    """
    # Both hold for the whole process, so the last one out restores them, not the first.
    global _inside, _limit, _usual_switch
    controller = _controller()
    with _lock:
        if _inside == 0:
            _limit = controller and controller.limit(limits=1, user_api="blas")
            _usual_switch = sys.getswitchinterval()
            sys.setswitchinterval(min(_SWITCH, _usual_switch))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                sys.setswitchinterval(_usual_switch)
                if _limit is not None:
                    _limit.restore_original_limits()
                _limit = None


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()


def _forget_after_fork() -> None:
    # The child has none of the parent's threads, nor a lock that one of them may have held.
    global _lock, _inside, _limit
    if _inside:
        sys.setswitchinterval(_usual_switch)
    _lock, _inside, _limit = threading.Lock(), 0, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
