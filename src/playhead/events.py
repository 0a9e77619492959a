"""`Event`: something that happened at a moment of a replay, the same in every format; and the kinds of events."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from playhead.tables.shared import EVENTS

if TYPE_CHECKING:
    import pyarrow as pa

_WILD = frozenset("*?[")
_ROWS = 1 << 16


@runtime_checkable
class ReplayEvent(Protocol):
    """What an event of any format has, beside the fields of its kind."""

    @property
    def tick(self) -> int:
        """The format's own time, as in every table."""

    @property
    def seconds(self) -> float | None:
        """`tick` in seconds, as in every table; None before the first tick or if the file tells no rate."""

    @property
    def kind(self) -> str:
        """Short word for what happened (``chat``); one of `Replay.event_kinds`."""

    @property
    def player(self) -> int | None:
        """Who did it, as in `Replay.players`; None for nobody or where it is not known."""

    @property
    def payload(self) -> Mapping[str, Any]:
        """The fields of its kind by name: what column ``payload`` of table ``events`` has as JSON."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event whose fields are those of its kind: ``event.fields["text"]``, or ``event.text``.

    Attributes:
        tick: the format's own time.
        seconds: the same in seconds; None before the first tick or if the file tells no rate.
        kind: short word for what happened.
        player: who did it, as in `Replay.players`; None for nobody or where it is not known.
        fields: the fields of its kind by name.
    """

    tick: int
    seconds: float | None
    kind: str
    player: int | None
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The same as `fields`."""
        return self.fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask for these before there are fields
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            known = ", ".join(self.fields) or "none"
            raise AttributeError(f"a {self.kind} event has no field {name!r}; it has {known}") from None

    def __dir__(self) -> Iterable[str]:
        return [*object.__dir__(self), *self.fields]


def choose_kinds(asked: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The kinds that names or patterns (``ward_*``) mean; all of them if none are asked for.

    Raises:
        KeyError: there is no such kind; the text suggests others.
    """
    known = list(known)
    asked = list(asked)
    if not asked:
        return frozenset(known)
    found: set[str] = set()
    for one in asked:
        fits = {kind for kind in known if kind == one or (_WILD & set(one) and fnmatchcase(kind, one))}
        if not fits:
            raise KeyError(unknown_kind(one, known))
        found |= fits
    return frozenset(found)


def unknown_kind(asked: str, known: Iterable[str]) -> str:
    """What to say of a kind of events that is none, with those whose names are near."""
    known = sorted(known)
    near = difflib.get_close_matches(asked, known, n=3)
    near += [kind for kind in known if set(re.split(r"\W|_", asked)) & set(kind.split("_")) and kind not in near]
    hint = f"did you mean {' or '.join(near[:4])}?" if near else f"there are {', '.join(known) or 'none'}"
    return f"no events of kind {asked!r}; {hint}"


def _plain(value: Any) -> Any:
    """What JSON has no type for: bytes as hexadecimal text, other things as their text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {"hex": bytes(value).hex()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


def payload_json(event: ReplayEvent) -> str:
    """Column ``payload`` of an event. A number that JSON cannot say is text, a lone surrogate is U+FFFD."""
    try:
        text = json.dumps(event.payload, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(dict(event.payload)), ensure_ascii=False, default=_plain)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


def event_batches(events: Iterable[ReplayEvent], rows: int = _ROWS) -> Iterator[pa.Table]:
    """Table ``events``, `rows` rows at a time; at least one, if an empty, table."""
    ticks: list[int] = []
    seconds: list[float | None] = []
    kinds: list[str] = []
    players: list[int | None] = []
    payloads: list[str] = []
    columns: dict[str, list[Any]] = {
        "tick": ticks,
        "seconds": seconds,
        "kind": kinds,
        "player": players,
        "payload": payloads,
    }
    built = 0
    for event in events:
        ticks.append(_int32(event.tick) or 0)
        seconds.append(event.seconds)
        kinds.append(event.kind)
        players.append(_int32(event.player))
        payloads.append(payload_json(event))
        if len(ticks) == rows:
            yield EVENTS.build(columns)
            built += 1
            for column in columns.values():
                column.clear()
    if ticks or not built:
        yield EVENTS.build(columns)


def _int32(value: int | None) -> int | None:
    """None for a number that damage made up."""
    return value if value is not None and -(1 << 31) <= value < 1 << 31 else None
