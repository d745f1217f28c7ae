"""PrototypeSelector: attributes, prediction, costs as features."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import protospot as ps

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TARGET = RNG.normal(size=(40, 3)) + 0.5


def test_attributes_are_the_selections():
    selector = ps.PrototypeSelector(5).fit(X)
    chosen = selector.selection_
    assert isinstance(chosen, ps.Selection)
    assert selector.prototype_indices_.tolist() == chosen.indices.tolist()
    assert selector.prototypes_.tolist() == X[chosen.indices].tolist()
    assert selector.weights_.tolist() == chosen.weights.tolist()
    assert selector.labels_.tolist() == chosen.owner.tolist()
    assert selector.n_features_in_ == 3


METRICS = ["sqeuclidean", "euclidean", "cosine", "cityblock", "dot", "chebyshev", "seuclidean"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.filterwarnings("ignore::protospot.FewerPrototypesWarning")  # "dot" has few extremes
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), is_grid=st.booleans())
def test_labels_are_the_prediction_for_the_target(metric, seed, is_grid):
    rng = np.random.default_rng(seed)
    tables = [rng.integers(1, 5, (20, 2)) if is_grid else rng.normal(size=(20, 2)) for _ in "xy"]
    weights = rng.integers(0, 2, 20) + (np.arange(20) == 0)
    selector = ps.PrototypeSelector(6, metric=metric)
    selector.fit(tables[0], target=tables[1], target_weights=weights)
    assert selector.predict(tables[1]).tolist() == selector.labels_.tolist()
    costs = selector.transform(tables[1])
    assert costs.argmin(axis=1).tolist() == selector.labels_.tolist()
    np.testing.assert_array_equal(costs.min(axis=1), selector.selection_.best)


def test_transform_gives_costs_to_every_prototype():
    selector = ps.PrototypeSelector(5, metric="euclidean").fit(X)
    costs = selector.transform(TARGET)
    assert costs.shape == (40, 5)
    np.testing.assert_allclose(costs, cdist(TARGET, selector.prototypes_), atol=1e-12)


def test_features_are_named_after_the_estimator():
    selector = ps.PrototypeSelector(3).set_output(transform="pandas").fit(X)
    names = ["prototypeselector0", "prototypeselector1", "prototypeselector2"]
    assert selector.get_feature_names_out().tolist() == names
    frame = selector.transform(X)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == names


def test_fewer_prototypes_than_asked_are_told_and_counted():
    with pytest.warns(ps.FewerPrototypesWarning, match="2 prototypes came back, 4 were asked for"):
        selector = ps.PrototypeSelector(4).fit([[0.0], [0.0], [1.0], [1.0]])
    assert selector.transform([[0.0]]).shape == (1, 2)
    assert len(selector.get_feature_names_out()) == 2


def test_min_gain_alone_says_how_many():
    selector = ps.PrototypeSelector(None, min_gain=0.1).fit(X)
    assert len(selector.prototype_indices_) == len(ps.select(X, k=None, min_gain=0.1))
    with pytest.raises(ps.InputError, match="n_prototypes may be None only when min_gain is given"):
        ps.PrototypeSelector(None).fit(X)


def test_fit_predict_and_fit_transform_speak_of_the_rows_of_x():
    selector = ps.PrototypeSelector(5)
    assert selector.fit_predict(X).tolist() == selector.labels_.tolist()
    costs = selector.fit_transform(X, target=TARGET)
    assert costs.argmin(axis=1).tolist() == selector.predict(X).tolist()
    assert selector.labels_.shape == (40,)


def test_a_pipeline_scales_the_target_or_refuses_it():
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ps.PrototypeSelector(5).set_fit_request(target=True)
        pipeline = Pipeline(
            [("scale", StandardScaler()), ("select", selector)], transform_input=["target"]
        )
        costs = pipeline.fit(X, target=TARGET).transform(X)
        assert pipeline.fit_transform(X, target=TARGET).tolist() == costs.tolist()
        # scikit-learn would pass it on as it came.
        with pytest.raises(TypeError, match="unexpected keyword argument 'target'"):
            pipeline.fit_predict(X, target=TARGET)


def test_a_precomputed_matrix_gives_the_same_as_its_points():
    points = ps.PrototypeSelector(5, metric="euclidean").fit(X)
    matrix = ps.PrototypeSelector(5, metric="precomputed").fit(cdist(X, X))
    assert matrix.prototype_indices_.tolist() == points.prototype_indices_.tolist()
    assert matrix.prototypes_ is None
    assert matrix.labels_.tolist() == points.labels_.tolist()
    assert matrix.predict(cdist(TARGET, X)).tolist() == points.predict(TARGET).tolist()
    np.testing.assert_allclose(matrix.transform(cdist(TARGET, X)), points.transform(TARGET))


def test_rows_of_a_lopsided_matrix_are_served_by_its_columns():
    costs = RNG.random((20, 20))
    selector = ps.PrototypeSelector(4, metric="precomputed").fit(costs)
    chosen = ps.select(costs.T, k=4, metric="precomputed")
    assert selector.prototype_indices_.tolist() == chosen.indices.tolist()
    assert selector.predict(costs).tolist() == selector.labels_.tolist()
    assert selector.transform(costs).tolist() == costs[:, chosen.indices].tolist()


def test_a_precomputed_matrix_is_split_on_both_sides_in_cross_validation():
    model = make_pipeline(ps.NearestPrototypeClassifier(5, metric="precomputed"))
    scores = cross_validate(model, cdist(X, X), X[:, 0] > 0, cv=3, error_score="raise")
    assert scores["test_score"].shape == (3,)


def test_one_budget_serves_fit_and_predict():
    rows = RNG.normal(size=(300, 20))
    small = ps.PrototypeSelector(7, memory="16MiB").fit(rows)
    large = ps.PrototypeSelector(7).fit(rows)
    assert small.prototype_indices_.tolist() == large.prototype_indices_.tolist()
    assert small.predict(rows).tolist() == large.predict(rows).tolist()
