"""`protospot compare`: methods side by side."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table as Grid

from protospot.cli.app import app
from protospot.cli.tables import read_both
from protospot.compare import USUAL, draw
from protospot.compare import compare as side_by_side
from protospot.errors import FewerPrototypesWarning, InputError
from protospot.files.table import Wanted


@app.command
def compare(
    source: Path,
    target: Path | None = None,
    *,
    k: Annotated[int, Parameter(alias="-k")] = 50,
    out: Path | None = None,
    methods: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = USUAL,
    vectors: str | None = None,
    weight: str | None = None,
    array: str | None = None,
    metric: str = "sqeuclidean",
    sigma: float | None = None,
    memory: str | None = None,
    seed: int = 0,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
    force: bool = False,
) -> None:
    """Select by several methods, and put them side by side: cost, discrepancy, seconds.

    Parameters
    ----------
    source, target, k, vectors, weight, array, metric, memory, seed
        As for `select`.
    out
        A picture to draw of the cost as prototypes grow in number, such as methods.svg.
    methods
        Their names, and "greedy + refine" and the like for one with swaps after it.
    sigma
        Width of the kernel of mmd-critic, protodash and the discrepancy.
    json_output
        Print the comparison as JSON.
    force
        Replace the picture if it is there.
    """
    if out is not None and out.exists() and not force:
        raise InputError(f"{str(out)!r} exists already: choose another --out, or pass --force.")
    console = Console(stderr=True)
    origin, other = read_both(source, target, Wanted(vectors, weight=weight, array=array), console)
    with console.status("") as status, warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerPrototypesWarning)
        found = side_by_side(
            origin.vectors,
            None if other is None else other.vectors,
            k,
            methods=methods,
            metric=metric,
            target_weights=(other or origin).weights,
            sigma=sigma,
            seed=seed,
            memory=memory,
            on_method=status.update,
        )
    if out is not None:
        draw(found, out)
    rows = [
        {
            "method": one.method,
            "cost": one.selection.cost,
            "discrepancy": one.discrepancy,
            "seconds": one.seconds,
            "prototypes": len(one.selection),
        }
        for one in found
    ]
    bound = found[0].selection.lower_bound
    if json_output:
        sys.stdout.write(json.dumps({"methods": rows, "lower_bound": bound}) + "\n")
        return
    grid = Grid(box=None, header_style="bold")
    for name in rows[0]:
        grid.add_column(name, justify="left" if name == "method" else "right")
    for row in rows:
        grid.add_row(*(f"{x:.5g}" if isinstance(x, float) else str(x) for x in row.values()))
    Console().print(grid)
    Console().print(f"No {k} rows can cost less than {bound:.5g}.", highlight=False)
