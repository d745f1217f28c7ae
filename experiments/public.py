"""Public files of the paper's sets, as their publishers name them, for folders without our .npz.

Each function returns the parts of a set, training data first, or None without its files.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Part = tuple[Numbers, Numbers]  # points, labels


def mnist(folder: Path) -> list[Part] | None:
    """Read the four idx files of yann.lecun.com/exdb/mnist, packed or not."""
    found = []
    for part in ("train", "t10k"):
        images = _either(folder, f"{part}-images-idx3-ubyte", f"{part}-images.idx3-ubyte")
        labels = _either(folder, f"{part}-labels-idx1-ubyte", f"{part}-labels.idx1-ubyte")
        if images is None or labels is None:
            return None
        points = idx(images)
        found.append((points.reshape(len(points), -1), idx(labels)))
    return found


def usps(folder: Path) -> list[Part] | None:
    """Read usps.h5, or `usps` and `usps.t` of the LIBSVM data sets, packed or not."""
    if (folder / "usps.h5").exists():
        return _usps_h5(folder / "usps.h5")
    files = [_either(folder, name, f"{name}.bz2") for name in ("usps", "usps.t")]
    if None in files:
        return None
    from sklearn.datasets import load_svmlight_file

    found = []
    for file in files:
        points, labels = load_svmlight_file(str(file), n_features=256)
        # Pixels go from -1 to 1 there, and labels from 1 to 10.
        found.append((((points.toarray() + 1) / 2).astype(np.float32), labels.astype(int) - 1))
    return found


def letter(folder: Path) -> list[Part] | None:
    """Read letter-recognition.data of the UCI repository."""
    file = folder / "letter-recognition.data"
    if not file.exists():
        return None
    table = np.array([line.split(",") for line in file.read_text().split()])
    labels = np.array([ord(name) - ord("A") for name in table[:, 0]])
    return [(table[:, 1:].astype(np.uint8), labels)]


def office(folder: Path) -> dict[str, Part] | None:
    """Read the DeCAF6 files of Office-Caltech: `<domain>_decaf.mat` with feas and labels."""
    files = sorted(folder.glob("*_decaf.mat"))
    if not files:
        return None
    from scipy.io import loadmat

    found = {}
    for file in files:
        content = loadmat(file)
        name = file.name.removesuffix("_decaf.mat").lower()
        found[name] = content["feas"].astype(np.float32), content["labels"].ravel().astype(int) - 1
    return found


def idx(file: Path) -> Numbers:
    """Read an idx file of bytes: sizes first, big-endian, then the numbers."""
    content = file.read_bytes()
    content = gzip.decompress(content) if file.suffix == ".gz" else content
    zeros, kind, n_sizes = struct.unpack(">HBB", content[:4])
    if (zeros, kind) != (0, 8):
        raise ValueError(f"{file.name} must be an idx file of bytes")
    sizes = struct.unpack(f">{n_sizes}I", content[4 : 4 + 4 * n_sizes])
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_sizes).reshape(sizes)


def _usps_h5(file: Path) -> list[Part]:
    try:
        import h5py
    except ImportError:
        raise ValueError(
            "usps.h5 can be read only with h5py: pip install h5py, or use the LIBSVM files"
        ) from None
    with h5py.File(file) as content:
        both = content["train"], content["test"]
        return [(part["data"][:], part["target"][:]) for part in both]


def _either(folder: Path, *names: str) -> Path | None:
    for name in names:
        for ending in ("", ".gz"):
            if (folder / (name + ending)).is_file():
                return folder / (name + ending)
    return None
