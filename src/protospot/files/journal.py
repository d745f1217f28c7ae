"""A journal of picks beside the folder to be written, so that a run that was cut off can go on.

Each pick is a line, on disk before the next is made. Greedy picks do not depend on how the earlier
ones came about, so a run that goes on from them ends with the same prototypes.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, TextIO

from protospot.errors import InputError


class Journal:
    """The picks of a run so far; `start` has those of the run that is resumed."""

    def __init__(
        self, out: Path, settings: dict[str, Any], *, resume: bool, force: bool, batch: int
    ) -> None:
        self._folder = out.with_name(f"{out.name}.partial")
        self.keep = False  # after a run that came to an end
        if self._folder.exists() and not (resume or force):
            raise InputError(
                f"{str(self._folder)!r} holds the picks of a run that was cut off: pass --resume "
                "to go on with it, or --force to begin anew."
            )
        self.start = self._resumed(settings, batch) if resume else []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / "settings.json").write_text(json.dumps(settings))
            self._file: TextIO = (self._folder / "picks.txt").open("w")
        except OSError as reason:
            raise InputError(
                f"{str(out)!r} must be a folder that can be written to, but {reason}."
            ) from reason
        for row in self.start:
            self.add(row)

    def add(self, row: int) -> None:
        """Write down a pick."""
        self._file.write(f"{row}\n")
        self._file.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Throw the journal away, unless the run can go on from it."""
        self._file.close()
        is_mistake = kind is not None and issubclass(kind, InputError)
        if is_mistake or (kind is None and not self.keep):
            shutil.rmtree(self._folder, ignore_errors=True)

    def _resumed(self, settings: dict[str, Any], batch: int) -> list[int]:
        try:
            known = json.loads((self._folder / "settings.json").read_text())
            lines = (self._folder / "picks.txt").read_text().split("\n")
        except (OSError, ValueError):
            raise InputError(
                f"--resume needs {str(self._folder)!r}, the journal of a run that was cut off, but "
                "there is none: leave out --resume."
            ) from None
        other = [name for name in settings if settings[name] != known.get(name)]
        if other:
            raise InputError(
                f"--resume needs the same arguments as the run that was cut off, but "
                f"{', '.join(other)} differ: repeat the command as it was, or leave out --resume."
            )
        # The last line may be half a number; and of a batch all or none.
        whole = [int(line) for line in lines[:-1] if line.isdigit()]
        return whole[: len(whole) // batch * batch]
