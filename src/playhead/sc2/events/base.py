"""What all events have in common, and how a class says which raw field a friendly one comes from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from playhead.sc2.members.text import decode_text

#: Commands, targets and pings: parts of a cell.
FINE = 4096.0
#: Cameras from retail on.
COARSE = 256.0


#: Short words that are not the name in words; names that one event had through the years have the same.
_KINDS = {
    "SCmdEvent": "command",
    "SCmdUpdateTargetPointEvent": "update_point",
    "SCmdUpdateTargetUnitEvent": "update_unit",
    "SSelectionDeltaEvent": "selection",
    "SControlGroupUpdateEvent": "control_group",
    "SCameraUpdateEvent": "camera",
    "SPlayerLeaveEvent": "leave",
    "SGameUserLeaveEvent": "leave",
    "SGameUserJoinEvent": "join",
    "SHijackReplayGameEvent": "hijack",
}


@cache
def kind_of(name: str) -> str:
    """The short word for an event by its short name: ``SUnitBornEvent`` is ``unit_born``, ``SCmdEvent`` is
    ``command``."""
    if name in _KINDS:
        return _KINDS[name]
    words = re.sub(r"^S(?=[A-Z])|(Event|Message)$", "", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", words).lower()


@dataclass(frozen=True, slots=True)
class Scope:
    """What the friendly fields of a replay's events need to know of the whole.

    Attributes:
        camera_unit: parts of a cell that camera positions are in.
        tracker_cells: cells in one unit of the tracker's positions.
        ability: name of a command of an ability by link and index; None where it has none.
    """

    camera_unit: float = COARSE
    tracker_cells: float = 1.0
    ability: Callable[[int, int], str | None] = lambda link, index: None


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a replay; an event that has no class of its own is this one.

    Attributes:
        loop: game loop.
        seconds: the same in seconds of the clock that the game shows.
        user_id: place in the lobby's list of users, or, up to 1.5, in its slots that are taken, from 1; None for
            the game itself (16) and in the tracker.
        player: number as in `Replay.players`; of the tracker, the ``m_playerId`` or ``m_controlPlayerId``.
        name: Blizzard's name without what stands before the last dot, ``SCmdEvent``.
        number: of the event in its stream.
        fields: all fields under Blizzard's names; blobs are bytes, bit arrays `BitArray`, choices a dict of one.
            What the type table does not know is there under its number.
    """

    loop: int
    seconds: float
    user_id: int | None
    player: int | None
    name: str
    number: int
    fields: Mapping[str, Any] = dataclasses.field(repr=False, hash=False)

    @property
    def kind(self) -> str:
        """Short word for what happened: ``command``, ``chat``, ``unit_born``; see `kind_of`."""
        return kind_of(self.name)

    @property
    def tick(self) -> int:
        """The same as `loop`, by the name that it has in every format."""
        return self.loop

    @property
    def payload(self) -> Mapping[str, Any]:
        """The friendly fields that are there; of an event without any, all fields under Blizzard's names."""
        names = _friendly_names(type(self))  # type: ignore[arg-type]
        if not names:
            return self.fields
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @classmethod
    def friendly(cls, fields: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        """Values of the fields that this class adds, from the raw ones; what is not there keeps its default."""
        return convert_fields(cls, fields, scope)


def dig(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value at a path of raw fields; None if it is not there."""
    value: Any = fields
    for key in path:
        # Not Mapping, which takes ten times as long to ask for.
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


Convert = Callable[[Any, Scope], Any]


def raw(*paths: str, convert: Convert | None = None, default: Any = None) -> Any:
    """A friendly field: from the first of these raw fields (dotted) that the event has; an empty path is all."""
    split = tuple(tuple(filter(None, path.split("."))) for path in paths)
    return dataclasses.field(default=default, metadata={"paths": split, "convert": convert})


@cache
def fields_of(type_: type[Any]) -> tuple[tuple[str, tuple[tuple[str, ...], ...], Convert | None], ...]:
    """Name, paths and conversion of each friendly field of a class."""
    return tuple(
        (field.name, field.metadata["paths"], field.metadata["convert"])
        for field in dataclasses.fields(type_)
        if "paths" in field.metadata
    )


@cache
def _friendly_names(type_: type[Any]) -> tuple[str, ...]:
    return tuple(name for name, _, _ in fields_of(type_))  # type: ignore[arg-type]


def convert_fields(type_: type[Any], fields: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    """The friendly fields of a class that are there."""
    out = {}
    for name, paths, convert in fields_of(type_):  # type: ignore[arg-type]
        for path in paths:
            value = fields.get(path[0]) if len(path) == 1 else dig(fields, path)
            if value is not None:
                out[name] = value if convert is None else convert(value, scope)
                break
    return out


def as_text(value: bytes, scope: Scope) -> str:
    return decode_text(value)


def known_text(value: bytes, scope: Scope) -> str | None:
    """A text; None if it is empty."""
    return decode_text(value) or None


def fine(value: int, scope: Scope) -> float:
    """1/4096 of a cell as cells."""
    return value / FINE


def coarse(value: int, scope: Scope) -> float:
    """1/256 of a cell as cells."""
    return value / COARSE


def of_camera(value: int, scope: Scope) -> float:
    return value / scope.camera_unit


def of_tracker(value: int, scope: Scope) -> float:
    return value * scope.tracker_cells


def numbers(value: list[int], scope: Scope) -> tuple[int, ...]:
    return tuple(value)


def named(*names: str) -> Convert:
    """A number as the name at its place; a number without one as itself in digits."""

    def convert(value: int, scope: Scope) -> str:
        return names[value] if 0 <= value < len(names) else str(value)

    return convert
