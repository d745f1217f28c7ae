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
    """Never list pairs with exact costs: screened gains decide to the end."""
    for name, value in SMALL.items():
        monkeypatch.setattr(name, value)


def be_lazy(monkeypatch):
    """Treat any number of sources as many."""
    monkeypatch.setattr("protospot.gains._MANY", 1)
    monkeypatch.setattr("protospot.gains.lazy._BATCH", 4)


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
