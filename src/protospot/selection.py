"""The result of a selection: prototypes in the order they were picked, and whom they serve."""

from __future__ import annotations

import html
import json
import os
import uuid
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from protospot.errors import InputError, MissingExtraError
from protospot.types import Floats, Ints

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

FORMAT = 1  # of the saved file; raised when an old reader could not understand a new file
_ARRAYS = ("indices", "costs", "weights", "owner", "best", "target_weights")
_SPARSE = ("data", "indices", "indptr")  # of a coupling
_SHOWN = 10  # rows in the notebook table
_PROVEN = 1e-9  # a gap that is rounding alone
# What reading a file that is something else, or damaged, can raise.
_UNREADABLE = (
    KeyError,
    ValueError,
    TypeError,
    NotImplementedError,
    EOFError,
    OSError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection:
    """Prototypes in the order they were picked, and whom they serve.

    Attributes
    ----------
    indices
        (k,) row of each prototype in the source, in the order picked.
    costs
        (k,) transport cost to the target after each pick: ``costs[t]`` belongs to
        ``indices[: t + 1]``.
    weights
        (k,) share of the target mass each prototype carries; sums to 1.
    owner
        (n_target,) position in `indices` of each target point's cheapest prototype.
    best
        (n_target,) cost from each target point to that prototype.
    target_weights
        (n_target,) mass of each target point; sums to 1.
    made_by
        How the selection came about: method, metric, k, dtype, device, versions, seconds, what
        the engine chose, and why it stopped.
    lower_bound
        No set of as many prototypes can cost less than this; None unless certified.
    coupling
        The plan that `protospot.couple` found; None unless it was called.

    Examples
    --------
    >>> import numpy as np
    >>> import protospot as ps
    >>> points = np.array([[0.0], [1.0], [10.0], [11.0], [12.0]])
    >>> chosen = ps.select(points, k=2)
    >>> chosen.indices.tolist(), chosen.weights.tolist()
    ([2, 0], [0.6, 0.4])
    """

    indices: Ints
    costs: Floats
    weights: Floats
    owner: Ints
    best: Floats
    target_weights: Floats
    made_by: dict[str, Any] = field(default_factory=dict)
    lower_bound: float | None = None
    coupling: Any = None  # the plan that goes with weights of a method's own, from `couple`

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            dtype = np.int64 if name in ("indices", "owner") else np.float64
            array = np.array(getattr(self, name), dtype=dtype)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[type[Selection], tuple[Any, ...]]:
        # Built anew by whoever copies or unpickles it, so that its arrays stay read-only.
        return Selection, tuple(getattr(self, name) for name in self.__slots__)

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def k(self) -> int:
        """How many prototypes there are."""
        return len(self.indices)

    @property
    def cost(self) -> float:
        """Transport cost from the prototypes to the target."""
        return float(self.costs[-1])

    @property
    def gap(self) -> float | None:
        """How far the cost can be above the best possible, as a share of the lower bound."""
        if self.lower_bound is None or self.cost < 0:
            return None
        if self.cost == self.lower_bound:
            return 0.0
        if self.lower_bound <= 0:
            return float("inf")
        return (self.cost - self.lower_bound) / self.lower_bound

    def plan(self) -> scipy.sparse.csr_array:
        """Return the transport plan as a sparse (k, n_target) matrix.

        Rows sum to `weights`, columns to `target_weights`; every target point takes all its mass
        from the one prototype that owns it, unless `protospot.couple` made the plan.
        """
        if self.coupling is not None:
            return self.coupling.copy()
        self._must_own_its_weights("plan()")
        from scipy.sparse import csr_array

        by_owner = np.argsort(self.owner, kind="stable")
        served = np.bincount(self.owner, minlength=self.k)
        starts = np.concatenate(([0], np.cumsum(served)))
        shape = (self.k, len(self.owner))
        return csr_array((self.target_weights[by_owner], by_owner, starts), shape=shape)

    def to_frame(self) -> pandas.DataFrame:
        """Return a pandas frame, one row per prototype: index, weight, served, cost."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("Selection.to_frame()", "io") from None
        served = np.bincount(self.owner, minlength=self.k)
        columns = {
            "index": self.indices,
            "weight": self.weights,
            "served": served,
            "cost": self.costs,
        }
        return pd.DataFrame(columns).rename_axis("rank")

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the selection to one file that `protospot.load` reads back.

        Parameters
        ----------
        path
            Any file name; by custom it ends in ``.npz``, which the file is.
        force
            Replace a file that is already there.
        """
        path = Path(path)
        if path.exists() and not force:
            raise FileExistsError(f"{str(path)!r} exists already: pass force=True to replace it.")
        facts = {"format": FORMAT, "made_by": self.made_by, "lower_bound": self.lower_bound}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        if self.coupling is not None:
            arrays |= {f"coupling_{part}": getattr(self.coupling, part) for part in _SPARSE}
        # A reader never sees half a file: write beside it, then rename.
        partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            with partial.open("xb") as file:
                np.savez_compressed(file, facts=np.array(json.dumps(facts)), **arrays)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def __repr__(self) -> str:
        lines = [f"Selection of {self.k} prototypes, cost {self.cost:.6g}"]
        if self.gap is not None:
            lines.append(f"  {in_words(self.gap)}")
        lines.append(f"  for {len(self.owner)} target points{_source_size(self.made_by)}")
        lines.append(f"  method {self._fact('method')}, metric {self._fact('metric')}")
        lines.append(f"  indices {_first(self.indices, 'd')}")
        lines.append(f"  weights {_first(self.weights, '.3g')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title, *facts = self.__repr__().splitlines()[:-2]
        head = "<tr><th>rank</th><th>source row</th><th>weight</th><th>cost after</th></tr>"
        rows = "".join(
            f"<tr><td>{rank}</td><td>{index}</td><td>{weight:.4f}</td><td>{cost:.6g}</td></tr>"
            for rank, (index, weight, cost) in enumerate(
                zip(self.indices[:_SHOWN], self.weights, self.costs, strict=False)
            )
        )
        more = f"<p>... and {self.k - _SHOWN} more</p>" if self.k > _SHOWN else ""
        about = "<br>".join(html.escape(fact.strip()) for fact in facts)
        return (
            f"<div><strong>{html.escape(title)}</strong><br>{about}"
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{more}</div>"
        )

    def _fact(self, name: str) -> Any:
        return self.made_by.get(name, "unknown")

    def _must_own_its_weights(self, what: str) -> None:
        if self.made_by.get("weights", "served") != "served":
            raise InputError(
                f"{what} needs weights that are the mass each prototype serves, but method "
                f"{self._fact('method')!r} sets its own weights. Call protospot.couple(selection, "
                "source, target) for the exact plan between those weights and the target."
            )


def in_words(gap: float) -> str:
    """Return what a gap says."""
    if gap < _PROVEN:
        return "proven to be the best possible, to nine digits"
    return f"at most {100 * gap:.2g} % above the best possible"


def load(path: str | os.PathLike[str]) -> Selection:
    """Read back a selection that `Selection.save` wrote.

    Examples
    --------
    >>> import tempfile, pathlib, protospot as ps
    >>> chosen = ps.select([[0.0], [1.0], [5.0]], k=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     chosen.save(pathlib.Path(folder) / "chosen.npz")
    ...     ps.load(pathlib.Path(folder) / "chosen.npz").cost == chosen.cost
    True
    """
    try:
        # Opened here, so that it is closed whatever it turns out to hold.
        with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            _check_format(path, facts)
            arrays = {name: file[name] for name in _ARRAYS}
            _check_arrays(arrays)
            coupling = _read_coupling(file, arrays)
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except _UNREADABLE as reason:
        raise InputError(
            f"{str(path)!r} must be a file written by Selection.save, but it cannot be read as one "
            f"({reason})."
        ) from reason
    known = {"made_by": facts["made_by"], "lower_bound": facts["lower_bound"]}
    return Selection(**arrays, **known, coupling=coupling)


def _check_format(path: str | os.PathLike[str], facts: Any) -> None:
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        found = facts.get("format") if isinstance(facts, dict) else None
        raise InputError(
            f"{str(path)!r} must be a selection of format {FORMAT}, which this protospot reads, "
            f"but its format is {found!r}: upgrade protospot, or save the selection again."
        )
    bound = facts["lower_bound"]
    if not isinstance(facts["made_by"], dict) or not isinstance(bound, float | int | None):
        raise ValueError("its record of how it was made is damaged")


def _check_arrays(arrays: dict[str, Any]) -> None:
    k, n_target = arrays["indices"].size, arrays["owner"].size
    for name, array in arrays.items():
        size = k if name in ("indices", "costs", "weights") else n_target
        kinds = "i" if name in ("indices", "owner") else "f"
        if array.shape != (size,) or size == 0 or array.dtype.kind not in kinds:
            raise ValueError(f"its {name} have shape {array.shape} and dtype {array.dtype}")


def _read_coupling(file: Any, arrays: dict[str, Any]) -> Any:
    if "coupling_data" not in file:
        return None
    from scipy.sparse import csr_array

    shape = arrays["indices"].size, arrays["owner"].size
    coupling = csr_array(tuple(file[f"coupling_{part}"] for part in _SPARSE), shape=shape)
    coupling.check_format(full_check=True)
    return coupling


def _first(values: Ints | Floats, form: str, count: int = 8) -> str:
    shown = ", ".join(format(value, form) for value in values[:count].tolist())
    return f"[{shown}, ...]" if len(values) > count else f"[{shown}]"


def _source_size(made_by: dict[str, Any]) -> str:
    return f", out of {made_by['n_source']} source points" if "n_source" in made_by else ""
