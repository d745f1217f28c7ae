"""Sentences that say whether the paper's orderings came out, written from the rows themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments import draw
from experiments.runs import Row


def write_lead(
    rows: list[Row],
    path: Path,
    groups: tuple[str, ...],
    x: str,
    y: str,
    others: tuple[str, ...],
    ours: str = "SPOTgreedy",
) -> None:
    """Write at how many points of the curves ours is ahead of each of the others, and where not."""
    sentences = []
    for other in others:
        ahead, total, behind = 0, 0, []
        for name, mine in draw.groups(rows, groups).items():
            by_method = draw.groups(mine, ("method",))
            one, two = (_means(by_method.get((method,), []), x, y) for method in (ours, other))
            at = sorted(one.keys() & two.keys())
            total += len(at)
            ahead += sum(one[v] > two[v] for v in at)
            if lost := [v for v in at if one[v] <= two[v]]:
                worst = max(two[v] - one[v] for v in lost)
                where = ", ".join(
                    draw.word(key, value) for key, value in zip(groups, name, strict=True)
                )
                behind.append(f"{where} at {x} = {_listed(lost)}, by {worst:.2g} at most")
        text = f"{ours} is ahead of {other} at {ahead} of {total} points"
        sentences.append(text + (f"; not for {'; nor '.join(behind)}." if behind else "."))
    path.write_text("\n".join(f"- {sentence}" for sentence in sentences) + "\n")


def _means(rows: list[Row], x: str, y: str) -> dict[int, float]:
    return {
        at[0]: float(np.mean([row[y] for row in mine]))
        for at, mine in draw.groups(rows, (x,)).items()
    }


def _listed(values: list[int]) -> str:
    if len(values) > 6:
        return f"{values[0]} to {values[-1]} ({len(values)} points)"
    return ", ".join(map(str, values))
