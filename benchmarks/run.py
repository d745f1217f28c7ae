"""Measure, print one table, write it into docs/benchmarks: `python benchmarks/run.py --help`.

Every measurement has a process of its own; they run one after the other. What is going on goes to
stderr, the table to stdout.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

# So that this file can also be run as a script.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, plots, report, scaling
from benchmarks.bench import Bench
from benchmarks.cases import cases
from benchmarks.claims import claims
from benchmarks.measure import ROOT

DOCS = ROOT / "docs" / "benchmarks"
SCALING = "scaling"  # the name of the curves for --only


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line asks for."""
    asked = _parser().parse_args(arguments)
    every = cases(quick=asked.quick)
    names = [case.name for case in every] + [SCALING]
    for name in asked.only:
        if name not in names:
            raise SystemExit(f"--only must name one of {', '.join(names)}; got {name!r}.")
    chosen = [case for case in every if not asked.only or case.name in asked.only]
    with_curves = not asked.only or SCALING in asked.only
    began = time.perf_counter()
    bench = Bench(asked.data, asked.threads, 1.0 if asked.quick else 10.0, _tell)
    for case in chosen:
        bench.run(case)
    curves = None
    if with_curves:
        with tempfile.TemporaryDirectory() as folder:
            curves = scaling.curves(Path(folder), asked.threads, _tell, quick=asked.quick)
    seconds = time.perf_counter() - began
    _tell(f"done in {seconds:.0f} s")

    facts = machine.describe(asked.threads) | {"whole run": f"{seconds / 60:.1f} minutes"}
    promised = claims(bench.results) + (curves.claims() if curves else [])
    page = report.Page(
        command=_command(asked),
        machine=facts,
        cases=chosen,
        bench=bench,
        # Scaled down, the cases are not those that the promises are about.
        promises=[]
        if asked.quick
        else [x for x in promised if not asked.only or x.value is not None],
        curves=curves,
    )
    print(page.text())
    if asked.json:
        asked.json.write_text(json.dumps(_as_json(page), indent=1) + "\n")
    out = asked.out or (None if asked.quick or asked.only else DOCS)
    if out is not None:
        _publish(page, out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="protospot beside its peers, in one table."
    )
    parser.add_argument("--quick", action="store_true", help="small sizes: under three minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help=f"a case, or {SCALING!r}"
    )
    folder = os.environ.get("PROTOSPOT_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        default=Path(folder) if folder else None,
        help="folder of mnist.npz (default: PROTOSPOT_DATA)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write table, curves and plots into this folder (default: docs/benchmarks for a "
        "full run, nowhere for a part of it)",
    )
    parser.add_argument("--threads", type=int, default=machine.cores(), help="default: all cores")
    return parser


def _command(asked: argparse.Namespace) -> str:
    words = ["--quick"] * asked.quick + [f"--only {name}" for name in asked.only]
    return f'make bench ARGS="{" ".join(words)}"' if words else "make bench"


def _as_json(page: report.Page) -> dict[str, Any]:
    bench, curves = page.bench, page.curves
    return {
        "command": page.command,
        "machine": page.machine,
        "results": {case: [asdict(x) for x in row] for case, row in bench.results.items()},
        "skipped": bench.skipped,
        "refused": bench.refused,
        "scaling": [asdict(point) for point in curves.points] if curves else [],
        "pick_times": curves.pick_times if curves else [],
        "promises": [asdict(claim) | {"holds": claim.holds} for claim in page.promises],
    }


def _publish(page: report.Page, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if page.curves is not None:
        scaling.write_csv(page.curves, out)
        plots.draw(page.curves, out)
    report.insert(page.text(), out / "README.md")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
