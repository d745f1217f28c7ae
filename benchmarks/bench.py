"""Runs cases one after the other, and keeps what came of each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.claims import Results
from benchmarks.data import Missing
from benchmarks.measure import Job, Outcome, measure
from benchmarks.peers import COMPETITORS, PEERS

Tell = Callable[[str], None]


class Bench:
    """What has been measured so far.

    Attributes
    ----------
    results
        By case: the outcome of protospot, then of every peer that can take part.
    skipped
        By case: why it was not run.
    refused
        By case: for what reason which peers do not take part.
    """

    def __init__(self, data: Path | None, threads: int, patience: float, tell: Tell) -> None:
        self.results: Results = {}
        self.skipped: dict[str, str] = {}
        self.refused: dict[str, dict[str, list[str]]] = {}
        self._data, self._tell = data, tell
        self._common: dict[str, Any] = {"threads": threads, "patience": patience}

    def run(self, case: Case) -> None:
        """Measure protospot and the peers of a case on the same arrays."""
        try:
            arrays = case.arrays(self._data)
        except Missing as reason:
            self.skipped[case.name] = str(reason)
            self._tell(f"{case.name}: skipped, {reason}")
            return
        reasons = {name: COMPETITORS[name].refuses(arrays) for name in PEERS if case.peers}
        for name in reasons.keys() - set(case.peers):
            reasons[name] = reasons[name] or "to save time"
        self.refused[case.name] = {
            why: [name for name in PEERS if reasons.get(name) == why]
            for why in sorted({why for why in reasons.values() if why})
        }
        outcomes = self.results[case.name] = []
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            arrays.save(folder)
            del arrays  # the processes that measure need the room
            for competitor in ("protospot", *case.peers):
                if not reasons.get(competitor):
                    outcomes.append(measure(self._job(case, competitor), folder))
                    self._tell(f"{case.name}, {competitor}: {shown(outcomes[-1])}")

    def _job(self, case: Case, competitor: str) -> Job:
        if competitor != "protospot":
            return Job(competitor, case.k, seconds=case.seconds, **self._common)
        return Job(
            competitor,
            case.k,
            seconds=case.own_seconds,
            limit=case.limit,
            options=case.options,
            **self._common,
        )


def shown(outcome: Outcome) -> str:
    """Return the seconds a competitor took, or what happened instead."""
    if outcome.seconds is None:
        return f"{outcome.status} {outcome.message}".strip()
    return f"{outcome.seconds:.4g} s"
