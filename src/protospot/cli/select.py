"""`protospot select`: from files to a folder of results."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

import protospot as ps
from protospot import files
from protospot.cli.app import app
from protospot.cli.tables import print_selection, read_both
from protospot.errors import FewerPrototypesWarning, InputError
from protospot.files.journal import Journal
from protospot.files.output import refuse_existing
from protospot.files.table import Table, Wanted
from protospot.progress import Watch

_INTERRUPTED = 130  # the exit status of what Ctrl-C ended


@app.command
def select(
    source: Path,
    target: Path | None = None,
    *,
    k: Annotated[int, Parameter(alias="-k")] = 50,
    out: Path,
    vectors: str | None = None,
    id_column: Annotated[str | None, Parameter(name="--id")] = None,
    weight: str | None = None,
    label: str | None = None,
    show: Annotated[tuple[str, ...], Parameter(consume_multiple=False)] = (),
    array: str | None = None,
    metric: str = "sqeuclidean",
    method: str = "greedy",
    batch: int = 1,
    min_gain: float | None = None,
    memory: str | None = None,
    seed: int | None = None,
    refine: bool = False,
    certify: bool = False,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
    quiet: bool = False,
    force: bool = False,
    resume: bool = False,
) -> int:
    """Select prototypes of SOURCE that stand for TARGET, or for SOURCE itself.

    Reads parquet, Feather, Arrow, CSV, TSV, JSON lines, .npy, .npz, and folders of images. Writes a
    folder: prototypes.parquet, assignment.parquet, selection.json, selection.npz.

    **Examples**

        protospot select embeddings.parquet -k 50 --out chosen
        protospot select pool.csv wanted.csv -k 200 --id name --vectors "f*" --out chosen
        protospot select photos/ -k 30 --refine --certify --out chosen

    Parameters
    ----------
    source
        The rows to choose from.
    target
        The rows to stand for; the source where left out.
    k
        How many prototypes.
    out
        The folder to write.
    vectors
        A column of lists, or a pattern of names of numeric columns such as "f*". Where left out the
        only column of lists, else all numeric columns.
    id_column
        The column that names a row. Rows are numbered where left out.
    weight
        The target's column of weights, or the source's where it stands for itself.
    label
        A column of classes, to be kept beside the prototypes.
    show
        A column to keep beside the prototypes; may be given again.
    array
        The array of an .npz file; its only 2-d one where left out.
    metric
        sqeuclidean, euclidean, cosine, cityblock, dot, or any other of SciPy and scikit-learn.
    method
        greedy, simple, stochastic, optimal, mmd-critic, protodash or random.
    batch
        Rows that greedy adds per step.
    min_gain
        Greedy stops before a step whose gain is below this.
    memory
        Working memory, such as 512MiB.
    seed
        For methods that draw at random.
    refine
        Then swap prototypes as long as that lowers the cost.
    certify
        Then tell how far from the best possible the selection can be.
    json_output
        Print a summary as JSON.
    quiet
        Print nothing but errors.
    force
        Replace the folder if it is there.
    resume
        Go on with a greedy run that was cut off, from the journal that it left beside the folder.
    """
    if resume and method != "greedy":
        raise InputError(
            f"--resume is for method greedy, whose picks can be taken up, got {method}."
        )
    refuse_existing(out, force=force)
    console = Console(stderr=True, quiet=quiet)
    wanted = Wanted(vectors, id_column, weight, label, show, array)
    origin, other = read_both(source, target, wanted, console)
    data = origin.vectors, None if other is None else other.vectors
    settings = {"source": str(source), "target": None if target is None else str(target)}
    settings |= {"vectors": origin.chosen, "rows": str(len(origin)), "metric": metric}
    settings |= {"method": method, "batch": str(batch), "min_gain": str(min_gain)}
    settings |= {"weight": weight, "target_rows": str(len(other or origin))}
    with Journal(out, settings, resume=resume, force=force, batch=batch) as journal:
        with warnings.catch_warnings(record=True) as told, Watch(console, k, journal) as watch:
            warnings.simplefilter("always", FewerPrototypesWarning)
            chosen = ps.select(
                *data,
                k,
                metric=metric,
                method=method,
                target_weights=(other or origin).weights,
                batch=batch,
                min_gain=min_gain,
                memory=memory,
                seed=seed,
                start=journal.start[:k],
                on_pick=watch.pick,
            )
            if refine and not watch.is_stopped:
                chosen = ps.refine(chosen, *data, on_swap=watch.swap, memory=memory)
            if certify and not watch.is_stopped:
                chosen = ps.certify(chosen, *data, on_bound=watch.bound, memory=memory)
        journal.keep = watch.is_stopped
        facts: dict[str, Any] = dict(settings) | {"is_partial": watch.is_stopped}
        files.write(out, chosen, origin, other, facts, force=force)
    for warning in told:
        console.print(f"[yellow]note:[/] {warning.message}", highlight=False)
    if json_output:
        sys.stdout.write(json.dumps(facts | _summary(chosen, origin, out)) + "\n")
    else:
        print_selection(console, chosen, origin, out)
    return _INTERRUPTED if watch.is_stopped else 0


def _summary(chosen: ps.Selection, source: Table, out: Path) -> dict[str, Any]:
    return {
        "out": str(out),
        "k": len(chosen),
        "cost": chosen.cost,
        "gap": chosen.gap,
        "ids": source.ids[chosen.indices].tolist(),
        "weights": chosen.weights.tolist(),
    }
