"""Every experiment runs, on tiny made-up data; and the real table comes out where its data are."""

import gzip
import json
import os
import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat

from experiments import claims, page, sets, table1
from experiments.__main__ import EXPERIMENTS, main
from experiments.runs import Run, made

pytestmark = [
    pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning"),
    pytest.mark.filterwarnings("ignore:.*is another copy"),
]


def labelled(rng, n, width, classes=10):
    labels = np.arange(n) % classes
    return (rng.normal(size=(n, width)) + 2 * labels[:, None] % 7).astype("f4"), labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sets like the real ones in everything but size."""
    rng, place = np.random.default_rng(0), tmp_path_factory.mktemp("data")

    def write(name, **sizes):
        arrays = {}
        for part, (n, width, classes) in sizes.items():
            arrays[f"X_{part}"], arrays[f"y_{part}"] = labelled(rng, n, width, classes)
        np.savez(place / name, **arrays)

    write("mnist.npz", train=(400, 16, 10), test=(120, 16, 10))
    write("usps.npz", train=(120, 9, 10), test=(200, 9, 10))
    write("letter.npz", all=(4300, 4, 26))
    write("cifar10_effnetlite0.npz", train=(150, 6, 10), test=(150, 6, 10))
    for name in ("office_caltech10_decaf6_dw.npz", "office_caltech10_effnetlite0.npz"):
        write(name, dslr=(40, 6, 10), webcam=(50, 6, 10))
    many: dict[str, Any] = {}
    for side in ("source", "target"):
        many |= {f"X_{side}": rng.normal(size=(60, 5)), f"Y_{side}": rng.random((60, 8)) < 0.3}
    np.savez(place / "flickr.npz", **many)
    return place


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_writes_its_rows_its_table_and_its_picture(name, folder, tmp_path, capsys):
    out = tmp_path / "results"
    command = [name, "--data", str(folder), "--out", str(out), "--quick", "--runs", "1"]
    assert main(command) == 0
    written = {path.name for path in out.iterdir()}
    assert {f"{name}.csv", f"{name}.jsonl", f"{name}.md"} <= written
    pictures = [path for path in out.iterdir() if path.suffix in (".svg", ".png")]
    assert pictures or name in ("table1", "times")
    rows = (out / f"{name}.csv").read_text()
    assert len(rows.splitlines()) > 1
    # The second time everything is there already.
    before = (out / f"{name}.jsonl").read_text()
    assert main(command) == 0
    assert (out / f"{name}.jsonl").read_text() == before
    assert (out / f"{name}.csv").read_text() == rows
    capsys.readouterr()


def test_the_page_names_every_experiment_and_shows_what_there_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page, "DOCS", tmp_path / "docs")
    (tmp_path / "figure1.md").write_text("| a table |")
    (tmp_path / "figure1-lead.md").write_text("- SPOTgreedy is ahead")
    (tmp_path / "figure1.svg").write_text("<svg/>")
    assert main(["page", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "docs" / "paper.md").read_text()
    assert "| a table |" in text
    assert "- SPOTgreedy is ahead" in text
    assert "](paper/figure1.svg)" in text
    assert (tmp_path / "docs" / "paper" / "figure1.svg").exists()
    assert all(f"python -m experiments {name} " in text for name in EXPERIMENTS)
    assert "wrote" in capsys.readouterr().out


def test_a_lead_is_told_with_where_it_is_lost(tmp_path):
    rows = [
        {"set": "A", "method": method, "k": k, "accuracy": value}
        for method, values in (("SPOTgreedy", (1.0, 2.0, 3.0)), ("ProtoDash", (0.5, 2.5, 2.0)))
        for k, value in zip((10, 20, 30), values, strict=True)
    ]
    claims.write_lead(rows, tmp_path / "lead.md", ("set",), "k", "accuracy", ("ProtoDash",))
    assert (tmp_path / "lead.md").read_text() == (
        "- SPOTgreedy is ahead of ProtoDash at 2 of 3 points; "
        "not for A at k = 20, by 0.5 at most.\n"
    )


def test_data_that_are_not_there_are_named(tmp_path, capsys):
    assert main(["figure1", "--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "no mnist.npz" in capsys.readouterr().err


def test_runs_that_were_cut_off_go_on_where_they_were(tmp_path, capsys):
    calls = []

    def work(number):
        calls.append(number)
        if number == 2 and calls.count(2) == 1:
            raise KeyboardInterrupt
        return [{"value": number**2}]

    runs = [Run({"number": n}, partial(work, n)) for n in range(4)]
    with pytest.raises(KeyboardInterrupt):
        made("squares", runs, tmp_path)
    journal = tmp_path / "squares.jsonl"
    journal.write_text(journal.read_text() + '{"settings": {"num')  # as a cut may leave it
    rows = made("squares", runs, tmp_path)
    assert [row["value"] for row in rows] == [0, 1, 4, 9]
    assert calls == [0, 1, 2, 2, 3]
    assert all(json.loads(line) for line in journal.read_text().splitlines() if "rows" in line)
    capsys.readouterr()


@given(
    st.lists(st.integers(5, 40), min_size=2, max_size=8),
    st.sampled_from([0, 30, 50, 70, 100]),
    st.integers(0, 100),
)
def test_a_skewed_target_has_the_shares_it_should(counts, percent, seed):
    labels = np.repeat(np.arange(len(counts)), counts)
    kind = seed % len(counts)
    rows = sets.skewed(labels, kind, percent, np.random.default_rng(seed))
    assert len(set(rows.tolist())) == len(rows)
    found = np.bincount(labels[rows], minlength=len(counts))
    if percent <= 100 / len(counts):
        assert set(found.tolist()) == {min(counts)}
        return
    others = np.delete(found, kind)
    assert len(set(others.tolist())) == 1
    # Whole rows cannot make the share exact.
    slack = 100 * len(counts) / len(rows)
    assert abs(100 * found[kind] / len(rows) - percent) <= slack
    enough = counts[kind] * (100 - percent) / percent / (len(counts) - 1)
    if np.delete(counts, kind).min() >= enough:
        assert found[kind] == counts[kind]


def test_features_of_any_file_can_stand_in(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    vectors, labels = labelled(np.random.default_rng(1), 90, 5)
    table = pa.table({"vector": pa.array(list(vectors)), "label": pa.array(labels)})
    pq.write_table(table, tmp_path / "mine.parquet")
    pair = sets.features(tmp_path / "mine.parquet")
    assert (len(pair.source), len(pair.pool)) == (45, 45)
    np.testing.assert_allclose(np.linalg.norm(pair.source.points, axis=1), 1, rtol=1e-6)


def test_public_files_are_read_as_they_are_published(tmp_path):
    rng = np.random.default_rng(2)
    for part, n in (("train", 30), ("t10k", 20)):
        images = rng.integers(0, 256, (n, 4, 4)).astype("u1")
        header = struct.pack(">HBB3I", 0, 8, 3, n, 4, 4)
        packed = gzip.compress(header + images.tobytes())
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(packed)
        labels = struct.pack(">HBBI", 0, 8, 1, n) + bytes(i % 10 for i in range(n))
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    pair = sets.mnist(tmp_path)
    assert (len(pair.pool), len(pair.source)) == (30, 20)
    np.testing.assert_allclose(pair.source.points, images.reshape(20, 16) / np.float32(255))
    (tmp_path / "letter-recognition.data").write_text("T,2,8,3\nI,5,12,3\n" * 3000)
    letters = sets.letter(tmp_path)
    assert (len(letters.source), len(letters.pool)) == (4000, 2000)
    assert set(letters.pool.labels.tolist()) == {8, 19}
    lines = "".join(f"{1 + i % 10} 1:-1.0 256:1.0\n" for i in range(12))
    for name in ("usps", "usps.t"):
        (tmp_path / name).write_text(lines)
    digits = sets.usps(tmp_path)
    assert digits.source.points[0, [0, 1, 255]].tolist() == [0.0, 0.5, 1.0]
    assert sorted(set(digits.pool.labels.tolist())) == list(range(10))
    vectors = rng.random((6, 3))
    savemat(tmp_path / "dslr_decaf.mat", {"feas": vectors, "labels": np.arange(1, 7)})
    sides = sets.domains(tmp_path / "office_caltech10_decaf6_dw.npz")
    assert sides["dslr"].labels.tolist() == list(range(6))


CELLS = {"SPOTgreedy", "MMD-Critic", "MMD-Critic+OT", "ProtoDash", "ProtoDash+OT"}


@pytest.mark.parametrize(("source", "target"), [("dslr", "webcam"), ("webcam", "dslr")])
@pytest.mark.parametrize("column", sorted(CELLS))
def test_the_cells_of_table_1_come_out_to_the_digit(column, source, target):
    file = Path(os.environ.get("PROTOSPOT_DATA", ".")) / "office_caltech10_decaf6_dw.npz"
    if not file.is_file():
        pytest.skip("PROTOSPOT_DATA names no folder with the DeCAF6 features")
    sides = sets.domains(file)
    found = table1.accuracy(column, sides[source], sides[target])
    paper = table1.PAPER[source, target][table1.COLUMNS.index(column)]
    assert round(found, 2) == paper
