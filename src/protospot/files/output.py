"""A selection as a folder of files, written beside its place and renamed when whole."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path
from typing import Any

from protospot.errors import InputError, MissingExtraError
from protospot.files.table import Table
from protospot.selection import Selection


def write(
    folder: Path,
    selection: Selection,
    source: Table,
    target: Table | None,
    facts: dict[str, Any],
    *,
    force: bool = False,
) -> None:
    """Write prototypes.parquet, assignment.parquet, selection.json and selection.npz."""
    refuse_existing(folder, force=force)
    partial = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    try:
        partial.mkdir(parents=True)
        _write_prototypes(partial / "prototypes.parquet", selection, source)
        _write_assignment(partial / "assignment.parquet", selection, source, target or source)
        record = facts | {
            "cost": selection.cost,
            "lower_bound": selection.lower_bound,
            "gap": selection.gap,
            "made_by": selection.made_by,
        }
        (partial / "selection.json").write_text(json.dumps(record, indent=2) + "\n")
        selection.save(partial / "selection.npz")
        _take_the_place(folder, partial)
    except OSError as reason:
        raise InputError(f"{str(folder)!r} must be a folder to write to, but {reason}.") from reason
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def refuse_existing(folder: Path, *, force: bool) -> None:
    """Refuse to write over what is there, unless it is what an interrupted run left."""
    if folder.exists() and not force and not is_partial(folder):
        raise InputError(f"{str(folder)!r} exists already: choose another --out, or pass --force.")
    is_ours = folder.is_dir() and (
        (folder / "selection.json").exists() or not any(folder.iterdir())
    )
    if folder.exists() and not is_ours:
        raise InputError(
            f"{str(folder)!r} must be a folder of protospot's for --force to replace it, but "
            "there is no selection.json in it."
        )


def _take_the_place(folder: Path, partial: Path) -> None:
    """Rename a folder that is whole; the one that it replaces goes only then."""
    old = partial.with_name(f"{partial.name}.old")
    if folder.exists():
        folder.rename(old)
    partial.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def is_partial(folder: Path) -> bool:
    """Whether a folder holds what was selected when a run was interrupted."""
    try:
        record = json.loads((folder / "selection.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("is_partial") is True


def _write_prototypes(path: Path, selection: Selection, source: Table) -> None:
    columns = {
        "rank": range(len(selection)),
        "id": _plain(source.ids[selection.indices]),
        "row": selection.indices,
        "weight": selection.weights,
        "cost_after": selection.costs,
    }
    if source.labels is not None:
        columns["label"] = _plain(source.labels[selection.indices])
    for name, values in source.shown.items():
        columns.setdefault(name, [values[row] for row in selection.indices])
    _write_parquet(path, columns)


def _write_assignment(path: Path, selection: Selection, source: Table, target: Table) -> None:
    owners = selection.indices[selection.owner]
    columns = {
        "target_id": _plain(target.ids),
        "prototype_id": _plain(source.ids[owners]),
        "cost": selection.best,
    }
    _write_parquet(path, columns)


def _write_parquet(path: Path, columns: dict[str, Any]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("writing a selection", "io") from None
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), path)


def _plain(values: Any) -> Any:
    return values.tolist() if values.dtype.kind in "OUS" else values
