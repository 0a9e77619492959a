"""The JSON of events, written from columns and from objects: always valid, whatever the stream."""

from __future__ import annotations

import json

from tests.samples.sc2 import replay as sc2

import playhead
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from targets import LIMITS

STREAMS = (GAME, MESSAGE, TRACKER)
TABLES = ("game_events", "message_events", "tracker_events")


def fuzz(data: bytes) -> None:
    if not data:
        return
    streams = dict.fromkeys(STREAMS, b"")
    number = data[0] % 3
    streams[STREAMS[number]] = data[1:]
    replay = playhead.open(sc2.archive(sc2.HEADER, streams), limits=LIMITS)
    for text in replay.table(TABLES[number])["fields"].to_pylist():
        json.loads(text)  # a number, for an event of an unknown type
    for event in replay.table("events").to_pylist():
        json.loads(event["payload"])
    for row in replay.table("commands").to_pylist():
        json.dumps(row, default=str)
