"""Warnings that point at the caller's line."""

import sys
import warnings


def warn_caller(message: str) -> None:
    """Warn at the caller's line outside dpviz."""
    warnings.warn(message, UserWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "dpviz":
        level, frame = level + 1, frame.f_back
    return level
