"""The type table of a build: its own or that of the nearest lower build, patched."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from playhead.runtime.records import dataclass
from playhead.sc2.protocol.installed import installed_table
from playhead.sc2.protocol.patches import PATCHES, Step
from playhead.sc2.protocol.pool import TypePool

#: The three streams of events.
GAME = "game"
MESSAGE = "message"
TRACKER = "tracker"

#: Bits of an event's number in the bit-packed streams.
ID_BITS = {GAME: 7, MESSAGE: 4, TRACKER: 0}

#: User id of the game itself.
NO_USER = 16


def short_name(full: str) -> str:
    """Return an event's name, ``Game.SCmdEvent``, without the part up to the last dot."""
    return full.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ProtocolTable:
    """Types of one wire format.

    Attributes:
        base_build: the build of the table.
        confidence: ``exact`` if the table was published for the base build; ``published by s2protocol`` if only an
            installed s2protocol has it; otherwise ``nearest lower build …``, of either source, or ``lowest build
            …`` below all tables. The effects of each patch are appended.
        pool: the types by number.
        game, message, tracker: by event number, the event's name and the number of its type.
        init_data: number of the type of ``replay.initData``.
    """

    base_build: int
    confidence: str
    pool: TypePool
    game: Mapping[int, tuple[str, int]]
    message: Mapping[int, tuple[str, int]]
    tracker: Mapping[int, tuple[str, int]]
    init_data: int

    def events(self, stream: str) -> Mapping[int, tuple[str, int]]:
        """Return the events of one of the three streams."""
        return {GAME: self.game, MESSAGE: self.message, TRACKER: self.tracker}[stream]


