"""The numba twins of `protospot.kernels.generic`: same names, arguments and results."""

from protospot.kernels.cpu.descent import descend
from protospot.kernels.cpu.direct import direct, direct_pairs, direct_sparse
from protospot.kernels.cpu.field import contenders, rivals, settle
from protospot.kernels.cpu.near import find_swap, near_counts, near_gains, serve
from protospot.kernels.cpu.pairs import contest_listed, listing, merge, pack
from protospot.kernels.cpu.tables import (
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
from protospot.kernels.cpu.tiles import (
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
