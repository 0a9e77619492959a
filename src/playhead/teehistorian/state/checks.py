"""Self-checks of a recording: each message must fit the state of its client's slot.

A slot is empty, occupied or unknown. Servers before version_minor 6 and from 15 to 21 do not record the JOIN of
clients that stay over a map change: at the start of such a recording a slot is unknown until a message of its
client. Each message that requires an occupied or an empty slot counts as passed or failed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from playhead.errors import CorruptReplay
from playhead.model import Check
from playhead.teehistorian.stream import extensions, messages
from playhead.teehistorian.stream.header import Header

#: Each check, and the fact that it proves.
CHECKS: Mapping[str, str] = MappingProxyType(
    {
        "joins": "A client joins only a free slot.",
        "drops": "Only a connected client leaves.",
        "tees that appear": "A tee appears only for a connected client that has none.",
        "tees that move": "Only an existing tee moves or disappears.",
        "inputs": "Only connected clients give inputs.",
        "input changes": "An input changes only after a whole one was recorded.",
        "entered": "From 16.0 on (version_minor 3), a client enters the game before it gives inputs or has a tee.",
        "tees after a leave": "From version_minor 2 on, the tee of a client that left disappears a tick later.",
        "network messages": "Only connected clients send network messages.",
        "extensions": "Extensions about a client are about a connected one.",
        "client ids": "Client ids are those that the server has: below 64 before 19.1 (version_minor 10).",
        "known extensions": "The header lists every extension that occurs.",
        "ticks": "A TICK_SKIP leads to a message, not to another TICK_SKIP.",
        "FINISH": "The recording ends with FINISH, once.",
        "header": "Ids, checksums, start and port in the header have the shape that servers write.",
        "file name": "The file has the name of the game's id.",
        "map": "The configuration in the header names the map that was played.",
    }
)

_EMPTY, _TAKEN, _UNKNOWN = range(3)
#: Extensions about clients that have not joined yet, or (leaving a team) have left already.
_OF_NOBODY = frozenset(
    record.uuid
    for record in (
        extensions.JoinVersion6,
        extensions.JoinVersion7,
        extensions.AuthInit,
        extensions.AuthLogin,
        extensions.PlayerTeam,
    )
)
#: Failures that the reader reports itself.
_REPORTED = frozenset({"tees that move", "input changes", "FINISH"})

_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "game_uuid": _UUID,
    "prev_game_uuid": _UUID,
    "map_size": re.compile("[0-9]{1,10}"),
    "map_crc": re.compile("[0-9a-f]{8}"),
    "map_sha256": re.compile("[0-9a-f]{64}"),
    "server_port": re.compile("[0-9]{1,5}"),
}


class Checks:
    """Checks the messages of a recording in file order; `results` returns the counts."""

    def __init__(self, header: Header, file_name: str) -> None:
        minor = header.version_minor
        self._counts = {name: [0, 0] for name in CHECKS}
        self._first: dict[str, CorruptReplay] = {}
        stay_unseen = minor is None or minor < 6 or 15 <= minor <= 21
        self._slots = [_UNKNOWN if stay_unseen else _EMPTY] * messages.MAX_CLIENTS
        self._tees = [False] * messages.MAX_CLIENTS
        self._has_input = [False] * messages.MAX_CLIENTS
        self._left_on = [-1] * messages.MAX_CLIENTS
        self._entered = [True] * messages.MAX_CLIENTS  # unknown before a JOIN
        self._ids = 64 if header.version >= 2 and minor is not None and minor < 10 else messages.MAX_CLIENTS
        self._promises_entry = (
            extensions.PlayerReady.extension_name in header.extension_names and (minor or 0) >= 3
        )
        self._promises_ends = (minor or 0) >= 2
        names = header.extension_names
        self._listed = {extensions.named_uuid(name) for name in names} or extensions.EXTENSIONS.keys()
        # A slice begins with synthesised state and a skip, which no server writes.
        self._is_slice = "playhead_slice" in header.fields
        start = (header.text("playhead_slice") or "").partition("-")[0]
        self._first_tick = int(start) - 1 if start.isdecimal() else 0
        self._after_skip = False
        self._tick = self._offset = 0
        self._check_header(header, file_name)

    def end(self, *, complete: bool) -> None:
        """Check the end of the recording."""
        self._count("FINISH", complete)

    def results(self) -> list[Check]:
        """Return the counts of each check that this recording exercised."""
        counts = self._counts
        return [
            Check(name, passed=counts[name][0], failed=counts[name][1], doc=doc)
            for name, doc in CHECKS.items()
            if any(counts[name])
        ]

    def failures(self) -> Iterable[tuple[CorruptReplay, str]]:
        """Yield the first failure of each check and its cost, except failures that the reader reports itself."""
        for name, error in self._first.items():
            if name not in _REPORTED:
                yield error, f"certainty about {self._counts[name][1]} of {sum(self._counts[name])} ({name})"

    def on_message(self, tick: int, offset: int, message: messages.Message) -> None:
        """Check one message, which begins at `offset`."""
        self._tick, self._offset = tick, offset
        skip = isinstance(message, messages.TickSkip)
        if not self._is_slice and (self._after_skip or skip):
            self._count("ticks", not (skip and self._after_skip))
        self._after_skip = skip
        match message:
            case messages.PlayerDiff(cid):
                self._count("tees that move", self._tees[cid])
                self._remain(tick, cid)
            case messages.InputDiff(cid):
                self._count("input changes", self._has_input[cid])
                self._input(cid)
            case messages.InputNew(cid):
                self._has_input[cid] = True
                self._input(cid)
            case messages.PlayerNew(cid):
                self._count("tees that appear", not self._tees[cid] and self._somebody(cid))
                self._tees[cid] = True
                self._left_on[cid] = -1
                self._enter(cid)
            case messages.PlayerOld(cid):
                self._count("tees that move", self._tees[cid])
                self._tees[cid] = False
                self._remain(tick, cid)
                self._left_on[cid] = -1
            case messages.Join(cid):
                self._count("joins", self._slots[cid] != _TAKEN)
                self._slots[cid] = _TAKEN
                self._entered[cid] = False
            case messages.Drop(cid):
                self._count("drops", self._somebody(cid))
                self._slots[cid] = _EMPTY
                self._left_on[cid] = tick if self._tees[cid] else -1
            case messages.NetMessage(cid):
                self._count("network messages", self._somebody(cid))
            case messages.Extra():
                self._extension(message)
            case _:
                pass
        cid = getattr(message, "cid", -1)
        if cid >= 0:
            self._count("client ids", cid < self._ids)

    def _input(self, cid: int) -> None:
        self._count("inputs", self._somebody(cid))
        self._enter(cid)

    def _enter(self, cid: int) -> None:
        if self._promises_entry:
            self._count("entered", self._entered[cid])

    def _remain(self, tick: int, cid: int) -> None:
        if self._promises_ends and self._left_on[cid] >= 0:
            self._count("tees after a leave", tick <= self._left_on[cid] + 1)

    def _extension(self, message: messages.Extra) -> None:
        self._count("known extensions", message.uuid in self._listed)
        cid = extensions.extension_client(message)
        if cid is not None:
            self._count("client ids", cid < self._ids)
            if message.uuid not in _OF_NOBODY:
                self._count("extensions", self._somebody(cid))
            if message.uuid in (extensions.PlayerReady.uuid, extensions.PlayerRejoin.uuid):
                self._entered[cid] = message.uuid == extensions.PlayerReady.uuid

    def _somebody(self, cid: int) -> bool:
        """Return whether a slot may be occupied; from then on it counts as occupied."""
        if self._slots[cid] == _UNKNOWN:
            self._slots[cid] = _TAKEN
        return self._slots[cid] == _TAKEN

    def _check_header(self, header: Header, file_name: str) -> None:
        for key, shape in _SHAPES.items():
            value = header.fields.get(key)
            if value is not None:
                self._count("header", isinstance(value, str) and shape.fullmatch(value) is not None)
        if "start_time" in header.fields:
            self._count("header", header.start_time is not None)
        stem = os.path.basename(file_name).partition(".")[0]
        if _UUID.fullmatch(stem):
            self._count("file name", stem == header.text("game_uuid"))
        config = header.fields.get("config")
        named = config.get("sv_map") if isinstance(config, Mapping) else None
        if named is not None:
            self._count("map", named == header.text("map_name"))

    def _count(self, name: str, passed: bool) -> None:
        if self._tick < self._first_tick and name not in ("header", "file name", "map"):
            return
        self._counts[name][not passed] += 1
        if not passed and name not in self._first:
            self._first[name] = CorruptReplay(
                f"check failed: {CHECKS[name]}", offset=self._offset, tick=self._tick
            )
