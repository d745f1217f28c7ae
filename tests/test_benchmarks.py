"""The benchmarks measure, and say what they could not measure."""

import subprocess
import sys

import numpy as np
import pytest

import protospot as ps
from benchmarks import data, plots, report, scaling
from benchmarks.bench import Bench
from benchmarks.cases import Case, cases
from benchmarks.claims import Claim, over_limit
from benchmarks.measure import ROOT, Job, Outcome, measure
from benchmarks.peers import COMPETITORS, PEERS, REFINED, Competitor
from benchmarks.score import cost_of, same_picks


@pytest.fixture
def bench():
    return Bench(None, threads=1, patience=1.0, tell=lambda _: None)


def test_a_case_is_measured_from_end_to_end(bench, monkeypatch):
    absent = Competitor("no-such-package", lambda task: range(task.k))
    monkeypatch.setitem(COMPETITORS, "absent", absent)
    arrays = data.mixtures(60, 90, 5)
    peers = ("interpret SPOT", "absent")
    case = Case("tiny", "a mixture", lambda _: arrays, 6, peers, limit="gemm")
    bench.run(case)
    mine, theirs, missing = bench.results["tiny"]
    assert [x.status for x in (mine, theirs, missing)] == ["done", "done", "not installed"]
    assert mine.indices == theirs.indices
    assert mine.indices == ps.select(arrays.source, arrays.target, 6).indices.tolist()
    assert mine.cost == pytest.approx(
        ps.evaluate(mine.indices, arrays.source, arrays.target).cost, rel=1e-12
    )
    assert len(mine.runs) == len(mine.limit_runs) >= 3
    ratios = np.array(mine.runs) / np.array(mine.limit_runs)
    assert over_limit(bench.results, "tiny") == pytest.approx(np.median(ratios))
    assert mine.peak >= mine.loaded > 0
    assert "kmedoids pam_build" in bench.refused["tiny"]["as source is not target"]

    text = report.Page("make bench", {"cores": "1"}, [case], bench, [], None).text()
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| tiny")]
    assert [row[2].strip() for row in rows] == [
        "protospot",
        "limit: one GEMM",
        "interpret SPOT",
        "absent",
    ]
    assert rows[2][9].strip() == "yes"
    assert rows[3][4].strip() == "not installed"


def test_a_given_matrix_is_measured_from_end_to_end(bench):
    points = data.digits()[:80]
    case = Case(
        "matrix",
        "digits",
        lambda _: data.as_matrix(data.Arrays(points)),
        5,
        ("kmedoids pam_build",),
        limit="read",
    )
    bench.run(case)
    mine, theirs = bench.results["matrix"]
    assert mine.indices == theirs.indices
    assert mine.cost == pytest.approx(ps.evaluate(mine.indices, points).cost, rel=1e-6)
    assert mine.limit_name == "one read"


def test_a_peer_that_fails_is_reported(tmp_path):
    data.mixtures(40, 50, 3).save(tmp_path)
    outcome = measure(Job("kmedoids pam_build", k=3, threads=1), tmp_path)
    assert outcome.status == "failed"
    assert outcome.message.startswith("PanicException: ")
    assert outcome.version
    assert outcome.seconds is None


def test_a_peer_that_takes_too_long_is_stopped_and_reported(tmp_path):
    data.mixtures(400, 4_000, 3).save(tmp_path)
    outcome = measure(Job("interpret SPOT", k=50, threads=1, seconds=0.01), tmp_path)
    assert (outcome.status, outcome.message) == ("over time", "over 0.01 s")
    own = Outcome("protospot", "1", "done", runs=[0.001])
    row = report._row(Case("slow", "", lambda _: data.Arrays(), 50), outcome, own)
    assert row[3] == "over 0.01 s"
    assert row[7] == "over 10"


def test_data_that_are_not_here_are_a_reason_to_skip(bench):
    case = next(case for case in cases(quick=True) if case.name == "mnist")
    bench.run(case)
    assert "PROTOSPOT_DATA" in bench.skipped["mnist"]
    assert "mnist" not in bench.results
    page = report.Page("make bench", {}, [case], bench, [], None)
    row = next(line for line in page.text().splitlines() if line.startswith("| mnist"))
    assert "skipped" in row
    assert "no mnist.npz" in row


