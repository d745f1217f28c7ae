"""How time and memory grow: each size doubled four times, and the cost of the k-th pick."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.bench import shown
from benchmarks.claims import Claim
from benchmarks.measure import Job, Outcome, measure

DOUBLINGS = 4
FULL = {"n_source": 5_000, "n_target": 10_000, "d": 32, "k": 30}
QUICK = {"n_source": 500, "n_target": 1_000, "d": 16, "k": 10}
_NOISE = 0.05  # that a fitted exponent may be off by on a quiet machine


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of protospot on a mixture of this size."""

    axis: str  # which size is being doubled
    n_source: int
    n_target: int
    d: int
    k: int
    seconds: float
    loaded: int
    peak: int

    @property
    def size(self) -> int:
        """The size that is being doubled."""
        size: int = getattr(self, self.axis)
        return size


@dataclass(frozen=True, slots=True)
class Curves:
    """All that was measured, and the exponents of time that fit it."""

    points: list[Point]
    pick_times: list[float]  # seconds from the start to each pick, in one long selection
    pick_size: str
    failures: list[str]

    def along(self, axis: str) -> list[Point]:
        """Return the points of one curve."""
        return [point for point in self.points if point.axis == axis]

    def exponents(self) -> dict[str, float]:
        """Return p for each size, where seconds grow like size ** p."""
        curves = {axis: self.along(axis) for axis in FULL}
        return {axis: exponent(curve) for axis, curve in curves.items() if len(curve) > 1}

    def claims(self) -> list[Claim]:
        """Return what is promised of the exponents."""
        found = self.exponents()
        return [
            Claim(f"scaling: exponent of time in {axis}", 1 + _NOISE, found.get(axis))
            for axis in ("n_source", "n_target", "d")
        ] + [Claim("scaling: exponent of time in k", 1 - _NOISE, found.get("k"))]

    def picks(self) -> list[tuple[int, int, float]]:
        """Return (first pick, last pick, seconds per pick), by ranges that double."""
        times = np.array(self.pick_times)
        rows = [(1, 1, float(times[0]))] if len(times) else []
        first = 2
        while first <= len(times):
            last = min(2 * first - 1, len(times))
            rows.append(
                (first, last, float(times[last - 1] - times[first - 2]) / (last - first + 1))
            )
            first = last + 1
        return rows


def exponent(curve: list[Point]) -> float:
    """Return the slope of log seconds over log size."""
    sizes, seconds = [point.size for point in curve], [point.seconds for point in curve]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def curves(folder: Path, threads: int, tell: Callable[[str], None], *, quick: bool) -> Curves:
    """Measure everything."""
    base = QUICK if quick else FULL
    points: list[Point] = []
    failures: list[str] = []
    outcomes: dict[str, Outcome] = {}
    for axis in base:
        for doubling in range(DOUBLINGS + 1):
            sizes = base | {axis: base[axis] << doubling}
            words = ", ".join(f"{name} = {size:,}" for name, size in sizes.items())
            if words not in outcomes:  # all curves start at the same point
                outcomes[words] = _measure(sizes, folder, threads)
                tell(f"scaling, {words}: {shown(outcomes[words])}")
            outcome = outcomes[words]
            if outcome.seconds is None:
                failures.append(f"{words}: {shown(outcome)}")
            else:
                held = {"loaded": outcome.loaded, "peak": outcome.peak}
                points.append(Point(axis, **sizes, seconds=outcome.seconds, **held))
    # As many picks as a tenth of the sources.
    n_source, n_target = 4 * base["n_source"], 4 * base["n_target"]
    many = base | {"n_source": n_source, "n_target": n_target, "k": n_source // 10}
    outcome = _measure(many, folder, threads, times_picks=True)
    words = ", ".join(f"{name} = {size:,}" for name, size in many.items())
    tell(f"scaling, each pick of {words}: {shown(outcome)}")
    if not outcome.pick_times:
        failures.append(f"each pick of {words}: {shown(outcome)}")
    return Curves(points, outcome.pick_times, words, failures)


def write_csv(found: Curves, out: Path) -> None:
    """Write scaling.csv and picks.csv."""
    rows = [
        (x.axis, x.n_source, x.n_target, x.d, x.k, f"{x.seconds:.5f}", *_mebibytes(x))
        for x in found.points
    ]
    head = "axis,n_source,n_target,d,k,seconds,peak_mib,above_inputs_mib"
    _write(out / "scaling.csv", head, rows)
    picks = [(first, last, f"{seconds:.3e}") for first, last, seconds in found.picks()]
    _write(out / "picks.csv", "first_pick,last_pick,seconds_per_pick", picks)


def _measure(
    sizes: dict[str, int], folder: Path, threads: int, *, times_picks: bool = False
) -> Outcome:
    data.mixtures(sizes["n_source"], sizes["n_target"], sizes["d"]).save(folder)
    job = Job("protospot", sizes["k"], threads, seconds=120, times_picks=times_picks)
    return measure(job, folder)


def _mebibytes(point: Point) -> tuple[str, str]:
    return f"{point.peak / 2**20:.1f}", f"{(point.peak - point.loaded) / 2**20:.1f}"


def _write(path: Path, head: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head.split(","))
        writer.writerows(rows)
