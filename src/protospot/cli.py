"""The command line: from files to prototypes, without writing Python."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

import protospot as ps
from protospot import files
from protospot.compare import USUAL, draw
from protospot.compare import compare as side_by_side
from protospot.errors import FewerPrototypesWarning, InputError, MissingExtraError
from protospot.files.journal import Journal
from protospot.files.output import refuse_existing
from protospot.files.table import Table, Wanted
from protospot.progress import Watch
from protospot.selection import in_words

_INTERRUPTED = 130  # the exit status of what Ctrl-C ended

app = App(
    name="protospot",
    help="A few weighted rows that stand for a data set.",
    version=ps.__version__,
    help_format="markdown",
)
app.register_install_completion_command()


def main(words: list[str] | None = None) -> None:
    """Run the command; a mistake of the user's is a sentence, not a traceback."""
    try:
        sys.exit(app(sys.argv[1:] if words is None else words))
    except (InputError, MissingExtraError) as mistake:
        sentence = Text.assemble(("error: ", "bold red"), str(mistake))
        Console(stderr=True, highlight=False).print(sentence, soft_wrap=True)
        sys.exit(2)


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
    origin, other = _both(source, target, wanted, console)
    data = origin.vectors, None if other is None else other.vectors
    settings = {"source": str(source), "target": None if target is None else str(target)}
    settings |= {"vectors": origin.chosen, "rows": str(len(origin)), "metric": metric}
    settings |= {"method": method, "batch": str(batch), "min_gain": str(min_gain)}
    with Journal(out, settings, resume=resume, batch=batch) as journal:
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
        _show(console, chosen, origin, out)
    return _INTERRUPTED if watch.is_stopped else 0


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
    origin, other = (
        _read(source, Wanted(vectors, weight=None if target else weight, array=array), console),
        None,
    )
    if target is not None:
        other = _read(target, Wanted(vectors, weight=weight, array=array), console)
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
    _show(Console(), chosen, table, None)


def _both(
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


def _summary(chosen: ps.Selection, source: Table, out: Path) -> dict[str, Any]:
    return {
        "out": str(out),
        "k": len(chosen),
        "cost": chosen.cost,
        "gap": chosen.gap,
        "ids": source.ids[chosen.indices].tolist(),
        "weights": chosen.weights.tolist(),
    }


def _show(console: Console, chosen: ps.Selection, source: Table, out: Path | None) -> None:
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
