"""`protospot explain` and `protospot demo`: commands that write nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from rich.console import Console

import protospot as ps
from protospot import files
from protospot.cli.app import app
from protospot.cli.tables import print_selection
from protospot.files.table import Table, Wanted


@app.command
def explain(
    source: Path,
    target: Path | None = None,
    *,
    k: Annotated[int, Parameter(alias="-k")] = 50,
    vectors: str | None = None,
    array: str | None = None,
    metric: str = "sqeuclidean",
    method: str = "greedy",
    memory: str | None = None,
    refine: bool = False,
    certify: bool = False,
) -> None:
    """Tell what `select` would do, with how much memory, without doing it.

    Parameters
    ----------
    source, target, k, vectors, array, metric, method, memory, refine, certify
        As for `select`.
    """
    wanted = Wanted(vectors, array=array)
    origin = files.read(source, wanted).vectors
    other = None if target is None else files.read(target, wanted).vectors
    found = ps.explain(
        origin,
        other,
        k,
        metric=metric,
        method=method,
        refine=refine,
        certify=certify,
        memory=memory,
    )
    sys.stdout.write(f"{found}\n")


@app.command
def demo(*, k: Annotated[int, Parameter(alias="-k")] = 10) -> None:
    """Select handwritten digits, which come with scikit-learn: nothing is downloaded.

    Parameters
    ----------
    k
        How many prototypes.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    chosen = ps.select(digits.data[1::2], digits.data[0::2], k, refine=True, certify=True)
    table = Table(
        Path("digits"),
        digits.data[1::2],
        "pixels",
        np.arange(len(digits.data[1::2])),
        labels=digits.target[1::2],
    )
    print_selection(Console(), chosen, table, None)
