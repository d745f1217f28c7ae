"""What SPOTgreedy and SPOTsimple reach of their own objective: Figure 2 (c) and the appendix."""

from __future__ import annotations

from functools import partial

import numpy as np

import protospot as ps
from experiments import claims, draw, sets
from experiments.curves import source_of, target_of
from experiments.methods import select
from experiments.runs import Options, Row, Run, made

METHODS = ("SPOTgreedy", "SPOTsimple")


def figure2c(options: Options) -> list[Row]:
    """Draw the objective on deep features, half of whose target is one class."""
    return _objectives("figure2c", [(sets.features(options.features), 50)], options)


def objectives(options: Options) -> list[Row]:
    """Draw the objective on MNIST, uniform and skewed, and on skewed deep features."""
    mnist = sets.mnist(options.data)
    cases = [(mnist, 0), (mnist, 50), (sets.features(options.features), 50)]
    return _objectives("objectives", cases, options)


def _objectives(name: str, cases: list[tuple[sets.Pair, int]], options: Options) -> list[Row]:
    runs = [
        Run(
            {"set": pair.name, "skew": skew, "run": run} | options.settings,
            partial(_one, pair, skew, run, options),
        )
        for pair, skew in cases
        for run in range(options.runs)
    ]
    rows = made(name, runs, options.out)
    draw.bands(rows, options.out / f"{name}.svg", ("set", "skew"), "k", "objective")
    draw.table(rows, options.out / f"{name}.md", ("set", "skew", "method"), "k", "objective")
    lead = options.out / f"{name}-lead.md"
    claims.write_lead(rows, lead, ("set", "skew"), "k", "objective", METHODS[1:])
    return rows


def _one(pair: sets.Pair, skew: int, run: int, options: Options) -> list[Row]:
    source, target = source_of(pair, options).points, target_of(pair, skew, run, options).points
    # The paper's f: similarity is the largest cost less the cost, summed over the plan.
    largest = max(
        float(ps.costs.make(source, part).rows(np.arange(len(source))).max())
        for part in np.array_split(target, max(1, len(target) // 500))
    )
    rows = []
    for method in METHODS:
        chosen = select(method, source, target, options.most, None)
        rows += [
            {"method": method, "k": at + 1, "cost": cost, "objective": largest - cost}
            for at, cost in enumerate(chosen.costs.tolist())
        ]
    return rows
