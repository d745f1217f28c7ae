"""The process that measures: `python -m benchmarks.worker FOLDER`, started by `measure`.

It reads job.json and the arrays in the folder, and writes outcome.json, also when the call fails.
A call that takes too long ends the process by SIGALRM, which no competitor can hold up: a timer
thread would wait for those that never let go of the interpreter's lock.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.data import Arrays
from benchmarks.limits import LIMITS, Limit
from benchmarks.measure import Job
from benchmarks.peers import COMPETITORS, Task
from benchmarks.score import cost_of

_SHORT, _MOST = 0.5, 30  # calls go on until so many seconds are spent, or so many are made
_FEW = (200, 400)  # sources and targets to warm up with
_MANY = (24_000, 600)  # enough sources for protospot to treat them as many


def main() -> None:
    """Measure, and leave the outcome in the folder."""
    folder = Path(sys.argv[1])
    job = Job(**json.loads((folder / "job.json").read_text()))
    task = Task(Arrays.load(folder), job.k, job.threads, job.options)
    warnings.simplefilter("ignore")  # stderr is kept for what ends the process
    try:
        found = _measure(job, task)
    except BaseException as error:  # the panics of Rust are no Exceptions
        found = {"status": "failed", "message": _first_line(error, folder)}
    partial = folder / "outcome.part"
    partial.write_text(json.dumps(found))
    partial.rename(folder / "outcome.json")


def _measure(job: Job, task: Task) -> dict[str, Any]:
    choose = COMPETITORS[job.competitor].choose
    _warm_up(job, task)
    found: dict[str, Any] = {"status": "done"}
    runs: list[float] = []
    limit_runs: list[float] = []
    limit: Limit | None = None
    while _goes_on(runs, job):
        if not runs:
            found["loaded"] = memory.watch()
        seconds, chosen = _timed(lambda: choose(task), job.seconds)
        if not runs:
            found["peak"] = max(memory.peak(), found["loaded"])
            # Only now, so that its buffers are not taken for the competitor's memory.
            limit = LIMITS[job.limit](task.given, job.threads) if job.limit else None
        runs.append(seconds)
        if limit:
            limit_runs.append(_timed(limit.run, 0)[0])
            found |= {"limit_name": limit.name, "limit_how": limit.how}
    indices = np.asarray(getattr(chosen, "indices", chosen)).astype(np.int64)
    found["gap"] = getattr(chosen, "gap", None)
    found |= {"runs": runs, "limit_runs": limit_runs}
    found |= {"indices": indices.tolist(), "cost": cost_of(indices, task.given)}
    if job.times_picks:
        found["pick_times"] = _pick_times(task)
    return found


def _goes_on(runs: list[float], job: Job) -> bool:
    if len(runs) >= job.repeats:
        return sum(runs) < _SHORT and len(runs) < _MOST
    return max(runs, default=0.0) < job.patience


def _warm_up(job: Job, task: Task) -> None:
    """Call the competitor on little data, so that compilation and imports are over."""
    choose = COMPETITORS[job.competitor].choose
    k = min(job.k, 5)
    choose(Task(task.given.head(*_FEW), k, job.threads, job.options))
    if not job.competitor.startswith("protospot"):
        return
    import protospot as ps

    # Also the ways that it takes with many sources, and with too little memory for its pairs.
    for given in (task.given.head(*_FEW), task.given.head(*_MANY)):
        source = given.source if given.matrix is None else given.matrix
        metric = "sqeuclidean" if given.matrix is None else "precomputed"
        least = ps.explain(source, given.target, k, metric=metric).smallest_memory
        picks = min(8 * k, given.shape[0])
        for room in (2 * least, None):
            choose(Task(given, picks, job.threads, job.options | {"memory": room}))


def _timed(call: Callable[[], Any], most: float) -> tuple[float, Any]:
    """Return the seconds a call took, and its result; end the process after `most` seconds."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, most)
    began = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - began
    signal.setitimer(signal.ITIMER_REAL, 0)
    return seconds, result


def _pick_times(task: Task) -> list[float]:
    """Return when protospot made each pick, in seconds from the start."""
    times: list[float] = []
    options = task.options | {"on_pick": lambda _: times.append(time.perf_counter())}
    began = time.perf_counter()
    COMPETITORS["protospot"].choose(Task(task.given, task.k, task.threads, options))
    return [moment - began for moment in times]


def _first_line(error: BaseException, folder: Path) -> str:
    text = (str(error).strip().splitlines() or [""])[0].replace(str(folder), "FOLDER")
    return f"{type(error).__name__}: {text}"[:160]


if __name__ == "__main__":
    main()
