"""The command: `python -m experiments NAME --data DIR --out DIR`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from experiments import page
from experiments.batches import figure2b, times
from experiments.curves import figure1, figure2a, letter
from experiments.digits import figure3
from experiments.flickr import flickr
from experiments.objectives import figure2c, objectives
from experiments.runs import Options, Row
from experiments.sets import Missing
from experiments.table1 import table1

EXPERIMENTS: dict[str, Callable[[Options], list[Row]]] = {
    "figure1": figure1,
    "figure2a": figure2a,
    "figure2b": figure2b,
    "figure2c": figure2c,
    "figure3": figure3,
    "table1": table1,
    "letter": letter,
    "objectives": objectives,
    "flickr": flickr,
    "times": times,
}


def main(arguments: list[str] | None = None) -> int:
    """Make one experiment, or all for which there are data; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    names = [*EXPERIMENTS, "all", "page"]
    parser.add_argument("name", choices=names, help="one, all, or the page about what is there")
    parser.add_argument("--data", type=Path, help="folder of the data (default: PROTOSPOT_DATA)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the results")
    parser.add_argument("--features", type=Path, help="labelled deep features, .npz or .parquet")
    parser.add_argument("--runs", type=int, help="randomised runs (default: 10; quick: 2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="small sets: minutes, not hours")
    given = parser.parse_args(arguments)
    folder = given.data or Path(os.environ.get("PROTOSPOT_DATA", "."))
    options = Options(
        folder,
        given.out,
        given.features or folder / "cifar10_effnetlite0.npz",
        given.runs or (2 if given.quick else 10),
        given.seed,
        given.quick,
    )
    if given.name == "page":
        print(f"wrote {page.write(given.out)}")
        return 0
    names = list(EXPERIMENTS) if given.name == "all" else [given.name]
    missing = 0
    for name in names:
        try:
            EXPERIMENTS[name](options)
        except Missing as reason:
            missing += 1
            print(f"{name} is left out: {reason}", file=sys.stderr)
    return 1 if missing == len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
