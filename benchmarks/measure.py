"""One measurement, in a process of its own: `measure` starts it and says how it ended.

The process (`benchmarks.worker`) loads the arrays, calls the competitor on a small part of them so
that compilation and first-time imports are over, and then times calls: `repeats` of them, more
where they are short, one where it took longer than `patience`. The quickest counts. Whatever
happens to the process, an `Outcome` comes back.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers import COMPETITORS

ROOT = Path(__file__).resolve().parents[1]
_AROUND = 300.0  # seconds for all that is not timed: start, loading, warming up, the cost reached
_THREADS = (
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PROTOSPOT_NUM_THREADS",
    "RAYON_NUM_THREADS",
)


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure, on the arrays saved in a folder."""

    competitor: str
    k: int
    threads: int
    repeats: int = 3
    patience: float = 10.0  # seconds: a call that took longer is not repeated
    seconds: float = 60.0  # that one call may take
    limit: str = ""  # the machine's limit to time between the calls: "gemm" or "read"
    options: dict[str, Any] = field(default_factory=dict)
    times_picks: bool = False  # also when each pick came


@dataclass(slots=True)
class Outcome:
    """How it went: `status` is "done", "failed", "over time" or "not installed"."""

    competitor: str
    version: str
    status: str
    message: str = ""
    allowed: float = 0.0  # seconds that a call might take
    runs: list[float] = field(default_factory=list)  # seconds
    limit_runs: list[float] = field(default_factory=list)
    limit_name: str = ""
    limit_how: str = ""
    loaded: int = 0  # bytes held before the call, inputs included
    peak: int = 0  # most bytes held during the first call
    cost: float | None = None
    gap: float | None = None  # how far above the best possible at most, where that is certified
    indices: list[int] = field(default_factory=list)
    pick_times: list[float] = field(default_factory=list)  # seconds from the start

    @property
    def seconds(self) -> float | None:
        """The quickest call."""
        return min(self.runs, default=None)

    @property
    def limit_seconds(self) -> float | None:
        """The quickest pass of the machine's limit."""
        return min(self.limit_runs, default=None)

    @property
    def over_limit(self) -> float | None:
        """How many times as long as the limit a call took: the median over calls.

        Each is compared with the pass of the limit right after it, so that both ran on a machine
        in the same mood; memory may be twice as fast in one second as in the next.
        """
        if not self.limit_runs:
            return None
        return median(a / b for a, b in zip(self.runs, self.limit_runs, strict=True))


def measure(job: Job, folder: Path) -> Outcome:
    """Measure a competitor on the arrays in the folder."""
    version = COMPETITORS[job.competitor].version()
    outcome = Outcome(job.competitor, version or "", "not installed", allowed=job.seconds)
    if version is None:
        return outcome
    asked, told = folder / "job.json", folder / "outcome.json"
    asked.write_text(json.dumps(asdict(job)))
    told.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.worker", str(folder)]
    try:
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | dict.fromkeys(_THREADS, str(job.threads)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=job.seconds * job.repeats + _AROUND,
            check=False,
        )
    except subprocess.TimeoutExpired:
        outcome.status, outcome.message = "over time", "did not get as far as the call"
        return outcome
    if told.exists():
        for name, value in json.loads(told.read_text()).items():
            setattr(outcome, name, value)
    elif ended.returncode == -signal.SIGALRM:
        outcome.status, outcome.message = "over time", f"over {job.seconds:g} s"
    else:
        outcome.status = "failed"
        outcome.message = _how_it_died(ended.returncode, ended.stderr)
    return outcome


def _how_it_died(code: int, stderr: str) -> str:
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    last = stderr.strip().splitlines()[-1:] or ["no message"]
    return f"exit code {code}: {last[0]}"
