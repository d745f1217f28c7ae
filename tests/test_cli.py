"""The command does what `select` does, writes it whole, and says what is wrong in a sentence."""

import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from PIL import Image

import protospot as ps
from protospot import cli, files, scores
from protospot.compare import USUAL
from protospot.files.table import Wanted
from protospot.progress import Watch

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(60, 4)).astype("f4")
NAMES = [f"row-{i}" for i in range(60)]
FRAME = pd.DataFrame(VECTORS, columns=list("abcd")).assign(name=NAMES, kind=["x", "y", "z"] * 20)


def run(*words):
    """The exit status of the command."""
    with pytest.raises(SystemExit) as ended:
        cli.main([str(word) for word in words])
    return ended.value.code or 0


def write(path, vectors=VECTORS):
    """Write vectors as the ending says."""
    frame = pd.DataFrame(vectors, columns=list("abcd")).assign(name=NAMES[: len(vectors)])
    match path.suffix:
        case ".parquet":
            table = pa.table({"vector": list(vectors), "name": frame["name"].tolist()})
            pq.write_table(table, path, row_group_size=17)
        case ".feather":
            fixed = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 4)
            pf.write_feather(pa.table({"vector": fixed, "name": frame["name"].tolist()}), path)
        case ".csv":
            frame.to_csv(path, index=False)
        case ".tsv":
            frame.to_csv(path, index=False, sep="\t")
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True, double_precision=15)
        case ".npy":
            np.save(path, vectors)
        case ".npz":
            np.savez(path, other=np.arange(3), vectors=vectors)
    return path


ENDINGS = (".parquet", ".feather", ".csv", ".tsv", ".jsonl", ".npy", ".npz")


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_of_file_gives_the_selection_of_its_vectors(ending, tmp_path, capsys):
    source = write(tmp_path / f"pool{ending}")
    target = write(tmp_path / f"wanted{ending}", VECTORS[:25] + 0.5)
    named = [] if ending in (".npy", ".npz") else ["--id", "name"]
    assert run("select", source, target, "-k", 7, "--out", tmp_path / "out", "--json", *named) == 0
    expected = ps.select(VECTORS, VECTORS[:25] + 0.5, 7)
    told = json.loads(capsys.readouterr().out)
    rows = expected.indices.tolist()
    assert told["ids"] == ([NAMES[row] for row in rows] if named else rows)
    assert told["cost"] == pytest.approx(expected.cost, rel=1e-6)
    chosen = pd.read_parquet(tmp_path / "out" / "prototypes.parquet")
    assert chosen["row"].tolist() == rows
    np.testing.assert_allclose(chosen["weight"], expected.weights)
    served = pd.read_parquet(tmp_path / "out" / "assignment.parquet")
    assert served["prototype_id"].tolist() == [told["ids"][at] for at in expected.owner]
    assert ps.load(tmp_path / "out" / "selection.npz").indices.tolist() == rows
    record = json.loads((tmp_path / "out" / "selection.json").read_text())
    assert record["made_by"]["metric"] == "sqeuclidean"
    assert not record["is_partial"]


def test_columns_can_be_named_shown_and_weighted(tmp_path, capsys):
    frame = FRAME.assign(mass=np.arange(60.0), extra=1.0)
    frame.to_csv(tmp_path / "all.csv", index=False)
    words = ["--vectors", "[ab]", "--id", "name", "--weight", "mass", "--label", "kind"]
    words += ["--show", "extra", "--show", "c", "--refine", "--certify"]
    assert run("select", tmp_path / "all.csv", "-k", 5, "--out", tmp_path / "out", *words) == 0
    expected = ps.select(
        FRAME[["a", "b"]].to_numpy(), k=5, target_weights=np.arange(60.0), refine=True
    )
    chosen = pd.read_parquet(tmp_path / "out" / "prototypes.parquet")
    assert chosen["id"].tolist() == [NAMES[row] for row in expected.indices]
    assert {"label", "extra", "c"} <= set(chosen.columns)
    said = capsys.readouterr().err
    assert "2 numeric columns: a, b" in said
    assert "the best possible" in said


