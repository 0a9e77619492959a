"""The synthetic match as a demo file of any length, with a full packet every minute as in SourceTV recordings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from playhead.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from playhead.samples.source2.match import SyntheticMatch
from playhead.samples.source2.recording import RecordingForm, write_recording
from playhead.source2.writing.demo import DemoWriter, InnerMessage

_GAME_DIR = "/srv/dota_v6900/dota"
_FULL_PACKET_EVERY = 60 * TICKS_PER_SECOND

FILE_HEADER: dict[str, Any] = {
    "patch_version": 47,
    "server_name": "playhead sample",
    "client_name": "SourceTV Demo",
    "map_name": "start",
    "game_directory": _GAME_DIR,
    "demo_version_name": "valve_demo_2",
    "build_num": 10000,
}


def server_info(max_classes: int) -> dict[str, Any]:
    """Return the fields of CSVCMsg_ServerInfo."""
    return {
        "protocol": 1210,
        "is_dedicated": True,
        "is_hltv": True,
        "max_clients": 64,
        "max_classes": max_classes,
        "tick_interval": 1 / TICKS_PER_SECOND,
        "game_dir": _GAME_DIR,
        "map_name": "start",
        "host_name": "playhead sample",
    }


class MatchMessages(Protocol):
    """The content of a recording of the match besides its entities. The first string table has number 1."""

    def signon(self) -> list[InnerMessage]:
        """Return the messages before the game, after those of the engine."""

    def string_tables(self) -> list[Mapping[str, Any]]:
        """Return the current string tables, for sign-on and full packets."""

    def at(self, tick: int, match: SyntheticMatch) -> list[InnerMessage]:
        """Return the messages in the packet of a tick, after the match was played up to it."""

    def file_info(self, match: SyntheticMatch) -> Mapping[str, Any]:
        """Return the fields of CDemoFileInfo besides the length."""


def match_demo(
    minutes: float,
    *,
    seed: int = 7,
    full_packet_every: int = _FULL_PACKET_EVERY,
    messages: MatchMessages | None = None,
) -> tuple[bytes, SyntheticMatch]:
    """Return a demo of that many minutes, and the match at its end with the expected values.

    The same arguments give the same bytes. About 900 entities live at a time; there is a full packet every
    `full_packet_every` ticks.
    """
    match = SyntheticMatch(seed)
    data = write_match(
        DemoWriter(FILE_HEADER), match, minutes, full_packet_every=full_packet_every, messages=messages
    )
    return data, match


def write_match(
    writer: DemoWriter,
    match: SyntheticMatch,
    minutes: float,
    *,
    full_packet_every: int = _FULL_PACKET_EVERY,
    messages: MatchMessages | None = None,
) -> bytes:
    """Write a match from its beginning; return the result of `DemoWriter.finish`."""
    form = RecordingForm(
        server_info=server_info(len(match.class_names)),
        ticks_per_second=TICKS_PER_SECOND,
        first_server_tick=FIRST_SERVER_TICK,
        full_packet_every=full_packet_every,
        signon=messages.signon() if messages else (),
        string_tables=messages.string_tables if messages else tuple,
        file_info=partial(messages.file_info, match) if messages else dict,
    )
    last = int(minutes * 60 * TICKS_PER_SECOND) // 2 * 2
    packets = ((tick, messages.at(tick, match) if messages else ()) for tick in match.ticks(last))
    return write_recording(writer, match, form, packets)
