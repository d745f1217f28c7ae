"""Every error, warning and signal that protospot raises of its own."""


class InputError(ValueError):
    """An argument is not usable; the message says what must hold, what was got and what to do."""


class MemoryBudgetError(InputError):
    """The `memory` budget is too small; the message names the smallest that works."""


class MissingExtraError(ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the {extra!r} extra: pip install 'protospot[{extra}]'.")


class FewerPrototypesWarning(UserWarning):
    """Fewer prototypes came back than were asked for: no further one would lower the cost."""


class Stop(Exception):
    """Raise it in `on_pick` to end the selection; the prototypes picked so far are returned."""
