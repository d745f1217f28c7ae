"""How long methods take: Figure 2 (b), batches of s prototypes a step, and section 5.1."""

from __future__ import annotations

import time
from functools import partial

import protospot as ps
from experiments import draw, sets
from experiments.curves import source_of, target_of
from experiments.methods import METHODS, accuracies, select
from experiments.runs import Options, Row, Run, made

SIZES = (1, 2, 5, 10, 25, 50)
_SIGMA = 1.0  # for the times of the baselines, which do not depend on it


def figure2b(options: Options) -> list[Row]:
    """Draw accuracy for batches of s prototypes, half of the target being one class."""
    pair = sets.features(options.features)
    runs = [
        Run(
            {"batch": size, "run": run} | options.settings,
            partial(_batch, pair, size, run, options),
        )
        for size in SIZES
        for run in range(options.runs)
    ]
    rows = [row | {"set": pair.name} for row in made("figure2b", runs, options.out)]
    named = [row | {"method": f"s = {row['batch']}"} for row in rows]
    draw.bands(named, options.out / "figure2b.svg", ("set",), "k", "accuracy")
    draw.table(named, options.out / "figure2b.md", ("method",), "k", "accuracy")
    ends = [row | {"k": "seconds for all"} for row in named if row["k"] == options.most]
    draw.table(ends, options.out / "figure2b-seconds.md", ("method",), "k", "seconds")
    return rows


def times(options: Options) -> list[Row]:
    """Time every method on the same skewed target of deep features."""
    pair = sets.features(options.features)
    runs = [
        Run(
            {"method": method, "run": run} | options.settings,
            partial(_time, pair, method, run, options),
        )
        for method in (*METHODS, "SPOTgreedy, s = 10")
        for run in range(min(options.runs, 3))
    ]
    rows = made("times", runs, options.out)
    draw.table(rows, options.out / "times.md", ("method",), "k", "seconds")
    return rows


def _batch(pair: sets.Pair, size: int, run: int, options: Options) -> list[Row]:
    source, target = source_of(pair, options), target_of(pair, 50, run, options)
    began = time.perf_counter()
    chosen = ps.select(source.points, target.points, options.most, batch=size)
    seconds = time.perf_counter() - began
    found = accuracies(chosen, source, target)
    return [
        {"k": k, "accuracy": 100 * found[k - 1], "seconds": seconds}
        for k in range(10, len(found) + 1, 10)
    ]


def _time(pair: sets.Pair, method: str, run: int, options: Options) -> list[Row]:
    source, target = source_of(pair, options).points, target_of(pair, 50, run, options).points
    name, _, batch = method.partition(", s = ")

    def once() -> float:
        began = time.perf_counter()
        if batch:
            ps.select(source, target, options.most, batch=int(batch))
        else:
            select(name, source, target, options.most, _SIGMA)
        return time.perf_counter() - began

    once()  # compiles
    return [{"k": options.most, "seconds": once()}]
