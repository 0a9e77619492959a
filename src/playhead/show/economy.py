"""What a format shows as its economy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Economy:
    """Where the economy of a game is.

    Attributes:
        table: a table with ``seconds`` and ``player``.
        columns: what is drawn by default.
        label: what that is, for the axis.
        options: of the table.
    """

    table: str
    columns: tuple[str, ...]
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
