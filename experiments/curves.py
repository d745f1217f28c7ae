"""Accuracy of ever more nearest prototypes: Figure 1, and Letter in the appendix."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from experiments import draw, sets
from experiments.methods import METHODS, accuracies, best_sigma, select
from experiments.runs import Options, Row, Run, made

SKEWS = (0, 50)  # percent of the target that one class makes up; 0 for equal shares


def figure1(options: Options) -> list[Row]:
    """Draw accuracy against k for MNIST, USPS and deep features, uniform and skewed."""
    pairs = [sets.mnist(options.data), sets.usps(options.data), sets.features(options.features)]
    return _curves("figure1", pairs, options)


def letter(options: Options) -> list[Row]:
    """Draw accuracy against k for Letter, uniform and skewed."""
    return _curves("letter", [sets.letter(options.data)], options)


def _curves(name: str, pairs: list[sets.Pair], options: Options) -> list[Row]:
    runs = [
        Run(
            {"set": pair.name, "skew": skew, "method": method, "run": run, "seed": options.seed}
            | {"most": options.most, "quick": options.quick},
            partial(one_run, pair, skew, method, run, options),
        )
        for pair in pairs
        for skew in SKEWS
        for method in METHODS
        for run in range(options.runs)
    ]
    rows = made(name, runs, options.out)
    draw.bands(rows, options.out / f"{name}.svg", ("set", "skew"), "k", "accuracy")
    draw.table(rows, options.out / f"{name}.md", ("set", "skew", "method"), "k", "accuracy")
    return rows


def target_of(pair: sets.Pair, skew: int, run: int, options: Options) -> sets.Labelled:
    """Return the target of a run: the same one for all methods."""
    random = np.random.default_rng((options.seed, run))
    kind = random.choice(np.unique(pair.pool.labels))
    target = pair.pool.take(sets.skewed(pair.pool.labels, kind, skew, random))
    return target.take(sets.some(len(target), 2_000)) if options.quick else target


def source_of(pair: sets.Pair, options: Options) -> sets.Labelled:
    """Return the source, which is the same in all runs."""
    return pair.source.take(sets.some(len(pair.source), 1_000)) if options.quick else pair.source


def one_run(
    pair: sets.Pair, skew: int, method: str, run: int, options: Options
) -> list[dict[str, Any]]:
    """Select, and score every number of prototypes up to the most."""
    source, target = source_of(pair, options), target_of(pair, skew, run, options)
    sigma = best_sigma(method, source, target, min(50, options.most), options.seed)
    began = time.perf_counter()
    chosen = select(method, source.points, target.points, options.most, sigma)
    seconds = time.perf_counter() - began
    found = accuracies(chosen, source, target)
    steps = sorted({*range(9, len(found), 10), len(found) - 1})
    return [
        {"k": at + 1, "accuracy": 100 * found[at], "cost": chosen.costs[at], "sigma": sigma}
        | {"seconds": seconds}
        for at in steps
    ]
