"""The estimators keep scikit-learn's contract, and what they share."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import protospot as ps

ALL = [ps.PrototypeSelector, ps.PrototypeSampler, ps.NearestPrototypeClassifier]
WITH_TARGET = [ps.PrototypeSelector, ps.NearestPrototypeClassifier]

# Data whose columns differ so much in scale that a scaler changes the selection.
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3)) * [1, 100, 0.01]
Y = (X[:, 0] > 0).astype(int)
TARGET = RNG.normal(size=(50, 3)) * [1, 100, 0.01] + [1, 0, 0]


def explained(estimator):
    if isinstance(estimator, ps.PrototypeSelector) and estimator.metric == "precomputed":
        return {"check_clustering": "it passes points where a square matrix is asked for"}
    return {}


# Some checks fit constant data, where one prototype says all.
@pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")
@parametrize_with_checks(
    [
        ps.PrototypeSelector(),
        ps.PrototypeSelector(method="stochastic", batch=2),
        # check_clustering looks for three clusters.
        ps.PrototypeSelector(n_prototypes=3, metric="seuclidean"),
        ps.PrototypeSelector(metric="precomputed"),
        ps.PrototypeSampler(),
        ps.NearestPrototypeClassifier(),
        ps.NearestPrototypeClassifier(n_prototypes=None, metric="euclidean"),
        ps.NearestPrototypeClassifier(metric="precomputed"),
        ps.NearestPrototypeClassifier(move=True),
    ],
    expected_failed_checks=explained,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def fitted(estimator, rows=X, **metadata):
    return estimator.fit(rows, Y[: rows.shape[0]], **metadata)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("method", ["greedy", "simple", "stochastic", "random"])
def test_the_selection_is_that_of_select(kind, method):
    model = fitted(kind(6, method=method, metric="cityblock", random_state=3))
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    chosen = ps.select(X, k=6, method=method, metric="cityblock", seed=seed)
    assert model.selection_.indices.tolist() == chosen.indices.tolist()
    assert model.selection_.costs.tolist() == chosen.costs.tolist()


@pytest.mark.parametrize("kind", ALL)
def test_batch_min_gain_and_memory_reach_the_selection(kind):
    model = fitted(kind(6, batch=4))
    assert model.selection_.indices.tolist() == ps.select(X, k=6, batch=4).indices.tolist()
    with pytest.warns(ps.FewerPrototypesWarning):
        model = fitted(kind(70, min_gain=100.0))
    full = ps.select(X, k=70).costs
    assert len(model.selection_) == 1 + (-np.diff(full) >= 100.0).sum()
    with pytest.raises(ps.MemoryBudgetError):
        fitted(kind(6, memory=1))


@pytest.mark.parametrize("kind", ALL)
def test_swaps_and_the_bound_reach_the_selection(kind):
    model = fitted(kind(6, refine=True, certify=True))
    chosen = ps.select(X, k=6, refine=True)
    assert model.selection_.indices.tolist() == chosen.indices.tolist()
    assert 0 <= model.selection_.gap < 0.5


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_target_and_its_weights_reach_the_selection(kind):
    weights = np.arange(1.0, 51.0)
    model = fitted(kind(6), target=TARGET, target_weights=weights)
    chosen = ps.select(X, TARGET, 6, target_weights=weights)
    assert model.selection_.indices.tolist() == chosen.indices.tolist()
    assert model.selection_.weights.tolist() == chosen.weights.tolist()


@pytest.mark.parametrize("kind", WITH_TARGET)
@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "cosine", "cityblock", "dot"])
def test_sparse_rows_give_the_same_as_dense_ones(kind, metric):
    rows = np.where(RNG.random((60, 8)) < 0.6, 0, RNG.normal(size=(60, 8))) + np.eye(60, 8)
    rows[:, 0] += 1  # no row is all zeros: cosine has no use for one
    dense = fitted(kind(3, metric=metric), rows, target=rows[:20])
    sparse = fitted(kind(3, metric=metric), csr_array(rows), target=csr_array(rows[:20]))
    assert sparse.prototype_indices_.tolist() == dense.prototype_indices_.tolist()
    assert sparse.prototypes_.toarray().tolist() == dense.prototypes_.tolist()
    assert sparse.predict(csr_array(rows)).tolist() == dense.predict(rows).tolist()


@pytest.mark.parametrize("kind", ALL)
def test_too_few_rows_is_said_as_scikit_learn_says_it(kind):
    with pytest.raises(ValueError, match="n_samples=1 should be >= n_prototypes=2"):
        kind(2).fit([[1.0]], [0])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_prototypes": 0}, "n_prototypes must be at least 1, got n_prototypes=0"),
        ({"n_prototypes": 2.5}, "n_prototypes must be a whole number, got n_prototypes=2.5"),
        ({"metric": "euclideen"}, "Did you mean 'euclidean'?"),
        ({"method": "greedi"}, "Did you mean 'greedy'?"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"min_gain": -1.0}, "min_gain must be a finite number of at least 0"),
        ({"metric": "similarity"}, "pass X.max() - X with metric='precomputed'"),
        ({"metric": "precomputed"}, "square matrix|take its indices"),
    ],
)
def test_a_wrong_parameter_is_named_when_fitted(kind, options, message):
    model = kind(**options)  # says nothing yet: scikit-learn sets parameters in any order
    pattern = message if "|" in message else re.escape(message)
    with pytest.raises(ps.InputError, match=pattern):
        fitted(model)


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_a_target_that_does_not_fit_is_refused(kind):
    with pytest.raises(ps.InputError, match="target must have the 3 features of X, got 2"):
        fitted(kind(), target=TARGET[:, :2])
    with pytest.raises(ValueError, match="Input target contains NaN"):
        fitted(kind(), target=np.where(TARGET > 0, TARGET, np.nan))
    with pytest.raises(ps.InputError, match=re.escape("expected shape (50,), got (3,)")):
        fitted(kind(), target=TARGET, target_weights=[1, 2, 3])
    with pytest.raises(ps.InputError, match="target must be left out with metric='precomputed'"):
        fitted(kind(metric="precomputed"), X @ X.T, target=TARGET)


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_columns_of_a_frame_must_come_in_the_same_order(kind):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = fitted(kind(4), frame, target=pd.DataFrame(TARGET, columns=["a", "b", "c"]))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names should match"):
        fitted(kind(4), frame, target=pd.DataFrame(TARGET, columns=["c", "b", "a"]))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c"]])


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_new_rows_do_not_change_a_metric_that_was_fitted(kind):
    for metric in ("seuclidean", "mahalanobis"):
        model = fitted(kind(8, metric=metric), target=TARGET)
        labels = model.predict(TARGET)
        alone = [model.predict(row[None])[0] for row in TARGET]
        assert alone == labels.tolist()


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_a_function_can_be_the_metric(kind):
    def lopsided(x, y):
        return float(np.maximum(x - y, 0).sum() + 0.1 * np.maximum(y - x, 0).sum())

    model = fitted(kind(5, metric=lopsided), target=TARGET)
    chosen = ps.select(X, TARGET, 5, metric=lopsided)
    assert model.prototype_indices_.tolist() == chosen.indices.tolist()
    owner, _ = ps.assign(chosen, X, X, metric=lopsided)
    labels = owner if kind is ps.PrototypeSelector else Y[chosen.indices[owner]]
    assert model.predict(X).tolist() == labels.tolist()


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "bool"])
def test_narrow_numbers_are_kept_as_they_are(dtype):
    rows = RNG.integers(0, 2 if dtype == "bool" else 200, (40, 5)).astype(dtype)
    selector = ps.PrototypeSelector(4).fit(rows)
    assert selector.prototypes_.dtype == dtype
    assert (selector.predict(rows.astype(float)) == selector.labels_).all()


def test_only_the_fast_metrics_claim_sparse_rows_and_only_precomputed_is_pairwise():
    def tags(metric):
        found = sklearn.utils.get_tags(ps.PrototypeSelector(metric=metric)).input_tags
        return found.sparse, found.pairwise

    assert tags("cosine") == (True, False)
    assert tags("chebyshev") == (False, False)
    assert tags("precomputed") == (False, True)


@pytest.mark.parametrize("kind", ALL)
def test_estimators_can_be_cloned_and_pickled(kind):
    model = fitted(kind(4, metric="cosine", memory="64MiB", random_state=1))
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    assert again.selection_.indices.tolist() == model.selection_.indices.tolist()


def in_pipeline(kind, **how):
    steps = [("scale", StandardScaler()), ("model", kind(3).set_fit_request(target=True))]
    return sklearn.pipeline.Pipeline(steps, **how).fit(X, Y, target=TARGET)["model"]


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_a_pipeline_scales_the_target_when_told_to(kind):
    scaler = StandardScaler().fit(X)
    right = ps.select(scaler.transform(X), scaler.transform(TARGET), 3).indices.tolist()
    wrong = ps.select(scaler.transform(X), TARGET, 3).indices.tolist()
    assert right != wrong
    with sklearn.config_context(enable_metadata_routing=True):
        assert in_pipeline(kind, transform_input=["target"]).prototype_indices_.tolist() == right
        assert in_pipeline(kind).prototype_indices_.tolist() == wrong
    plain = sklearn.pipeline.make_pipeline(StandardScaler(), kind(3))
    plain.fit(X, Y, **{f"{kind.__name__.lower()}__target": TARGET})
    assert plain[-1].prototype_indices_.tolist() == wrong


@pytest.mark.parametrize("kind", WITH_TARGET)
def test_a_routed_target_that_nobody_asked_for_is_an_error(kind):
    pipeline = sklearn.pipeline.make_pipeline(StandardScaler(), kind(3))
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="set_fit_request"),
    ):
        pipeline.fit(X, Y, target=TARGET)


def test_scikit_learn_is_imported_only_with_an_estimator():
    code = (
        "import sys, protospot as ps; assert 'sklearn' not in sys.modules; "
        "ps.PrototypeSelector; assert 'sklearn' in sys.modules and 'imblearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
