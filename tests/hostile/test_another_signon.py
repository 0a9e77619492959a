"""A part of the sign-on is that of another match: a problem says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead
from playhead.source2.container.frames import (
    CLASS_INFO,
    COMPRESSED,
    FILE_HEADER,
    FILE_INFO,
    PACKET,
    SEND_TABLES,
    SIGNON_PACKET,
    SPAWN_GROUPS,
    STOP,
    STRING_TABLES,
)
from playhead.source2.messages import wire
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter

Change = Callable[[Mapping[str | int, Any]], Any]
MESSAGES = {FILE_HEADER: "CDemoFileHeader", CLASS_INFO: "CDemoClassInfo", STRING_TABLES: "CDemoStringTables"}


def written(data: bytes | Path, command: int, change: Change | None = None, donor: Path | None = None) -> bytes:
    """Return a recording with another content of a sign-on frame, or with those frames of another recording."""
    recording = open_as(Source2Replay, data).recording
    others = () if donor is None else open_as(Source2Replay, donor).recording
    first, *frames = recording.frames
    header = wire.decode("CDemoFileHeader", bytes(recording.payload(first)))
    writer = DemoWriter(change(header) if change and command == FILE_HEADER else header)
    last = {f.command: bytes(recording.payload(f)) for f in frames if f.command in (FILE_INFO, SPAWN_GROUPS)}
    start = next(number for number, frame in enumerate(frames) if frame.command == PACKET)
    given = [(others, f) for f in others.signon_frames(command)] if others else []
    for number, frame in enumerate(frames):
        if frame.command in (STOP, SPAWN_GROUPS, FILE_INFO):
            continue
        of = [(recording, frame)]
        if frame.command == command and number < start:
            if change:
                content = change(wire.decode(MESSAGES[command], recording.payload(frame)))
                writer.frame(command, frame.tick, wire.encode(MESSAGES[command], content))
                continue
            of, given = given, []
        for source, each in of:
            kind = each.command | (COMPRESSED if each.compressed else 0)
            writer.stored_frame(kind, each.tick, source.stored(each))
    return writer.finish(frames[-1].tick, last.get(FILE_INFO, b""), last.get(SPAWN_GROUPS, b""))


def other_map(content: Mapping[str | int, Any]) -> Any:
    return {**content, "map_name": "workshop/1/de_other"}


def more_classes(content: Mapping[str | int, Any]) -> Any:
    (*_, last) = content["classes"]
    more = {**last, "class_id": last["class_id"] + 1}
    return {**content, "classes": [*content["classes"], more]}


def _in_table(content: Mapping[str | int, Any], name: str, change: Change) -> Any:
    tables = [
        {**each, "items": [change(item) for item in each["items"]]} if each["table_name"] == name else each
        for each in content["tables"]
    ]
    assert tables != content["tables"]
    return {**content, "tables": tables}


def other_people(content: Mapping[str | int, Any]) -> Any:
    def other(item: Mapping[str | int, Any]) -> Any:
        if not item.get("data"):
            return item
        who = wire.decode("CMsgPlayerInfo", item["data"])
        return {**item, "data": wire.encode("CMsgPlayerInfo", {**who, "xuid": who.get("xuid", 0) ^ 1 << 30})}

    return _in_table(content, "userinfo", other)


def other_baselines(content: Mapping[str | int, Any]) -> Any:
    return _in_table(content, "instancebaseline", lambda item: {**item, "str": f"{int(item['str']) + 1}"})


@pytest.mark.long
def test_one_part_is_of_another_match() -> None:
    data = write_cs2_match(0.25, plan=plan_match(3, 1)[:2]).data
    for command, change, told in (
        (FILE_HEADER, other_map, "expected the map 'de_other'"),
        (CLASS_INFO, more_classes, "classes, as in ServerInfo"),
        (STRING_TABLES, other_people, "expected the same people"),
        (STRING_TABLES, other_baselines, "expected the same entries of instancebaseline"),
    ):
        assert not open_as(Source2Replay, written(data, command, lambda same: same)).problems
        changed = written(data, command, change)
        assert any(told in problem.what for problem in open_as(Source2Replay, changed).problems), told
        with pytest.raises(playhead.ReplayError):
            open_as(Source2Replay, changed, strict=True).problems  # noqa: B018


@pytest.mark.long
def test_parts_of_recordings_of_other_builds(corpus: Path) -> None:
    paths = sorted((corpus / "source2").glob("cs2_*.dem"))
    assert len(paths) >= 4
    for one, other in pairwise([*paths, paths[0]]):
        for command in (SEND_TABLES, CLASS_INFO, STRING_TABLES, SIGNON_PACKET):
            assert open_as(Source2Replay, written(one, command, donor=other)).problems, (one.name, command)
