"""The tables of dota2 from a whole demo."""

from __future__ import annotations

from facts import read_facts

from targets.source2_demo import mutate

__all__ = ["fuzz", "mutate"]


def fuzz(data: bytes) -> None:
    read_facts(data, "dota2")
