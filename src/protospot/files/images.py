"""Vectors from a folder of images: their pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from protospot.errors import InputError, MissingExtraError

_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")


def read(folder: Path) -> dict[str, Any]:
    """Read all images of a folder and those below it, in the order of their names."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise MissingExtraError("reading images", "io") from None
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in _ENDINGS)
    if not files:
        raise InputError(
            f"{str(folder)!r} must hold images ({', '.join(_ENDINGS)}), but there is none in it."
        )
    rows: list[Any] = []
    kind = "L"  # grey, until one has colours
    for file in files:
        try:
            with Image.open(file) as image:
                kind = "L" if kind == "L" and image.mode in ("1", "L", "LA", "I;16") else "RGB"
                rows.append((image.size, image.convert("RGB")))
        except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as reason:
            name = file.relative_to(folder)
            raise InputError(f"{str(name)!r} must be an image, but {reason}.") from reason
        if rows[-1][0] != rows[0][0]:
            raise InputError(
                f"images must all have one size, but {files[0].name} has {_size(rows[0][0])} and "
                f"{file.name} {_size(rows[-1][0])} pixels: resize them, or compute features."
            )
    pixels = [np.asarray(image.convert(kind)).reshape(-1) for _, image in rows]
    names = [str(file.relative_to(folder)) for file in files]
    return {
        "vectors": np.stack(pixels),
        "chosen": f"pixels of {_size(rows[0][0])} images, {'grey' if kind == 'L' else 'in colour'}",
        "ids": np.array(names),
        "shown": {"image": [str(file) for file in files]},
    }


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"