class _Draft:
    """A table that patches can change."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.streams: dict[str, dict[int, tuple[str, int]]] = {
            stream: {number: (name, type_) for number, name, type_ in raw[stream]}
            for stream in (GAME, MESSAGE, TRACKER)
        }
        self.init_data: int = raw["init_data"]


@lru_cache(maxsize=1)
def _stored() -> tuple[TypePool, dict[int, Mapping[str, Any]]]:
    packed = Path(__file__).with_name("tables.json.zlib").read_bytes()
    data = json.loads(zlib.decompress(packed))
    return TypePool(data["types"]), {build: raw for raw in data["tables"] for build in raw["builds"]}


def known_builds() -> list[int]:
    """Return the base builds of the shipped tables, in ascending order."""
    return sorted(_stored()[1])


@lru_cache(maxsize=1)
def wire_formats() -> Mapping[tuple[int, int], list[tuple[int, int]]]:
    """Return base build and build of each table of a wire format, by the newest of them; the newest first."""
    seen: dict[tuple[object, ...], tuple[int, int]] = {}
    members: dict[tuple[int, int], list[tuple[int, int]]] = {}
    # Some formats are known only as patches, and up to 1.0 one base build covers two.
    for base in sorted({*known_builds(), *(patch.first for patch in PATCHES)}, reverse=True):
        for build in {base, *(patch.from_build for patch in PATCHES if patch.first == base and patch.from_build)}:
            table = protocol_table(base, build)
            key = (tuple(table.game.items()), tuple(table.message.items()), table.init_data)
            members.setdefault(seen.setdefault(key, (base, build)), []).append((base, build))
    return members


def distinct_builds() -> list[tuple[int, int]]:
    """Return base build and build of each known wire format, the newest first; the newest of equal ones."""
    return list(wire_formats())


def _insert(pool: TypePool, type_: int, path: list[str], new: list[Any], after: str | None) -> int:
    """Return `type_` with a field added to the struct at `path`, which may lead through arrays."""
    kind = pool.types[type_]
    if kind[0] == "array":
        return pool.add([*kind[:3], _insert(pool, kind[3], path, new, after)])
    fields = pool.fields(type_)
    if path:
        for field in fields:
            if field[0] == path[0]:
                field[1] = _insert(pool, field[1], path[1:], new, after)
    else:
        names = [field[0] for field in fields]
        fields.insert(len(fields) if after is None else names.index(after) + 1, new)
    return pool.add(["struct", fields])


def _apply(draft: _Draft, step: Step, pool: TypePool, tables: Mapping[int, Mapping[str, Any]]) -> None:
    operation, *arguments = step
    if operation == "copy":
        stream, name, number, build = arguments
        types = {known: type_ for _, known, type_ in tables[build][stream]}  # type: ignore[index]
        draft.streams[stream][number] = (name, types[name])  # type: ignore[index, assignment]
    elif operation == "copy_all":
        stream, build = arguments
        draft.streams[stream] = _Draft(tables[build]).streams[stream]  # type: ignore[index]
    elif operation == "copy_init_data":
        draft.init_data = tables[arguments[0]]["init_data"]  # type: ignore[index]
    elif operation == "optional_bits":
        stream, name, field_name, width = arguments
        for number, (known, type_) in draft.streams[stream].items():  # type: ignore[index]
            if known == name:
                fields = pool.fields(type_)
                for field in fields:
                    if field[0] == field_name:
                        field[1] = pool.add(["optional", pool.add(["bitarray", 0, width])])
                draft.streams[stream][number] = (known, pool.add(["struct", fields]))  # type: ignore[index]
    elif operation == "insert":
        path, name, new_type, after = arguments
        new = [name, pool.add(list(new_type)), -1]  # type: ignore[call-overload]
        draft.init_data = _insert(pool, draft.init_data, str(path).split("."), new, after)  # type: ignore[arg-type]
    else:
        raise ValueError(f"unknown patch operation {operation!r}")


@lru_cache(maxsize=64)
def protocol_table(base_build: int, build: int) -> ProtocolTable:
    """Return the table for a replay with these two builds in its header."""
    pool, tables = _stored()
    known = sorted(tables)
    raw = tables.get(base_build)
    chosen, confidence = base_build, "exact"
    if raw is None and base_build > known[-1]:
        newer = installed_table(base_build, known[-1], pool)
        if newer is not None:
            chosen, raw = newer
            nearest = "" if chosen == base_build else f"nearest lower build {chosen}, "
            confidence = f"{nearest}published by s2protocol"
    if raw is None:
        lower = [other for other in known if other <= base_build]
        chosen = lower[-1] if lower else known[0]
        confidence = f"nearest lower build {chosen}" if lower else f"lowest build {chosen}"
        raw = tables[chosen]
    draft = _Draft(raw)
    for patch in PATCHES:
        if patch.applies(base_build, build):
            confidence += f"; patched: {patch.name}"
            for step in patch.steps:
                _apply(draft, step, pool, tables)
    if not draft.streams[TRACKER]:
        # Self-describing: a table adds only names.
        draft.streams[TRACKER] = _Draft(tables[known[-1]]).streams[TRACKER]
    return ProtocolTable(
        base_build=chosen,
        confidence=confidence,
        pool=pool,
        game=draft.streams[GAME],
        message=draft.streams[MESSAGE],
        tracker=draft.streams[TRACKER],
        init_data=draft.init_data,
    )


@lru_cache(maxsize=1)
def replay_info_type() -> tuple[TypePool, int]:
    """Return the pool, and the number of the type of ``replay.info`` (betas up to 0.10) up to the map's title.

    It is the lobby of protocol 15405 with these differences, found on the 21 replays of that time: two more bits
    of game options (it is unknown which two, so all 16 are one number), the file name of the mod after its
    checksum, no ``m_isBlizzardMap``, and slots without rewards.
    """
    pool, tables = _stored()

    def changed(type_: int, **fields: list[Any] | int | None) -> int:
        """Return a struct with changed or removed fields."""
        new = [
            [name, fields.get(name, inner), tag]
            for name, inner, tag in pool.fields(type_)
            if fields.get(name, inner) is not None
        ]
        return pool.add(["struct", [[n, pool.add(t) if isinstance(t, list) else t, tag] for n, t, tag in new]])

    def inner(type_: int, name: str) -> int:
        found: int = next(known for field, known, _ in pool.fields(type_) if field == name)
        return found

    state = inner(tables[15405]["init_data"], "m_syncLobbyState")
    game = inner(state, "m_gameDescription")
    game = changed(game, m_gameOptions=["int", 0, 16], m_isBlizzardMap=None)
    game = _insert(pool, game, [], ["m_modFileName", pool.add(["blob", 0, 10]), -1], "m_modFileSyncChecksum")
    lobby = inner(state, "m_lobbyState")
    kind, least, width, slot = pool.types[inner(lobby, "m_slots")]
    lobby = changed(lobby, m_slots=[kind, least, width, changed(slot, m_rewards=None)])
    state = changed(state, m_gameDescription=game, m_lobbyState=lobby)
    title = ["m_title", pool.add(["blob", 0, 10]), -1]
    return pool, pool.add(["struct", [["m_syncLobbyState", state, -1], title]])
