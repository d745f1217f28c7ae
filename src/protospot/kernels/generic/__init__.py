"""What every kernel computes, written once for any array library: the reference the tests trust."""

from protospot.kernels.generic.direct import direct, direct_pairs, direct_sparse
from protospot.kernels.generic.field import contenders, descend, rivals, settle
from protospot.kernels.generic.near import find_swap, near_counts, near_gains, serve
from protospot.kernels.generic.pairs import contest_listed, listing, merge, pack
from protospot.kernels.generic.tables import (
    column_sums,
    count_numbers,
    factors,
    pull,
    pulled,
    row_sums,
    squared_lengths,
    sums_and_gains,
    take_numbers,
)
from protospot.kernels.generic.tiles import (
    collect,
    contest,
    gains,
    lower,
    nearest,
    sparse_products,
    sums,
)

__all__ = [
    "collect",
    "column_sums",
    "contenders",
    "contest",
    "contest_listed",
    "count_numbers",
    "descend",
    "direct",
    "direct_pairs",
    "direct_sparse",
    "factors",
    "find_swap",
    "gains",
    "listing",
    "lower",
    "merge",
    "near_counts",
    "near_gains",
    "nearest",
    "pack",
    "pull",
    "pulled",
    "rivals",
    "row_sums",
    "serve",
    "settle",
    "sparse_products",
    "squared_lengths",
    "sums",
    "sums_and_gains",
    "take_numbers",
]
