"""NearestPrototypeClassifier: the label of the cheapest prototype, moved or not."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_blobs
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

import protospot as ps

X, Y = make_blobs(n_samples=90, centers=3, cluster_std=0.6, random_state=0)
NAMES = np.array(["red", "green", "blue"])[Y]


def test_a_row_gets_the_label_of_its_cheapest_prototype():
    model = ps.NearestPrototypeClassifier(9, metric="cityblock").fit(X, NAMES)
    chosen = ps.select(X, k=9, metric="cityblock")
    assert model.prototype_indices_.tolist() == chosen.indices.tolist()
    assert model.prototype_labels_.tolist() == NAMES[chosen.indices].tolist()
    assert model.classes_.tolist() == ["blue", "green", "red"]
    owner, _ = ps.assign(chosen, X, X + 0.1)
    assert model.predict(X + 0.1).tolist() == NAMES[chosen.indices][owner].tolist()


def test_a_few_digits_classify_the_others():
    digits, labels = load_digits(return_X_y=True)
    model = ps.NearestPrototypeClassifier(100).fit(digits[::2], labels[::2])
    assert model.score(digits[1::2], labels[1::2]) > 0.9


def test_all_rows_can_be_the_prototypes():
    model = ps.NearestPrototypeClassifier(None).fit(X[:20], NAMES[:20])
    nearest = KNeighborsClassifier(1).fit(X[:20], NAMES[:20])
    assert model.prototypes_.tolist() == X[:20].tolist()
    assert model.predict(X).tolist() == nearest.predict(X).tolist()
    assert model.selection_.cost == 0


def test_prototypes_are_selected_for_the_target():
    target = X[Y == 1]
    model = ps.NearestPrototypeClassifier(4).fit(X, NAMES, target=target)
    assert model.prototype_indices_.tolist() == ps.select(X, target, 4).indices.tolist()
    assert model.classes_.tolist() == ["blue", "green", "red"]


SOURCE, LABELS = np.array([[0.0, 0], [10, 0], [500, 500]]), np.array(["low", "high", "nowhere"])
SHIFTED = np.array([[4.0, 1], [5, 1], [6, 1], [14, 1], [15, 1], [16, 1]])


def test_moved_prototypes_stand_where_the_target_is():
    model = ps.NearestPrototypeClassifier(None, move=True).fit(SOURCE, LABELS, target=SHIFTED)
    moved = ps.transport(model.selection_, SHIFTED)
    assert np.isnan(moved[2]).all()  # it serves nothing
    assert model.prototypes_.tolist() == moved[:2].tolist()
    assert model.prototype_labels_.tolist() == ["low", "high"]
    assert model.prototype_indices_.tolist() == [0, 1]
    assert model.selection_.k == 3
    assert "nowhere" in model.classes_


def test_moving_helps_where_the_target_is_shifted():
    far = X + np.array([4.0, 0.0])
    still, moving = (
        ps.NearestPrototypeClassifier(9, move=move).fit(X, NAMES, target=far)
        for move in (False, True)
    )
    assert moving.score(far, NAMES) > still.score(far, NAMES)


def test_weights_of_the_target_say_where_prototypes_move():
    weights = [1, 0, 0, 0, 0, 3]
    model = ps.NearestPrototypeClassifier(None, move=True)
    model.fit(SOURCE, LABELS, target=SHIFTED, target_weights=weights)
    assert model.prototypes_.tolist() == [[4, 1], [16, 1]]


def test_sparse_prototypes_can_be_moved():
    model = ps.NearestPrototypeClassifier(None, move=True)
    model.fit(csr_array(SOURCE), LABELS, target=csr_array(SHIFTED))
    assert model.predict(csr_array(SHIFTED)).tolist() == ["low"] * 3 + ["high"] * 3


def test_without_a_target_prototypes_move_among_the_rows_they_serve():
    model = ps.NearestPrototypeClassifier(3, move=True).fit(X, NAMES)
    assert model.prototypes_.tolist() == ps.transport(model.selection_, X).tolist()


def test_a_metric_without_a_known_centre_takes_the_one_named():
    with pytest.raises(ps.InputError, match="'chebyshev'"):
        ps.NearestPrototypeClassifier(3, metric="chebyshev", move=True).fit(X, NAMES)
    model = ps.NearestPrototypeClassifier(3, metric="chebyshev", move="mean").fit(X, NAMES)
    moved = ps.transport(model.selection_, X, center="mean")
    assert model.prototypes_.tolist() == moved.tolist()


def test_a_matrix_has_nothing_to_move():
    costs = np.abs(X[:, :1] - X[:, 0])
    with pytest.raises(ps.InputError, match="move must be False with metric='precomputed'"):
        ps.NearestPrototypeClassifier(3, metric="precomputed", move=True).fit(costs, NAMES)


def test_prototypes_that_all_cancel_out_are_an_error():
    model = ps.NearestPrototypeClassifier(None, metric="cosine", move=True)
    with pytest.raises(ps.InputError, match="move must leave at least one prototype"):
        model.fit([[0.0, 1.0]], ["up"], target=[[1.0, 0.0], [-1.0, 0.0]])


def test_numbers_are_not_labels():
    with pytest.raises(ValueError, match="Unknown label type"):
        ps.NearestPrototypeClassifier(3).fit(X, X[:, 0])


def test_it_can_be_searched_and_cross_validated():
    search = GridSearchCV(ps.NearestPrototypeClassifier(), {"n_prototypes": [1, 6]}, cv=3)
    assert search.fit(X, NAMES).best_params_ == {"n_prototypes": 6}
    assert cross_val_score(ps.NearestPrototypeClassifier(6), X, NAMES, cv=3).min() > 0.8


@pytest.mark.parametrize(
    ("source", "target", "percent"), [("dslr", "webcam", 92.20), ("webcam", "dslr", 94.90)]
)
def test_office_caltech_gives_the_accuracy_of_the_paper(data, source, target, percent):
    # Table 1 of Gurumoorthy, Jawanpuria and Mishra (2021), SPOTgreedy, k = 20.
    with np.load(data / "office_caltech10_decaf6_dw.npz") as file:
        rows = {name: normalize(file[f"X_{name}"]) for name in (source, target)}
        labels = {name: file[f"y_{name}"] for name in (source, target)}
    model = ps.NearestPrototypeClassifier(20, move=True)
    model.fit(rows[source], labels[source], target=rows[target])
    assert round(100 * model.score(rows[target], labels[target]), 2) == percent
