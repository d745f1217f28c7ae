"""Progress of a selection on a terminal, and an end to it by Ctrl-C that loses nothing."""

from __future__ import annotations

import signal
import threading
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from protospot.errors import Stop
from protospot.files.journal import Journal
from protospot.types import Bound, Pick


class Watch:
    """Shows how far a selection is; Ctrl-C ends it after the pick that is being made."""

    def __init__(self, console: Console, k: int, journal: Journal) -> None:
        self.is_stopped = False
        self._journal = journal
        columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
        is_hidden = console.quiet or not console.is_terminal
        self._bar = Progress(*columns, console=console, transient=True, disable=is_hidden)
        self._task = self._bar.add_task("picking", total=k)
        self._swaps = 0
        self._before: Any = None

    def __enter__(self) -> Watch:
        self._bar.start()
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def pick(self, pick: Pick) -> None:
        """Write down a pick, and show it."""
        self._journal.add(pick.index)
        self._show(f"picking, cost {pick.cost:.6g}", completed=pick.rank + 1)

    def swap(self, swap: Pick) -> None:
        """Show a swap."""
        self._swaps += 1
        self._show(f"swap {self._swaps}, cost {swap.cost:.6g}", total=None)

    def bound(self, bound: Bound) -> None:
        """Show a bound."""
        gap = (bound.cost - bound.value) / bound.value if bound.value > 0 else float("inf")
        self._show(f"bound after {bound.steps} steps, gap {100 * gap:.2g} %", total=None)

    def _show(self, text: str, **state: Any) -> None:
        self._bar.update(self._task, description=text, **state)
        if self.is_stopped:
            raise Stop

    def _stop(self, *_: Any) -> None:
        if self.is_stopped:  # asked twice: at once, then
            raise KeyboardInterrupt
        self.is_stopped = True