def test_a_folder_of_images_is_read_as_pixels(tmp_path):
    pixels = RNG.integers(0, 256, (9, 4, 3)).astype("u1")
    (tmp_path / "deep").mkdir()
    for at, image in enumerate(pixels):
        Image.fromarray(image).save(tmp_path / ("deep" if at > 6 else ".") / f"{at}.png")
    table = files.read(tmp_path)
    np.testing.assert_array_equal(table.vectors, pixels.reshape(9, 12))
    assert table.ids[0] == "0.png"
    assert table.chosen == "pixels of 3 x 4 images, grey"
    Image.fromarray(np.stack([pixels[0]] * 3, axis=2)).save(tmp_path / "colour.png")
    assert files.read(tmp_path).vectors.shape == (10, 36)


def text(name, content):
    return lambda folder: (folder / name).write_text(content) and folder / name


def arrays(**content):
    def made(folder):
        np.savez(folder / "x.npz", **content)
        return folder / "x.npz"

    return made


def lists(**columns):
    return lambda folder: (
        pq.write_table(pa.table(columns), folder / "x.parquet") or (folder / "x.parquet")
    )


def truncated(folder):
    file = write(folder / "x.parquet")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return file


def misspelt(folder):
    (folder / "pool.csv").write_text("a\n1\n")
    return folder / "pol.csv"


def holed(folder):
    return write(folder / "x.npy", np.where(VECTORS[3, 2] == VECTORS, np.nan, VECTORS))


