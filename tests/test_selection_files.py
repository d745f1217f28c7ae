"""A selection comes back whole from its file, and a file is written whole or not at all."""

import dataclasses
import json
import random
from typing import Any

import numpy as np
import pytest

import protospot as ps

RNG = np.random.default_rng(1)
SOURCE, TARGET = RNG.normal(size=(25, 3)), RNG.normal(size=(40, 3))
WEIGHTS = RNG.random(40)
FIELDS = [field.name for field in dataclasses.fields(ps.Selection)]
ARRAYS = ["indices", "costs", "weights", "owner", "best", "target_weights"]


def chosen(**options):
    known: dict[str, Any] = {"k": 5, "target_weights": WEIGHTS}
    return ps.select(SOURCE, TARGET, **known | options)


def assert_equal(one, other):
    for name in FIELDS:
        np.testing.assert_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch": 3, "min_gain": 0.01, "start": [4]},
        {"metric": lambda x, y: abs(x - y).max()},
        {"method": "stochastic", "seed": 3},
        {"method": "simple"},
    ],
)
def test_every_field_comes_back_from_a_file(tmp_path, options):
    selection = dataclasses.replace(chosen(**options), lower_bound=0.1)
    selection.save(tmp_path / "one")  # any name will do
    loaded = ps.load(str(tmp_path / "one"))
    assert_equal(loaded, selection)
    assert not any(getattr(loaded, name).flags.writeable for name in ARRAYS)
    with np.load(tmp_path / "one", allow_pickle=False) as file:
        assert sorted(file) == sorted([*ARRAYS, "facts"])
        assert json.loads(str(file["facts"]))["made_by"] == selection.made_by


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "chosen.npz"
    chosen(k=3).save(path)
    before = path.read_bytes()

    def fail(file, **_):
        file.write(b"half of it")
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez_compressed", fail)
    for name in ("chosen.npz", "other.npz"):
        with pytest.raises(OSError, match="no space left"):
            chosen(k=4).save(tmp_path / name, force=True)
    unwritable = dataclasses.replace(chosen(), made_by={"made": {1, 2}})
    with pytest.raises(TypeError):
        unwritable.save(path, force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["chosen.npz"]
    assert path.read_bytes() == before


def test_a_damaged_file_is_refused_or_harmless(tmp_path):
    selection, path = chosen(), tmp_path / "chosen.npz"
    selection.save(path)
    content, rng = path.read_bytes(), random.Random(0)
    damaged = [content[:end] for end in range(0, len(content), 97)]
    for _ in range(300):
        at = rng.randrange(len(content))
        damaged.append(
            content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        )
    for each in damaged:
        path.write_bytes(each)
        try:
            loaded = ps.load(path)
        except ps.InputError:
            continue
        assert_equal(loaded, selection)


@pytest.mark.parametrize(
    "facts",
    [
        "[1]",
        "null",
        '{"format": 1}',
        '{"format": 1, "made_by": [], "lower_bound": null}',
        '{"format": 1, "made_by": {}, "lower_bound": "low"}',
        '{"format": 2, "made_by": {}, "lower_bound": null}',
        "{",
    ],
)
def test_a_file_of_another_make_is_refused(tmp_path, facts):
    arrays = {name: getattr(chosen(), name) for name in ARRAYS}
    np.savez(tmp_path / "other.npz", facts=np.array(facts), **arrays)
    with pytest.raises(ps.InputError, match="other.npz"):
        ps.load(tmp_path / "other.npz")
