"""Ways to make the engine take a path that small problems would not; the only place that knows how.

What it did is read from `made_by["stages"]`, in the words of users.
"""

import re

from protospot.kernels import choose

SMALL = {
    "protospot.gains.listed._FEW": 0.0,
    "protospot.gains.listed._ALWAYS_FEW": 0,
}


def keep_screening(monkeypatch):
    """Never list pairs by source, nor with exact costs: screened gains decide to the end."""
    for name, value in SMALL.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setattr("protospot.costs.gather.index_of", lambda _: None)


def list_late(monkeypatch):
    """Collect live pairs only when they are few, as if each were dear."""
    monkeypatch.setattr("protospot.costs.plan._ALWAYS", 0)
    monkeypatch.setattr("protospot.costs.plan._LISTING", 150)


def be_lazy(monkeypatch):
    """Treat any number of sources as many."""
    for module in ("gains", "costs.layout"):
        monkeypatch.setattr(f"protospot.{module}.MANY", 1)
    monkeypatch.setattr("protospot.gains.lazy._BATCH", (4, 4))
    monkeypatch.setattr("protospot.gains.contested._PART", 50)


def share_all_work(monkeypatch):
    """Use all threads for the smallest piece of work."""
    for module in ("tiles", "pairs", "points"):
        monkeypatch.setattr(f"protospot.costs.{module}._WORTH_A_THREAD", 0)


def escape_early(monkeypatch):
    """Give up screening as soon as an eighth of the sources is in doubt."""
    monkeypatch.setattr("protospot.cover._MANY", 0)


def use_kernels(monkeypatch, name):
    """Run the kernels of this name."""
    monkeypatch.setenv("PROTOSPOT_KERNELS", name)
    choose.kernels.cache_clear()


def stages(selection):
    """What the engine did, without the numbers."""
    return [re.sub(r"\d+", "N", stage) for stage in selection.made_by["stages"]]
