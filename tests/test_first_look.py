"""The first pass over a stored matrix: it checks, sums, and guesses what the first pick will be."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import protospot as ps
from protospot.costs import look
from protospot.costs.known import even_edges
from protospot.kernels.choose import kernels
from protospot.threads import Team
from tests import oracles, paths
from tests.problems import problems

pytestmark = pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")


@pytest.fixture
def guesses(monkeypatch):
    """Look for a guess even where a matrix is small, and use it before any pair is listed."""
    monkeypatch.setattr(look, "_LARGE", 0)
    paths.list_late(monkeypatch)


def stored(dtype="f4", shape=(90, 400)):
    return np.random.default_rng(0).random(shape).astype(dtype)


@given(problems(dtypes=("f8",)), st.sampled_from(["best", "worst"]))
def test_whatever_is_guessed_the_picks_are_those_of_brute_force(problem, guess):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look, "_LARGE", 0)
        paths.list_late(patch)
        if guess == "worst":
            patch.setattr(look, "_likely_first", lambda matrix, _: matrix.sum(axis=1).argmax())
        chosen = problem.stored().solve()
    picks = oracles.greedy(problem.cost, problem.k, problem.weights)
    assert chosen.indices.tolist() == picks[: len(chosen)]


@pytest.mark.usefixtures("guesses")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_right_guess_saves_a_pass_over_the_matrix(dtype, monkeypatch):
    matrix, passes = stored(dtype), []
    gains = kernels().gains
    monkeypatch.setattr(kernels(), "gains", lambda *given: passes.append(gains(*given)))
    right = ps.select(matrix, k=9, metric="precomputed")
    assert not passes
    # With other weights, what was summed up says nothing.
    heavy = np.linspace(1, 2, matrix.shape[1])
    ps.select(matrix, k=9, metric="precomputed", target_weights=heavy)
    assert passes
    passes.clear()
    monkeypatch.setattr(look, "_likely_first", lambda matrix, _: matrix.sum(axis=1).argmax())
    wrong = ps.select(matrix, k=9, metric="precomputed")
    assert passes
    assert wrong.indices.tolist() == right.indices.tolist()
    np.testing.assert_allclose(wrong.costs, right.costs, rtol=1e-12)


@pytest.mark.usefixtures("guesses")
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (89, 399), (44, 17)])
def test_a_number_that_is_not_finite_is_named_wherever_it_is(bad, place):
    matrix = stored()
    matrix[place] = bad
    with pytest.raises(ps.InputError, match=rf"\[{place[0]}, {place[1]}\] is {bad}"):
        ps.select(matrix, k=3, metric="precomputed")


@pytest.mark.usefixtures("guesses")
def test_the_guess_is_the_first_pick_where_the_sample_can_tell():
    matrix = stored(shape=(300, 2000))
    matrix[77] *= 0.8
    matrix[78] *= 0.9
    assert look._likely_first(matrix, Team(2)) == 77
    assert ps.select(matrix, k=1, metric="precomputed").indices.tolist() == [77]


def test_no_pair_is_lost_where_none_fits_in_memory():
    # Rows that the sample of pairs does not see serve a few targets alone.
    n = 600
    matrix = np.full((n, n), 5.0)
    hidden = [i for i in range(n) if i not in set(even_edges(n - 1, 255).tolist())]
    matrix[hidden[5]] = 1
    matrix[hidden[9], 3], matrix[hidden[11], 5], matrix[hidden[12], 333] = 0.2, 0.1, 0
    least = ps.explain(matrix, k=4, metric="precomputed").smallest_memory
    small = ps.select(matrix, k=4, metric="precomputed", memory=least)
    assert small.indices.tolist() == ps.select(matrix, k=4, metric="precomputed").indices.tolist()


def test_a_first_look_stays_within_the_memory_and_warns_nobody():
    matrix = np.random.default_rng(0).random((80, 100_000))
    ps.select(matrix, k=3, metric="precomputed")
    tracemalloc.start()
    ps.select(matrix, k=3, metric="precomputed", memory=23_896_960)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 23_896_960
    huge = (np.random.default_rng(0).random((1100, 1100)) * 3e38).astype("f4")
    expected = oracles.greedy(huge.astype("f8"), 3)
    assert ps.select(huge, k=3, metric="precomputed").indices.tolist() == expected
