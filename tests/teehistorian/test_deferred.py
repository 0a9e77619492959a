"""Large tables that are made when they are read."""

from __future__ import annotations

from weakref import ref

import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead.tables.deferred import DeferredTable
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.driver import Driver
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.tables import TABLES, builder


@pytest.mark.parametrize("name", ["messages", "positions", "inputs"])
def test_they_do_not_hold_the_recording(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = open_as(TeehistorianReplay, sample_bytes())
    whole = replay.table(name)
    monkeypatch.setattr(builder, "CHUNK_ROWS", 0)
    feed = Feed(replay.source, replay.header, replay.options.limits)
    filler = TABLES.tables()[name](replay.header)
    driver = Driver(feed, replay.header, columns={filler.fills})
    filler.attach(driver.columns)
    while driver.advance():
        pass
    table = filler.build(driver.outcome())
    assert isinstance(table, DeferredTable)
    filled = ref(filler)
    del filler
    assert filled() is None
    assert table.read().equals(whole)
