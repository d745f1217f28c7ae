"""How a selection is proven to be good: draws docs/certificate.svg.

Fifty of scikit-learn's handwritten digits stand for the other half of the set. Swaps lower what
they cost; the bound on what any fifty can cost rises to meet it.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import load_digits

import protospot as ps

K = 50
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "certificate.svg"


def main() -> None:
    """Select, refine, certify, and draw how the two numbers meet."""
    digits = load_digits().data
    source, target = digits[1::2], digits[0::2]
    greedy = ps.select(source, target, K)
    costs = [greedy.cost]
    better = ps.refine(greedy, source, target, on_swap=lambda swap: costs.append(swap.cost))
    proven = ps.certify(better, source, target)
    print(f"greedy     {greedy.cost:.2f}")
    print(f"refined    {proven.cost:.2f} after {len(costs) - 1} swaps")
    print(f"no {K} rows can cost less than {proven.lower_bound:.2f}")
    assert proven.gap is not None
    print(f"at most {100 * proven.gap:.2g} % above the best possible")
    draw(costs, proven.made_by["certified"]["curve"], proven.gap)
    print(f"wrote {PICTURE.relative_to(PICTURE.parents[1])}")


def draw(costs: list[float], curve: list[tuple[int, float]], gap: float) -> None:
    """Draw the cost coming down and the bound going up."""
    steps, bounds = zip(*curve, strict=True)
    mpl.use("agg")
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "protospot", "svg.fonttype": "none"}):
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(8, 3.6), sharey=True, layout="constrained", width_ratios=(1, 2)
        )
        left.step(range(len(costs)), costs, color="#0072b2", where="post")
        left.set(xlabel="swaps", ylabel="cost", title="What these rows cost")
        right.plot(steps, bounds, color="#d55e00", marker=".")
        right.axhline(costs[-1], color="#0072b2", linewidth=1)
        right.set(xlabel="steps", title=f"What any {K} rows cost at least")
        right.annotate(
            f"at most {100 * gap:.2g} % left",
            (steps[-1], costs[-1]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="right",
        )
        lowest = min(bound for bound in bounds if bound > 0.9 * costs[-1])
        left.set_ylim(lowest, 1.01 * costs[0])
        figure.savefig(PICTURE, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
