"""The command line: from files to prototypes, without writing Python."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from protospot.cli import compare, select, tell  # noqa: F401 - each enters its commands
from protospot.cli.app import app
from protospot.errors import InputError, MissingExtraError

__all__ = ["app", "main"]


def main(words: list[str] | None = None) -> None:
    """Run the command; a mistake of the user's is a sentence, not a traceback."""
    try:
        sys.exit(app(sys.argv[1:] if words is None else words))
    except (InputError, MissingExtraError) as mistake:
        sentence = Text.assemble(("error: ", "bold red"), str(mistake))
        Console(stderr=True, highlight=False).print(sentence, soft_wrap=True)
        sys.exit(2)
