"""What commands read from files, and how they show a selection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

import protospot as ps
from protospot import files
from protospot.files.table import Table, Wanted
from protospot.selection import in_words


def read_both(
    source: Path, target: Path | None, wanted: Wanted, console: Console
) -> tuple[Table, Table | None]:
    """Read the tables: weights are the target's, labels and what is shown are the source's."""
    if target is None:
        return _read(source, wanted, console), None
    origin = _read(source, replace(wanted, weight=None), console)
    return origin, _read(target, replace(wanted, label=None, show=()), console)


def _read(path: Path, wanted: Wanted, console: Console) -> Table:
    table = files.read(path, wanted)
    console.print(f"{path}: {len(table):,} rows, {table.chosen}", highlight=False)
    return table


def print_selection(
    console: Console, chosen: ps.Selection, source: Table, out: Path | None
) -> None:
    """Print the first prototypes, and what all of them cost."""
    grid = Grid(box=None, header_style="bold")
    for name in ("rank", "id", "weight", "cost after"):
        grid.add_column(name, justify="left" if name == "id" else "right")
    for rank, row in enumerate(chosen.indices[:10]):
        weight, cost = chosen.weights[rank], chosen.costs[rank]
        grid.add_row(str(rank), str(source.ids[row]), f"{weight:.4f}", f"{cost:.6g}")
    console.print(grid)
    if len(chosen) > 10:
        console.print(f"... and {len(chosen) - 10} more")
    text = f"{len(chosen)} prototypes, cost {chosen.cost:.6g}"
    if chosen.gap is not None:
        text += f", {in_words(chosen.gap)}"
    console.print(text + (f"; written to {out}" if out else ""), highlight=False)
