"""One module per reader or layer, each with ``fuzz(data)``, which may raise only `ReplayError`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Protocol

from playhead import Limits

sys.path.append(str(Path(__file__).parents[2]))  # the synthetic matches of tests


class Target(Protocol):
    """Interface of a target module; `mutate`, which changes an input through our own writers, is optional."""

    def fuzz(self, data: bytes) -> None: ...

    mutate: Callable[[bytes, Random], bytes]


#: Small limits: oversized inputs fail early, and a run covers more inputs.
LIMITS = Limits(
    decompressed_input=1 << 22,
    frame=1 << 20,
    frames=1 << 14,
    cells=1 << 20,
    fragment=1 << 20,
    member=1 << 20,
    message=1 << 18,
    string=1 << 14,
    elements=1 << 14,
    rows=1 << 12,
    sessions=1 << 10,
)

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Target:
    """Return the module of that name."""
    return importlib.import_module(f"{__name__}.{name}")  # type: ignore[return-value]
