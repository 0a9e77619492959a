"""Packages that playhead can use and does not need: each comes with an extra of its own."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """The module.

    Args:
        module: its name.
        extra: the extra of playhead that it comes with.
        purpose: what it is needed for; the beginning of the error's text.

    Raises:
        ModuleNotFoundError: it is not installed; the text says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # it is there; something that it needs is not
        raise ModuleNotFoundError(
            f"{purpose} needs {package}: pip install 'playhead[{extra}]'", name=error.name
        ) from None
