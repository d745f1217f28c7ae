"""Flickr in the appendix: points with several labels each, from the authors' files.

A prediction is right if the nearest prototype has a label in common with the point. The files are
not to be had any more; `flickr.npz` must hold X_source, Y_source, X_target and Y_target, where the
Y are tables of yes and no, a column for each label.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments import draw
from experiments.methods import METHODS, accuracies, select
from experiments.runs import Options, Row, Run, made
from experiments.sets import Labelled, opened

_SIGMA = 1.0


def flickr(options: Options) -> list[Row]:
    """Draw the accuracy of the nearest prototypes, by any label that they share."""
    with np.load(opened(options.data / "flickr.npz")) as arrays:
        source, target = (
            Labelled(arrays[f"X_{side}"], arrays[f"Y_{side}"].astype(bool))
            for side in ("source", "target")
        )
    runs = [
        Run(
            {"method": method, "most": options.most},
            partial(_one, method, source, target, options.most),
        )
        for method in METHODS
    ]
    rows = [row | {"set": "Flickr"} for row in made("flickr", runs, options.out)]
    draw.bands(rows, options.out / "flickr.svg", ("set",), "k", "accuracy")
    draw.table(rows, options.out / "flickr.md", ("method",), "k", "accuracy")
    return rows


def _one(method: str, source: Labelled, target: Labelled, most: int) -> list[Row]:
    chosen = select(method, source.points, target.points, most, _SIGMA)
    found = accuracies(chosen, source, target)
    return [{"k": k, "accuracy": 100 * found[k - 1]} for k in range(1, len(found) + 1)]
