"""The promises of every format, as checks that any format can run.

A third party's test, for a format that is installed through the entry point group ``playhead.formats``:

    import pytest
    from playhead.testing.conformance import PROMISES, Subject

    @pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
    def test_promise(promise, tmp_path):
        promise(Subject.sample("toy", tmp_path))

Each promise is a function that raises AssertionError with the difference. The subject is a small sound recording
(it is read dozens of times) with rows in every table; `Subject.sample` uses the one that the format's
``write_sample`` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from typing import Any

from playhead.testing import damage, events, replays, tables
from playhead.testing.subject import Subject

__all__ = ["PROMISES", "Subject"]

#: Every promise, a public function of these modules; each takes a `Subject` and raises AssertionError.
PROMISES: tuple[Callable[[Subject], Any], ...] = tuple(
    found
    for module in (replays, tables, events, damage)
    for name, found in vars(module).items()
    if isfunction(found) and found.__module__ == module.__name__ and not name.startswith("_")
)
