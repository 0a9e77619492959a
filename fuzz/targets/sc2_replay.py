"""A whole replay of StarCraft II: `open`, its tables and events."""

from __future__ import annotations

from archives import mutate as mutate
from archives import query

TABLES = ("players", "chat", "units", "commands", "members")


def fuzz(data: bytes) -> None:
    query(data, TABLES)
