"""The data sets of the paper, cut into a source and skewed targets as its appendix says.

A file that is not there raises `Missing`; one whose bytes are not those that the documented figures
come from only warns, as other copies of public data may be as good.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import public

Numbers = NDArray[Any]

CHECKSUMS = {
    "cifar10_effnetlite0.npz": ("0800e816a22cfd986471f223d9601d1a2e8101ac378d054e2f83321fd8beae12"),
    "letter.npz": "ad0debb7acc925b2f9db2d07bbd08b82332b95f1f491738fe934d50b98d9b804",
    "mnist.npz": "58c05ffd9880e3b6ddfe8c74b89ccc40c0da6f6152f4c5203a7c6a12919c2344",
    "office_caltech10_decaf6_dw.npz": (
        "a3d00220404a3e2ef307ba0dfeffc32c3818509fdfdf642ca141df88ef2c30f4"
    ),
    "office_caltech10_effnetlite0.npz": (
        "a5ebdafa32f3d6a715b5e6e6795784617e0bcba5d76d0e42b5ff1da8e6d7c504"
    ),
    "usps.npz": "5ef472409c949aacd83a55ec0470fc65a5a1f9933360e7035a442e0dec6896c7",
}


class Missing(Exception):
    """Data that are not on this machine; the message says where they are looked for."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Points and their labels: one each, or a table of yes and no."""

    points: Numbers
    labels: Numbers

    def __len__(self) -> int:
        return len(self.points)

    def take(self, rows: Numbers) -> Labelled:
        """Return some of them."""
        return Labelled(self.points[rows], self.labels[rows])


@dataclass(frozen=True, slots=True)
class Pair:
    """A source to select from, and a pool that targets are drawn from."""

    name: str
    source: Labelled
    pool: Labelled


def mnist(folder: Path) -> Pair:
    """Return 5,000 of the 10,000 test digits as source; targets come from the training digits."""
    both = public.mnist(folder) or parts(folder / "mnist.npz")
    train, test = (Labelled(x / np.float32(255), y) for x, y in both)
    return Pair("MNIST", test.take(some(len(test), 5_000)), train)


def usps(folder: Path) -> Pair:
    """Return the 7,291 training digits as source; targets come from the 2,007 test digits."""
    both = public.usps(folder) or parts(folder / "usps.npz")
    train, test = (Labelled(x, y) for x, y in both)
    return Pair("USPS", train, test)


def letter(folder: Path) -> Pair:
    """Return 4,000 of 20,000 letters as source; targets come from the others."""
    ((points, labels),) = public.letter(folder) or parts(folder / "letter.npz")
    return halved("Letter", Labelled(points.astype(np.float32), labels), 4_000)


def features(file: Path) -> Pair:
    """Return half of any labelled features, of unit length, as source; targets are of the rest."""
    points, labels = (np.concatenate(x) for x in zip(*parts(file), strict=True))
    return halved(file.stem, Labelled(unit(points), labels), len(points) // 2)


def domains(file: Path) -> dict[str, Labelled]:
    """Return each domain of an Office-Caltech file, its features of unit length."""
    found = public.office(file.parent) if "decaf" in file.name else None
    if found is not None:
        return {name: Labelled(unit(points), labels) for name, (points, labels) in found.items()}
    with np.load(opened(file)) as arrays:
        names = [name.removeprefix("X_") for name in arrays if name.startswith("X_")]
        return {
            name: Labelled(unit(arrays[f"X_{name}"]), arrays[f"y_{name}"]) for name in sorted(names)
        }


def parts(file: Path) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the points and labels of each part of a file of features, training data first."""
    if file.suffix == ".parquet":
        yield from _of_parquet(opened(file))
        return
    with np.load(opened(file)) as arrays:
        names = sorted((name for name in arrays if name.startswith("X_")), reverse=True)
        for name in names:
            yield arrays[name], arrays["y_" + name.removeprefix("X_")]


def skewed(labels: Numbers, kind: Any, percent: int, random: np.random.Generator) -> Numbers:
    """Return rows of which one class makes up so many percent, and the others the rest equally.

    All rows of that class are taken; where it is to be no larger than the others, as many of each
    class as the smallest has.
    """
    kinds, counts = np.unique(labels, return_counts=True)
    if percent <= 100 / len(kinds):
        sizes = dict.fromkeys(kinds.tolist(), int(counts.min()))
    else:
        n = int(counts[kinds == kind][0])
        rest = n * (100 - percent) / percent / (len(kinds) - 1)
        # Where another class has too few, the skewed one gives way.
        room = min(1.0, counts[kinds != kind].min() / rest) if rest else 1.0
        sizes = dict.fromkeys(kinds.tolist(), round(room * rest))
        sizes[np.asarray(kind).item()] = round(room * n)
    drawn = [
        random.choice(np.flatnonzero(labels == name), size, replace=False)
        for name, size in sizes.items()
    ]
    return np.sort(np.concatenate(drawn))


def halved(name: str, all_of_it: Labelled, n_source: int) -> Pair:
    """Return a random part as source, the same one every time, and the rest as the pool."""
    is_source = np.zeros(len(all_of_it), bool)
    is_source[some(len(all_of_it), n_source)] = True
    whole = np.arange(len(all_of_it))
    return Pair(name, all_of_it.take(whole[is_source]), all_of_it.take(whole[~is_source]))


def some(n: int, size: int) -> Numbers:
    """Return so many of n rows, always the same."""
    return np.sort(np.random.default_rng(0).choice(n, min(n, size), replace=False))


def unit(points: Numbers) -> Numbers:
    """Return points scaled to length 1, but for those of length 0."""
    points = points.astype(np.float32)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.where(lengths > 0, lengths, 1)


def opened(file: Path) -> Path:
    """Return the path of a file that is there; warn where its bytes are not the documented ones."""
    if not file.is_file():
        raise Missing(f"no {file.name} in {file.parent}: name its folder by --data")
    known = CHECKSUMS.get(file.name)
    if known is not None and hashlib.sha256(file.read_bytes()).hexdigest() != known:
        warnings.warn(f"{file.name} is another copy than the one documented", stacklevel=2)
    return file


def _of_parquet(file: Path) -> Iterator[tuple[Numbers, Numbers]]:
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    vectors = [name for name in table.column_names if "list" in str(table.schema.field(name).type)]
    if len(vectors) != 1 or "label" not in table.column_names:
        raise Missing(f"{file.name} must have one column of vectors, and one named 'label'")
    yield np.stack(table[vectors[0]].to_numpy()), table["label"].to_numpy()
