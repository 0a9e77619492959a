"""The synthetic match as a demo file of any length, with a full packet every minute as in SourceTV recordings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from tests.samples.source2 import recording
from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.match import SyntheticMatch

from playhead.source2.writing.demo import DemoWriter, InnerMessage

_GAME_DIR = "/srv/dota_v6900/dota"
_FULL_PACKET_EVERY = 60 * TICKS_PER_SECOND

FILE_HEADER = recording.file_header("start", _GAME_DIR, build=10000)
SERVER_INFO = recording.server_info("start", _GAME_DIR, 1210, TICKS_PER_SECOND)


class MatchMessages(Protocol):
    """The content of a recording of the match besides its entities. The first string table has number 1."""

    def signon(self) -> list[InnerMessage]:
        """Return the messages before the game, after those of the engine."""

    def string_tables(self) -> recording.StringTables:
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
    form = recording.RecordingForm(
        server_info=SERVER_INFO,
        ticks_per_second=TICKS_PER_SECOND,
        first_server_tick=FIRST_SERVER_TICK,
        full_packet_every=full_packet_every,
        signon=messages.signon() if messages else (),
        string_tables=messages.string_tables if messages else dict,
        file_info=partial(messages.file_info, match) if messages else dict,
    )
    last = int(minutes * 60 * TICKS_PER_SECOND) // 2 * 2
    packets = ((tick, messages.at(tick, match) if messages else ()) for tick in match.ticks(last))
    return recording.write_recording(writer, match, form, packets)