def pickled(folder):
    np.save(folder / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    return folder / "x.npy"


def pictures(*sizes):
    def made(folder):
        (folder / "pictures").mkdir()
        for size in sizes:
            Image.new("L", (size, 2)).save(folder / "pictures" / f"{size}.png")
        if not sizes:
            (folder / "pictures" / "x.png").write_bytes(b"no image")
        return folder / "pictures"

    return made


# What makes the file, the words it is called with, and what is said.
BAD = {
    "missing": (misspelt, [], "Did you mean 'pool.csv'"),
    "empty": (lambda folder: (folder / "x.csv").touch() or folder / "x.csv", [], "readable .csv"),
    "no rows": (text("x.csv", "a,b\n"), [], "x.csv"),
    "truncated": (truncated, [], "must be a readable .parquet file"),
    "mixed": (text("x.csv", "a\n1\nword\n"), [], "must have a list column or numeric ones"),
    "nan": (holed, [], r"source\[3, 2\] is nan"),
    "hole": (text("x.csv", "a,b\n1,2\n,4\n"), [], "column 'a' of x.csv must be full, but row 1"),
    "widths": (lists(v=[[1.0, 2.0], [3.0]]), [], "row 1 has 1 numbers, and the first row 2"),
    "unknown column": (lambda f: write(f / "x.csv"), ["--id", "nme"], "Did you mean 'name'"),
    "same ids": (text("x.csv", "id,a\nu,1\nu,2\n"), ["--id", "id"], "once, but 'u'"),
    "k too large": (lambda f: write(f / "x.npy"), ["-k", "61"], "k must be between 1 and the 60"),
    "no image": (pictures(), [], "'x.png' must be an image"),
    "sizes": (pictures(2, 3), [], "must all have one size"),
    "pickle": (pickled, [], "must be a file of NumPy arrays"),
    "which array": (arrays(one=VECTORS, two=VECTORS), [], "--array must name one"),
    "other array": (arrays(vectors=VECTORS), ["--array", "vector"], "Did you mean 'vectors'"),
    "two lists": (lists(v=[[1.0]], w=[[1.0]]), [], "must name one of the list columns"),
    "text": (text("x.txt", "1 2 3"), [], "must end in one of"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_and_nothing_is_left_behind(case, tmp_path, capsys):
    make, words, sentence = BAD[case]
    file = make(tmp_path)
    words = words if "-k" in words else ["-k", "2", *words]
    out = tmp_path / "results" / "out"
    assert run("select", file, "--out", out, *words) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "error: " in said
    assert re.search(sentence, said)
    assert not out.exists()
    assert not list(tmp_path.glob("results/*"))


def test_nothing_is_written_over_unless_told_to(tmp_path, capsys):
    source, out = write(tmp_path / "pool.npy"), tmp_path / "out"
    assert run("select", source, "-k", 3, "--out", out, "--quiet") == 0
    before = (out / "selection.json").read_text()
    assert run("select", source, "-k", 4, "--out", out, "--quiet") == 2
    assert "exists already" in capsys.readouterr().err
    assert (out / "selection.json").read_text() == before
    assert run("select", source, "-k", 4, "--out", out, "--quiet", "--force") == 0
    assert len(pd.read_parquet(out / "prototypes.parquet")) == 4
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear")
    assert run("select", source, "-k", 3, "--out", tmp_path / "mine", "--force") == 2
    assert (tmp_path / "mine" / "diary.txt").read_text() == "dear"
    capsys.readouterr()


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    source, out = write(tmp_path / "pool.npy"), tmp_path / "out"
    monkeypatch.setattr("protospot.selection.Selection.save", full)
    assert run("select", source, "-k", 3, "--out", out) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pool.npy"]


def test_what_is_picked_when_interrupted_is_kept(tmp_path, monkeypatch, capsys):
    picked = []

    def pick(self, pick):
        picked.append(pick.index)
        if len(picked) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        original(self, pick)

    original = Watch.pick
    monkeypatch.setattr(Watch, "pick", pick)
    source, out = write(tmp_path / "pool.npy"), tmp_path / "out"
    assert run("select", source, "-k", 9, "--out", out, "--refine") == 130
    record = json.loads((out / "selection.json").read_text())
    assert record["is_partial"]
    chosen = pd.read_parquet(out / "prototypes.parquet")
    assert chosen["row"].tolist() == picked == ps.select(VECTORS, k=3).indices.tolist()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    # And the run can go on.
    monkeypatch.setattr(Watch, "pick", original)
    assert run("select", source, "-k", 9, "--out", out, "--resume") == 0
    whole = pd.read_parquet(out / "prototypes.parquet")
    assert whole["row"].tolist() == ps.select(VECTORS, k=9).indices.tolist()
    assert not (tmp_path / "out.partial").exists()
    capsys.readouterr()


@pytest.mark.parametrize("batch", [1, 4])
def test_a_killed_run_goes_on_to_the_same_prototypes(batch, tmp_path, capsys):
    many = np.random.default_rng(5).normal(size=(400, 8)).astype("f4")
    source, out = tmp_path / "pool.npy", tmp_path / "out"
    np.save(source, many)
    words = ["select", str(source), "-k", "60", "--out", str(out), "--batch", str(batch)]
    # Killed at its 23rd pick, as the system kills: without a word.
    code = (
        "import os, signal, sys\n"
        "from protospot import cli\n"
        "from protospot.progress import Watch\n"
        "pick = Watch.pick\n"
        "def killed(self, found):\n"
        "    pick(self, found)\n"
        "    if found.rank == 22: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Watch.pick = killed\n"
        "cli.main(sys.argv[1:])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    assert not out.exists()
    assert (tmp_path / "out.partial" / "picks.txt").read_text().count("\n") == 23
    assert run(*words, "--resume") == 0
    chosen = pd.read_parquet(out / "prototypes.parquet")
    assert chosen["row"].tolist() == ps.select(many, k=60, batch=batch).indices.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "pool.npy"]
    capsys.readouterr()


def test_only_the_same_run_can_be_resumed(tmp_path, capsys):
    source, out = write(tmp_path / "pool.npy"), tmp_path / "out"
    assert run("select", source, "-k", 3, "--out", out, "--resume") == 2
    assert "there is none" in " ".join(capsys.readouterr().err.split())
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "settings.json").write_text('{"metric": "cosine"}')
    (tmp_path / "out.partial" / "picks.txt").write_text("3\n1")
    assert run("select", source, "-k", 3, "--out", out, "--resume") == 2
    assert "metric" in capsys.readouterr().err
    assert run("select", source, "-k", 3, "--out", out, "--resume", "--method", "simple") == 2
    assert "method greedy" in capsys.readouterr().err


def test_only_the_columns_that_are_needed_are_read(tmp_path):
    table = pa.table({"v": list(VECTORS), "heavy": ["x" * 1000] * 60, "name": NAMES})
    pq.write_table(table, tmp_path / "x.parquet")
    found = files.read(tmp_path / "x.parquet", Wanted(id="name"))
    np.testing.assert_array_equal(found.vectors, VECTORS)
    assert found.vectors.dtype == np.float32
    assert found.ids.tolist() == NAMES
    assert found.shown == {}


def test_the_other_commands_answer(tmp_path, capsys):
    assert run("demo", "-k", "3") == 0
    assert "3 prototypes" in capsys.readouterr().out
    assert run("explain", write(tmp_path / "pool.npy"), "-k", 5) == 0
    assert "60 sources x 60 targets" in capsys.readouterr().out
    assert run("--version") == 0
    assert ps.__version__ in capsys.readouterr().out


def test_methods_are_put_side_by_side(tmp_path, capsys):
    source = write(tmp_path / "pool.parquet")
    target = write(tmp_path / "wanted.parquet", VECTORS[:30] + 0.3)
    picture = tmp_path / "methods.svg"
    words = ["compare", source, target, "-k", 6, "--out", picture, "--json", "--sigma", 2]
    assert run(*words) == 0
    told = json.loads(capsys.readouterr().out)
    rows = told["methods"]
    assert {row["method"] for row in rows} == set(USUAL)
    assert [row["cost"] for row in rows] == sorted(row["cost"] for row in rows)
    assert told["lower_bound"] <= rows[0]["cost"]
    by_name = {row["method"]: row for row in rows}
    greedy = ps.select(VECTORS, VECTORS[:30] + 0.3, 6)
    assert by_name["greedy"]["cost"] == pytest.approx(greedy.cost)
    found = ps.select(VECTORS, VECTORS[:30] + 0.3, 6, method="protodash", sigma=2.0)
    apart = scores.discrepancy(found, VECTORS, VECTORS[:30] + 0.3, sigma=2.0)
    assert by_name["protodash"]["discrepancy"] == pytest.approx(apart)
    assert "no set can cost less" in picture.read_text()
    assert run(*words) == 2
    assert "exists already" in capsys.readouterr().err
    assert run("compare", source, "-k", 3, "--methods", "greedy", "simple") == 0
    assert "No 3 rows can cost less" in capsys.readouterr().out
    assert run("compare", source, "-k", 3, "--methods", "gredy") == 2
    assert "Did you mean 'greedy'" in " ".join(capsys.readouterr().err.split())


def test_a_run_that_was_cut_off_is_not_thrown_away_by_mistake(tmp_path, capsys):
    source, out = write(tmp_path / "pool.npy"), tmp_path / "out"
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "picks.txt").write_text("3\n")
    assert run("select", source, "-k", 3, "--out", out) == 2
    assert "--resume" in capsys.readouterr().err
    assert (tmp_path / "out.partial" / "picks.txt").read_text() == "3\n"
    assert run("select", source, "-k", 3, "--out", out, "--force") == 0
    assert not (tmp_path / "out.partial").exists()


def test_a_place_that_cannot_be_written_to_is_named(tmp_path, capsys):
    source = write(tmp_path / "pool.npy")
    assert run("select", source, "-k", 3, "--out", source / "out") == 2
    assert "must be a folder that can be written to" in " ".join(capsys.readouterr().err.split())
    assert run("select", source, "-k", 3, "--out", source, "--force") == 2
    assert "must be a folder of protospot's" in " ".join(capsys.readouterr().err.split())
    np.testing.assert_array_equal(np.load(source), VECTORS)
