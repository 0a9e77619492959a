"""`Check`: one of a format's self-checks and how often it held."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One self-check of a recording.

    Attributes:
        name: what is held to be so, in a few words.
        passed: how often it held.
        failed: how often it did not; each failure is one of `Replay.problems`.
        doc: why it tells something, in a sentence.
    """

    name: str
    passed: int
    failed: int
    doc: str
