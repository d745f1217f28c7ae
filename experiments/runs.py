"""Runs of an experiment, one after the other: resumable, with progress, and the seed in every row.

Each finished run is a line of `NAME.jsonl` in the folder of results. A run whose line is there is
not made again, unless its settings differ.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What an experiment is told."""

    data: Path
    out: Path
    features: Path
    runs: int = 10
    seed: int = 0
    quick: bool = False

    @property
    def settings(self) -> Row:
        """What every run of an experiment has in common."""
        return {"seed": self.seed, "most": self.most, "quick": self.quick}

    @property
    def most(self) -> int:
        """How many prototypes at most."""
        return 50 if self.quick else 200


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of work with settings that name it, and the rows that it gives."""

    settings: Row
    make: Callable[[], list[Row]]


def made(name: str, runs: list[Run], out: Path) -> list[Row]:
    """Make the runs that are not made yet; return the rows of all."""
    out.mkdir(parents=True, exist_ok=True)
    journal = out / f"{name}.jsonl"
    known = dict(_read(journal))
    rows: list[Row] = []
    with journal.open("a") as file:
        if known and not journal.read_text().endswith("\n"):
            file.write("\n")
        for run in _shown(name, runs):
            key = json.dumps(run.settings, sort_keys=True)
            if key not in known:
                known[key] = run.make()
                file.write(json.dumps({"settings": run.settings, "rows": known[key]}) + "\n")
                file.flush()
            rows += [run.settings | row for row in known[key]]
    _write(out / f"{name}.csv", rows)
    return rows


def _read(journal: Path) -> Iterable[tuple[str, list[Row]]]:
    for line in journal.read_text().splitlines() if journal.exists() else []:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:  # the line that was being written when a run was cut off
            continue
        yield json.dumps(entry["settings"], sort_keys=True), entry["rows"]


def _shown(name: str, runs: list[Run]) -> Iterable[Run]:
    from rich.progress import track

    return track(runs, description=name)


def _write(path: Path, rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
