"""Accuracy of nearest prototypes: Figures 1 and 2 (a), and Letter in the appendix."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from experiments import claims, draw, sets
from experiments.methods import METHODS, accuracies, best_sigma, select
from experiments.runs import Options, Row, Run, made

SKEWS = (0, 50)  # percent of the target that one class makes up; 0 for equal shares
MORE_SKEWS = (10, 30, 50, 70, 100)
_CHOSEN_AT = 50  # prototypes, at which kernel widths are compared

_BASELINES = ("ProtoDash", "MMD-Critic")

Case = tuple[sets.Pair, int]  # what to select from and for, and the skew of the target


def figure1(options: Options) -> list[Row]:
    """Draw accuracy against k for MNIST, USPS and deep features, uniform and skewed."""
    pairs = [sets.mnist(options.data), sets.usps(options.data), sets.features(options.features)]
    return _curves("figure1", pairs, options)


def letter(options: Options) -> list[Row]:
    """Draw accuracy against k for Letter, uniform and skewed."""
    return _curves("letter", [sets.letter(options.data)], options)


def figure2a(options: Options) -> list[Row]:
    """Draw accuracy at the most prototypes, as one digit makes up ever more of the target."""
    pair = sets.mnist(options.data)
    rows = _measured("figure2a", [(pair, skew) for skew in MORE_SKEWS], options)
    ends = [run[-1] for run in draw.groups(rows, ("skew", "method", "run")).values()]
    draw.bands(ends, options.out / "figure2a.svg", ("set",), "skew", "accuracy")
    draw.table(ends, options.out / "figure2a.md", ("method",), "skew", "accuracy")
    lead = options.out / "figure2a-lead.md"
    claims.write_lead(ends, lead, ("set",), "skew", "accuracy", (*_BASELINES, "SPOTsimple"))
    return rows


def _curves(name: str, pairs: list[sets.Pair], options: Options) -> list[Row]:
    rows = _measured(name, [(pair, skew) for pair in pairs for skew in SKEWS], options)
    draw.bands(rows, options.out / f"{name}.svg", ("set", "skew"), "k", "accuracy")
    draw.table(rows, options.out / f"{name}.md", ("set", "skew", "method"), "k", "accuracy")
    lead = options.out / f"{name}-lead.md"
    claims.write_lead(rows, lead, ("set", "skew"), "k", "accuracy", _BASELINES)
    return rows


def _measured(name: str, cases: list[Case], options: Options) -> list[Row]:
    """Run every method on every case; kernel widths are chosen once, for the first target."""
    widths = made(
        f"{name}-widths",
        [
            Run(
                {"set": pair.name, "skew": skew, "method": method} | options.settings,
                partial(_width, pair, skew, method, options),
            )
            for pair, skew in cases
            for method in METHODS
        ],
        options.out,
    )
    chosen = {(row["set"], row["skew"], row["method"]): row["sigma"] for row in widths}
    runs = []
    for pair, skew in cases:
        for method in METHODS:
            sigma = chosen[pair.name, skew, method]
            settings: Row = {"set": pair.name, "skew": skew, "method": method, "sigma": sigma}
            runs += [
                Run(
                    settings | {"run": run} | options.settings,
                    partial(_one_run, pair, skew, method, sigma, run, options),
                )
                for run in range(options.runs)
            ]
    return made(name, runs, options.out)


def _width(pair: sets.Pair, skew: int, method: str, options: Options) -> list[Row]:
    source, target = source_of(pair, options), target_of(pair, skew, 0, options)
    most = min(_CHOSEN_AT, options.most)
    return [{"sigma": best_sigma(method, source, target, most, options.seed)}]


def _one_run(
    pair: sets.Pair, skew: int, method: str, sigma: float | None, run: int, options: Options
) -> list[Row]:
    """Select, and score every tenth number of prototypes up to the most."""
    source, target = source_of(pair, options), target_of(pair, skew, run, options)
    began = time.perf_counter()
    chosen = select(method, source.points, target.points, options.most, sigma)
    seconds = time.perf_counter() - began
    found = accuracies(chosen, source, target)
    steps = sorted({*range(9, len(found), 10), len(found) - 1})
    return [
        {"k": at + 1, "accuracy": 100 * found[at], "cost": chosen.costs[at], "seconds": seconds}
        for at in steps
    ]


def target_of(pair: sets.Pair, skew: int, run: int, options: Options) -> sets.Labelled:
    """Return the target of a run: the same one for all methods."""
    random = np.random.default_rng((options.seed, run))
    kind = random.choice(np.unique(pair.pool.labels))
    target = pair.pool.take(sets.skewed(pair.pool.labels, kind, skew, random))
    return target.take(sets.some(len(target), 2_000)) if options.quick else target


def source_of(pair: sets.Pair, options: Options) -> sets.Labelled:
    """Return the source, which is the same in all runs."""
    return pair.source.take(sets.some(len(pair.source), 1_000)) if options.quick else pair.source
