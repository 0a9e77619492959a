"""More examples than the profile of the run has, in proportion: a run with ``--whole`` tries 2.5 times as many."""

from __future__ import annotations

from hypothesis import settings


def many(times: float) -> settings:
    """Return settings with so many times the examples of the profile."""
    return settings(max_examples=round(times * settings.default.max_examples))
