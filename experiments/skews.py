"""Figure 2 (a): one digit of MNIST makes up ever more of the target, at 200 prototypes."""

from __future__ import annotations

from functools import partial

from experiments import draw, sets
from experiments.curves import one_run
from experiments.methods import METHODS
from experiments.runs import Options, Row, Run, made

PERCENT = (10, 30, 50, 70, 100)


def figure2a(options: Options) -> list[Row]:
    """Draw the accuracy of the nearest prototypes against the skew of the target."""
    pair = sets.mnist(options.data)
    runs = [
        Run(
            {"skew": skew, "method": method, "run": run, "seed": options.seed}
            | {"most": options.most, "quick": options.quick},
            partial(_last, pair, skew, method, run, options),
        )
        for skew in PERCENT
        for method in METHODS
        for run in range(options.runs)
    ]
    rows = [row | {"set": pair.name} for row in made("figure2a", runs, options.out)]
    draw.bands(rows, options.out / "figure2a.svg", ("set",), "skew", "accuracy")
    draw.table(rows, options.out / "figure2a.md", ("method",), "skew", "accuracy")
    return rows


def _last(pair: sets.Pair, skew: int, method: str, run: int, options: Options) -> list[Row]:
    return one_run(pair, skew, method, run, options)[-1:]
