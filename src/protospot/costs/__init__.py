"""Source-by-target costs, stored or computed on the fly, behind one type."""

from protospot.costs.cost import Cost
from protospot.costs.make import fixed_metric, make
from protospot.costs.pairs import LivePairs

__all__ = ["Cost", "LivePairs", "fixed_metric", "make"]
