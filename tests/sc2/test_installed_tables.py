"""Tables of builds newer than playhead: from an installed s2protocol, else the nearest lower one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.samples.blizzard import write_header
from tests.samples.sc2 import replay as sample
from tests.samples.sc2.events import sample_streams

import playhead
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME
from playhead.sc2.protocol.tables import event_program, known_builds, protocol_table

LAST = known_builds()[-1]
NEW = 999_000
# The shape of Blizzard's modules: a table in which chat has a number more.
MODULE = """
from s2protocol.decoders import *

typeinfos = [
    ('_int', [(0, 3)]),  #0
    ('_blob', [(0, 11)]),  #1
    ('_struct', [[('m_recipient', 0, -2), ('m_mood', 0, -3), ('m_string', 1, -1)]]),  #2
    ('_struct', [[]]),  #3
    ('_choice', [(0, 2), {0: ('m_none', 3), 1: ('m_one', 0)}]),  #4
    ('_optional', [4]),  #5
    ('_array', [(0, 4), 5]),  #6
]
game_event_types = {5: (3, 'NNet.Game.SUserFinishedLoadingSyncEvent'), 6: (6, 'NNet.Game.SBrandNewEvent')}
message_event_types = {0: (2, 'NNet.Game.SChatMessage')}
replay_initdata_typeid = 3

def decode_replay_header(contents):
    raise AssertionError('never called')
"""


@pytest.fixture
def s2protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of tables in a package of that name, the first that Python finds."""
    versions = tmp_path / "s2protocol" / "versions"
    versions.mkdir(parents=True)
    for package in (versions.parent, versions):
        (package / "__init__.py").write_text("raise ImportError('not to be run')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "s2protocol"]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    protocol_table.cache_clear()
    event_program.cache_clear()
    yield versions
    protocol_table.cache_clear()
    event_program.cache_clear()


def add(folder: Path, build: int, text: str = MODULE) -> None:
    (folder / f"protocol{build:05d}.py").write_text(text, encoding="utf-8")


def test_a_newer_table_is_picked_up(s2protocol: Path) -> None:
    add(s2protocol, NEW)
    table = protocol_table(NEW, NEW)
    assert (table.base_build, table.confidence) == (NEW, "published by s2protocol")
    assert table.game[6][0] == "Game.SBrandNewEvent"
    # Loop 0, user 1, chat: recipient 0 and mood 5 in six bits behind the sixteen of the head.
    data = bytes([0, 0b00000001, 0b01010000, 0b00000000, 0b00000001]) + b"g"
    loop, user, number, fields = EventDecoder(event_program(NEW, NEW, "message"), data, id_bits=4).next_event()  # type: ignore[misc]
    assert (loop, user, number) == (0, 1, 0)
    assert set(fields) == {"m_recipient", "m_mood", "m_string"}


def test_of_installed_tables_the_nearest_lower(s2protocol: Path) -> None:
    for build in (LAST + 10, NEW, NEW + 5):
        add(s2protocol, build)
    assert protocol_table(NEW + 3, NEW + 3).confidence == f"nearest lower build {NEW}, published by s2protocol"
    assert protocol_table(NEW - 1, NEW - 1).base_build == LAST + 10
    assert protocol_table(LAST + 9, LAST + 9).confidence == f"nearest lower build {LAST}"
    assert protocol_table(LAST, LAST).confidence == "exact"


@pytest.mark.parametrize(
    "text", ["", "typeinfos = [", "typeinfos = [('_int', 5)]\nreplay_initdata_typeid = 0", "\0", "typeinfos = f()"]
)
def test_a_broken_table_is_passed_over(s2protocol: Path, text: str) -> None:
    add(s2protocol, NEW)
    add(s2protocol, NEW + 1, text)
    assert protocol_table(NEW + 1, NEW + 1).base_build == NEW


def newer_sample(whole: Any = None) -> Any:
    whole = whole or playhead.open(sample.sample_bytes())
    header = write_header(replace(sample.HEADER, base_build=NEW, build=NEW))
    names = [name for name in whole.recording.container.archive.names if name.startswith("replay.")]
    packed = [NewMember(name, whole.recording.container.read_member(name), method=None) for name in names]
    return playhead.open(write_archive(packed, header))


def test_a_replay_of_an_unknown_build_says_so(s2protocol: Path) -> None:
    replay = newer_sample()
    assert replay.info.confidence == f"nearest lower build {LAST}"
    assert replay.info.details["protocol"] == LAST
    assert replay.table("chat").num_rows == 3
    assert replay.table("units").num_rows == 7
    assert not replay.problems


def test_a_newer_build_that_does_not_fit_names_the_way_out(s2protocol: Path) -> None:
    """Its game events are in another wire format."""
    known = sample_streams(protocol_table(sample.HEADER.base_build, sample.HEADER.build))
    streams = {**known, GAME: known[GAME][:60] + bytes([0xFF]) * 40}
    replay = newer_sample(playhead.open(sample.archive(sample.HEADER, streams)))
    assert f"nearest lower build {LAST}, which does not fit build {NEW}" in replay.info.confidence
    assert "pip install -U s2protocol" in replay.info.confidence
    assert not replay.info.complete
    assert replay.brief_info.details["lost_parts"][0].startswith("game events")
    assert replay.table("units").num_rows == 7


def test_a_replay_of_a_build_that_only_s2protocol_knows(s2protocol: Path) -> None:
    add(s2protocol, NEW)
    replay = newer_sample()
    assert replay.info.confidence == "published by s2protocol"
    # That table is not the sample's: what does not fit is told, and the self-describing tracker stays whole.
    assert replay.table("units").num_rows == 7
    assert {problem.where for problem in replay.problems} >= {"replay.game.events"}


def test_confidence_of_a_known_build() -> None:
    assert playhead.open(sample.sample_bytes()).info.confidence == "exact"