@pytest.mark.parametrize("quick", [True, False])
def test_cases_name_competitors_that_exist(quick):
    every = cases(quick=quick)
    assert len({case.name for case in every}) == len(every)
    assert {name for case in every for name in case.peers} == {*PEERS, REFINED}


def test_mnist_is_scaled_and_of_the_size_asked_for(request):
    folder = request.getfixturevalue("data")  # here `data` is the module
    arrays = data.mnist(folder, 100, 200)
    assert arrays.shape == (100, 200)
    assert arrays.sources.dtype == np.float32
    assert arrays.sources.max() == 1


def test_source_and_target_are_two_draws_around_the_same_centres():
    source, again, target = (
        data.mixture(50, 4, centres=3, noise=0.0, draw=draw)
        for draw in (data.SOURCE, data.SOURCE, data.TARGET)
    )
    assert np.array_equal(source, again)
    assert not np.array_equal(source, target)
    assert np.array_equal(np.unique(source, axis=0), np.unique(target, axis=0))
    np.testing.assert_allclose(np.linalg.norm(data.sphere(9, 4), axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("target", [None, data.mixture(70, 6, draw=data.TARGET)])
def test_the_cost_reached_is_that_of_evaluate(target):
    source = data.mixture(50, 6) + np.float32(100)
    target = None if target is None else target + np.float32(100)
    rows = np.array([3, 17, 40])
    mine = ps.evaluate(rows, source, target).cost
    assert cost_of(rows, data.Arrays(source, target)) == pytest.approx(mine, rel=1e-12)


def test_same_picks_are_counted_from_the_first():
    assert same_picks([4, 2, 9], [4, 2, 9, 1]) == 3
    assert same_picks([4, 2, 9], [4, 3, 9]) == 1


def test_a_peer_stopped_by_time_does_not_decide_a_claim_it_may_still_bear_out():
    assert Claim("ratio", 10, 12, at_most=False, is_floor=True).holds is True
    assert Claim("ratio", 10, 8, at_most=False, is_floor=True).holds is None
    assert Claim("ratio", 10, 8, at_most=False).holds is False
    assert Claim("ratio", 10, 8).holds is True
    assert Claim("ratio", 10, None).holds is None


def test_curves_are_fitted_written_and_drawn(tmp_path):
    sizes = {"n_source": 10, "n_target": 10, "d": 10, "k": 10}
    points = [
        scaling.Point(axis, **sizes | {axis: n}, seconds=n**1.5, loaded=0, peak=n << 20)
        for axis in sizes
        for n in (10, 20, 40)
    ]
    times = [1.0, 2.0, 3.0, 3.5, 4.0]
    found = scaling.Curves(points, times, "some size", ["another size: failed"])
    assert found.exponents() == pytest.approx(dict.fromkeys(sizes, 1.5))
    assert [claim.holds for claim in found.claims()] == [False] * 4
    assert found.picks() == [(1, 1, 1.0), (2, 3, 1.0), (4, 5, 0.5)]
    scaling.write_csv(found, tmp_path)
    assert (tmp_path / "scaling.csv").read_text().splitlines()[1] == (
        "n_source,10,10,10,10,31.62278,10.0,10.0"
    )
    plots.draw(found, tmp_path)
    first = (tmp_path / "scaling.svg").read_bytes()
    plots.draw(found, tmp_path)
    assert (tmp_path / "scaling.svg").read_bytes() == first
    assert "another size: failed" in report.growth(found)


def test_results_replace_only_what_stands_between_the_marks(tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    report.insert("new", page)
    assert page.read_text() == f"before\n{report.BEGIN}\n\nnew\n\n{report.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="README.md must hold the lines"):
        report.insert("new", page)
    assert report.BEGIN in (ROOT / "docs" / "benchmarks" / "README.md").read_text()


def test_the_script_runs_from_anywhere_and_refuses_unknown_cases(tmp_path):
    command = [sys.executable, str(ROOT / "benchmarks" / "run.py"), "--only", "nothing"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "--only must name one of small, digits" in ended.stderr
