"""Plots with bands, and Markdown tables, of rows of results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.runs import Row

COLOURS = {
    "SPOTgreedy": "#d55e00",
    "SPOTsimple": "#e69f00",
    "ProtoDash": "#0072b2",
    "MMD-Critic": "#009e73",
}

_ACROSS = 3  # panels beside one another
_COLUMNS = 8  # of a table at most


def bands(rows: list[Row], path: Path, panels: tuple[str, ...], x: str, y: str) -> None:
    """Draw y against x for each method, a panel for each group: the mean and a deviation around."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    names = groups(rows, panels)
    with mpl.rc_context({"svg.hashsalt": "protospot", "svg.fonttype": "none"}):
        across = min(len(names), _ACROSS)
        down = -(-len(names) // across)
        size = 3.4 * across, 2.8 * down
        figure, axes = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
        for axis in axes.flat[len(names) :]:
            axis.set_axis_off()
        for axis, (name, mine) in zip(axes.flat, names.items(), strict=False):
            for method, points in groups(mine, ("method",)).items():
                at, mean, deviation = summary(points, x, y)
                colour = COLOURS.get(method[0])
                axis.plot(at, mean, label=method[0], color=colour)
                axis.fill_between(at, mean - deviation, mean + deviation, alpha=0.2, color=colour)
            axis.set_title("\n".join(map(word, panels, name)), fontsize="medium")
            axis.set(xlabel=x, ylabel=y)
        axes[0][0].legend(frameon=False, fontsize="small")
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def table(rows: list[Row], path: Path, keys: tuple[str, ...], x: str, y: str) -> None:
    """Write the mean and the deviation of y, a row for each group, a column for some x."""
    every = sorted({row[x] for row in rows})
    shown = (
        every if len(every) <= 8 else [every[round(i)] for i in np.linspace(0, len(every) - 1, 8)]
    )
    lines = [f"| {' | '.join(keys)} | {' | '.join(f'{x} = {at}' for at in shown)} |"]
    lines.append("|" + " --- |" * (len(keys) + len(shown)))
    for name, mine in groups(rows, keys).items():
        at, mean, deviation = summary(mine, x, y)
        cells = dict(
            zip(
                at,
                (f"{m:.2f} ± {d:.2f}" for m, d in zip(mean, deviation, strict=True)),
                strict=True,
            )
        )
        words = [word(key, value) for key, value in zip(keys, name, strict=True)]
        lines.append(f"| {' | '.join(words)} | {' | '.join(cells.get(at, '') for at in shown)} |")
    path.write_text("\n".join(lines) + "\n")


def groups(rows: list[Row], keys: Iterable[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows by what they have under these keys, in the order of first appearance."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def summary(rows: list[Row], x: str, y: str) -> tuple[list[Any], Any, Any]:
    """Return each x, and the mean and the standard deviation of y there."""
    values: dict[Any, list[float]] = {}
    for row in rows:
        values.setdefault(row[x], []).append(row[y])
    at = sorted(values)
    means, deviations = zip(*((np.mean(values[v]), np.std(values[v])) for v in at), strict=True)
    return at, np.array(means), np.array(deviations)


def word(key: str, value: Any) -> str:
    """Return what a setting is called in a picture or a table."""
    if key == "skew":
        return f"{value} % of one class" if value else "classes alike"
    return str(value)
