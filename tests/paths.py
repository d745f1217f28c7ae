"""Ways to make the engine take a path that small problems would not; the only place that knows how.

What it did is read from `made_by["stages"]`, in the words of users.
"""

import re

from protospot.kernels import choose


def keep_screening(monkeypatch):
    """Never compute listed costs exactly: screened gains decide to the end."""
    monkeypatch.setattr("protospot.gains.listed.Listed.sharpen_if_due", lambda *_: None)
    monkeypatch.setattr("protospot.gains.listed.Listed.sharpen", lambda *_: False)


def sharpen_when_lost(monkeypatch):
    """Compute listed costs exactly only when there is no other way."""
    monkeypatch.setattr("protospot.gains.listed.Listed.sharpen_if_due", lambda *_: None)


def pack_always(monkeypatch):
    """Copy the live pairs at every opportunity, as if dead ones were dear."""
    monkeypatch.setattr("protospot.gains.listed._SHRUNK", 0)
    monkeypatch.setattr("protospot.costs.pairs._RUN", 1)
    monkeypatch.setattr("protospot.costs.pairs._BLOCK", 64)


def list_late(monkeypatch):
    """Collect live pairs only when they are few, also where there are few pairs at all."""
    monkeypatch.setattr("protospot.costs.plan._ALWAYS", 0)


def be_lazy(monkeypatch):
    """Treat any number of sources as many."""
    for module in ("gains", "costs.layout"):
        monkeypatch.setattr(f"protospot.{module}.MANY", 1)
    monkeypatch.setattr("protospot.gains.contested._IN_TILES", 4)
    monkeypatch.setattr("protospot.costs.known._PART", 50)


def share_all_work(monkeypatch):
    """Use all threads for the smallest piece of work."""
    for module in ("tiles", "pairs", "points"):
        monkeypatch.setattr(f"protospot.costs.{module}._WORTH_A_THREAD", 0)


def escape_early(monkeypatch):
    """Give up screening as soon as an eighth of the sources is in doubt."""
    monkeypatch.setattr("protospot.cover._MANY", 0)


def give_pairs_room(monkeypatch, room):
    """Let so many near pairs fit in memory."""
    for module in ("costs.near", "improve"):  # which ask, each by its own name
        monkeypatch.setattr(f"protospot.{module}.near_room", lambda _: room)


def use_kernels(monkeypatch, name):
    """Run the kernels of this name."""
    monkeypatch.setenv("PROTOSPOT_KERNELS", name)
    choose.kernels.cache_clear()


def stages(selection):
    """What the engine did, without the numbers."""
    return [re.sub(r"\d+", "N", stage) for stage in selection.made_by["stages"]]
