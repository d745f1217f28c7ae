"""Twenty handwritten digits that stand for nine hundred others: run by `make demo`.

scikit-learn's digits come with it, nothing is downloaded. Odd rows are the source that prototypes
are picked from, even rows the target that they stand for.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")  # draws into a file, on machines without a screen too

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import protospot as ps


def main() -> None:
    """Select, print a table, save a picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", type=int, default=20, help="how many prototypes")
    parser.add_argument("--out", type=Path, default=Path("digits.png"), help="the picture's file")
    args = parser.parse_args()

    digits = load_digits()
    source, target = digits.data[1::2], digits.data[0::2]
    labels = digits.target[1::2]

    print(f"Picking {args.k} of {len(source)} digits that stand for {len(target)} others ...")
    began = time.perf_counter()
    chosen = ps.select(source, target, k=args.k)
    first = time.perf_counter() - began
    began = time.perf_counter()
    chosen = ps.select(source, target, k=args.k)
    again = time.perf_counter() - began

    print_table(chosen, labels)
    others = ps.select(source, target, k=args.k, method="random", seed=0)
    print(f"Cost {chosen.cost:.1f}; {args.k} random digits cost {others.cost:.1f}.")
    better = ps.select(source, target, k=args.k, refine=True, certify=True)
    print(
        f"Swaps lower it to {better.cost:.1f}, and no {args.k} digits can cost less than "
        f"{better.lower_bound:.1f}."
    )
    print(f"It took {first:.2f} s with compilation on a first run, {1000 * again:.0f} ms without.")
    worst = ps.criticisms(chosen, source, target, n=args.k // 2)
    draw(chosen, source, target[worst], args.out)
    print(f"Picture: {args.out}")


def print_table(chosen: ps.Selection, labels: Any) -> None:
    """Print one line per prototype."""
    print(f"\n{'rank':>4}  {'row':>4}  {'digit':>5}  {'weight':>6}  {'cost after':>10}")
    for rank, row in enumerate(chosen.indices):
        weight, cost = chosen.weights[rank], chosen.costs[rank]
        bar = "#" * round(200 * weight)
        print(f"{rank:4}  {row:4}  {labels[row]:5}  {weight:6.3f}  {cost:10.1f}  {bar}")
    print()


def draw(chosen: ps.Selection, source: Any, criticisms: Any, out: Path) -> None:
    """Save prototypes in the order picked, with their weights, and below them the criticisms."""
    columns = 10
    rows = -(-len(chosen) // columns)
    below = -(-len(criticisms) // columns)
    figure, axes = plt.subplots(
        rows + below, columns, figsize=(columns, 1.25 * (rows + below) + 0.6), squeeze=False
    )
    for axis in axes.flat:
        axis.axis("off")
    for axis, row, weight in zip(axes[:rows].flat, chosen.indices, chosen.weights, strict=False):
        axis.imshow(source[row].reshape(8, 8), cmap="gray_r")
        axis.set_title(f"{100 * weight:.1f} %", fontsize=9)
    for axis, image in zip(axes[rows:].flat, criticisms, strict=False):
        axis.imshow(image.reshape(8, 8), cmap="Reds")
    figure.suptitle(
        f"{len(chosen)} prototypes and the share of the digits each stands for; "
        "in red, digits they explain worst",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    main()
