"""Figure 3: prototypes and criticisms of each MNIST digit, as pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import protospot as ps
from experiments import sets
from experiments.runs import Options, Row, Run, made

_ROWS = 6  # pictures per digit


def figure3(options: Options) -> list[Row]:
    """Draw the first prototypes of each digit, and its criticisms, a column for each."""
    pair = sets.mnist(options.data)
    runs = [
        Run(
            {"digit": digit, "quick": options.quick},
            partial(_one, pair, digit, options),
        )
        for digit in range(10)
    ]
    rows = made("figure3", runs, options.out)
    for kind, images in (("prototype", pair.source.points), ("criticism", pair.pool.points)):
        mine = [row for row in rows if row["kind"] == kind]
        _draw(mine, images, options.out / f"figure3-{kind}s.png")
    text = "![Prototypes, a digit a column](figure3-prototypes.png)\n\n"
    text += "![Criticisms, a digit a column](figure3-criticisms.png)\n"
    (options.out / "figure3.md").write_text(text)
    return rows


def _one(pair: sets.Pair, digit: int, options: Options) -> list[Row]:
    rows = np.flatnonzero(pair.pool.labels == digit)
    rows = rows[:500] if options.quick else rows
    target = pair.pool.points[rows]
    chosen = ps.select(pair.source.points, target, _ROWS)
    worst = rows[ps.criticisms(chosen, pair.source.points, target, _ROWS, witness="mmd")]
    return [
        {"kind": kind, "rank": rank, "row": int(row)}
        for kind, found in (("prototype", chosen.indices), ("criticism", worst))
        for rank, row in enumerate(found)
    ]


def _draw(rows: list[Row], images: Any, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    side = round(images.shape[1] ** 0.5)
    sheet = np.ones((_ROWS * (side + 2), 10 * (side + 2)))
    for row in rows:
        top, left = row["rank"] * (side + 2) + 1, row["digit"] * (side + 2) + 1
        sheet[top : top + side, left : left + side] = 1 - images[row["row"]].reshape(side, side)
    plt.imsave(path, np.kron(sheet, np.ones((2, 2))), cmap="gray", vmin=0, vmax=1)
