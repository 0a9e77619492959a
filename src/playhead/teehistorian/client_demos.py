"""Demos and ghosts of DDNet's client: what somebody saw, as tables and in the viewer.

`playhead.teehistorian.physics.demo` reads and writes the files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead import presentation
from playhead.clock import Clock
from playhead.errors import CorruptReplay, FactError, LimitExceeded, ReplayError
from playhead.events import Event, EventSource, events_of_tables
from playhead.io.source import Source
from playhead.model import Info, Options, Player
from playhead.presentation.motion import HERO, Motion, Rows
from playhead.replay import Replay
from playhead.runtime.cached import cached_property
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.shared import POSITIONS as SHARED
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.physics.demo.ghosts import MAGIC as GHOST
from playhead.teehistorian.physics.demo.ghosts import Ghost, read_ghost
from playhead.teehistorian.physics.demo.reading import ClientDemo, DemoChunk, Items, extended_types, text_of
from playhead.teehistorian.presentation import TITLE
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS

if TYPE_CHECKING:
    from playhead.presentation import Presentation


#: Units of a tile.
_TILE = 32


class DemoMotion(Motion):
    """Tees by table ``positions``."""

    step_seconds = 0.02
    stretch_seconds = 10.0
    report_step_seconds = 0.1

    @cached_property
    def _moves(self) -> list[tuple[Any, ...]]:
        table = self.replay.table("positions")
        return list(zip(*(table.column(name).to_pylist() for name in ("tick", "player", "x", "y")), strict=True))

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return the moving tees; see `Motion.rows`."""
        rows = Rows()
        last: dict[int, tuple[float, float]] = {}
        names = {each.player: each.name for each in self.replay.players}

        def thing(player: int) -> int:
            key = str(player)
            about = {"kind": "tee", "name": names.get(player), "player": player, "role": HERO}
            return rows.places[key] if key in rows.places else rows.new(key, about)

        for tick, player, x, y in self._moves:
            if tick > end:
                break
            if tick <= start:
                last[player] = (x, y)
            else:
                self._begin(rows, start, last, thing)
                rows.add(tick, thing(player), x, y)
        self._begin(rows, start, last, thing)
        return rows

    @staticmethod
    def _begin(rows: Rows, start: int, last: dict[int, tuple[float, float]], thing: Any) -> None:
        """Add where everybody was at the start of the stretch."""
        for player, place in last.items():
            rows.add(start, thing(player), *place)
        last.clear()


def _motion(replay: Any) -> Motion:
    return DemoMotion(replay)


PRESENTATION = presentation.Presentation(
    title=lambda info: f"{TITLE} demo {info.map}",
    time_label="time since the server's first tick (min:s)",
    report_tables=("info", "players", "chat"),
    feed=presentation.EventFeed(notable=("chat_sent",), words={"chat_sent": "chat"}),
    map=presentation.MapLook(
        motion=_motion, y_is_down=True, length=("tiles", _TILE), layers=("names", "trails"), tile=_TILE
    ),
)


POSITIONS = TableSchema.of(
    "positions",
    "One row for each tee of a snapshot that is new or has changed. A demo of a client has the tees near it.",
    *SHARED.columns,
    *words("client velocity_x velocity_y direction"),
    word("weapon", f"{', '.join(WEAPONS)}."),
    group="series",
)
ITEMS = TableSchema.of(
    "snapshot_items",
    "One row for each item of a snapshot that is new, or different from the snapshot before, or gone.",
    *words("tick seconds"),
    Column(
        "item_type",
        "category",
        "Its name, a number if it has none here, or the UUID of an extension.",
        required=True,
    ),
    Column("item_number", "int32", "Its number among those of the type: of a person the client."),
    Column("item_values", "list<int32>", "Its fields as the protocol has them; null if it is gone."),
    group="log",
)
TABLES = (CHAT, POSITIONS, ITEMS)
EVENTS = (EventSource("chat_sent", "A line of chat.", "chat"),)

#: Names of the types of items.
NAMES = dict(
    enumerate(
        "projectile laser pickup flag game_info game_data character_core character player_info client_info "
        "spectator_info common explosion spawn hammer_hit death sound_global sound_world damage_indicator".split(),
        2,
    )
)


_CHARACTER, _CLIENT_INFO = 9, 11
#: Fields that facts read of these items; a later version of the game may append others.
_READ = {_CHARACTER: 20, _CLIENT_INFO: 14}
_CHAT_MESSAGE = 6
#: Readers of a line of chat, by its team.
_CHANNELS = {0: "all", 1: "team", 2: "whisper", 3: "whisper"}
_UNFILLED = {
    **dict.fromkeys(("*.winner_team", "*.winner_side", "*.winner_name", "players.result"), "a race has no winner"),
    **dict.fromkeys(("*.game_seconds", "*.end_game_seconds"), "the game has no clock"),
    **dict.fromkeys(("players.team", "players.side"), "players change teams during a demo"),
    "players.kind": "the file does not tell people from programs",
    "players.account": "players have no accounts",
    "info.game_word": "one game writes files of this format",
    **dict.fromkeys(
        ("info.start_time", "info.played_at", "info.played_at_is"),
        "the file has a local time without its zone (`recorded_at`)",
    ),
    "info.build": "the file does not tell the build",
    "info.end_time": "the file does not tell when the recording ended",
    "info.units_per_metre": "a tile has no size in metres",
}


class _Facts:
    """The first and last tick of a demo, the last `ClientInfo` of each client, and items that are too short."""

    def __init__(self) -> None:
        self.first = self.last = -1
        self.people: dict[int, tuple[int, ...]] = {}
        self.short: dict[int, tuple[int, int]] = {}

    def add(self, chunk: DemoChunk) -> None:
        self.first = chunk.tick if self.first < 0 else self.first
        self.last = max(self.last, chunk.tick)
        for (kind, number), fields in (chunk.items or {}).items():
            if kind in _READ and len(fields) < _READ[kind]:
                self.short.setdefault(kind, (len(fields), chunk.tick))
            elif kind == _CLIENT_INFO:
                self.people[number] = fields


class DemoReplay(Replay):
    """A demo of a client or server, snapshot by snapshot; or the run of a ghost, which has one tee."""

    format = "ddnet_demo"
    format_title = "DDNet demo"
    capabilities = frozenset()

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._whole = True
        self._known: _Facts | None = None
        self._ghost: Ghost | None = None
        self._demo: ClientDemo | None = None
        if bytes(source.data[: len(GHOST)]) == GHOST:
            self._ghost = read_ghost(source.data, self._damaged)
        else:
            self._demo = ClientDemo(source.data, source.compressed_size)

    # -- reading ------------------------------------------------------------------------------------------

    def _chunks(self) -> Iterator[DemoChunk]:
        """Yield chunks up to the first damage, which becomes a problem; the first time, gather the facts."""
        if self._ghost is not None:
            chunks = _chunks_of(self._ghost)
        else:
            assert self._demo is not None
            chunks = self._demo.chunks()
        found = _Facts()
        try:
            for chunk in chunks:
                if self._known is None:
                    found.add(chunk)
                yield chunk
        except ReplayError as error:
            self._damaged(error)
        if self._known is None:
            self._known = found
            self._note_facts(found)

    def _damaged(self, error: ReplayError) -> None:
        self._whole = False
        self._note(error, cost="everything from there on", where="demo")

    @property
    def _facts(self) -> _Facts:
        if self._known is None:
            with GC_PAUSED:
                deque(self._chunks(), maxlen=0)
        assert self._known is not None
        return self._known

    def _note_facts(self, found: _Facts) -> None:
        for kind, (count, tick) in found.short.items():
            wrong = FactError(f"expected {_READ[kind]} fields in an item {NAMES[kind]}, found {count}", tick=tick)
            self._note(wrong, cost="the rows of such items, but for table snapshot_items", where="demo")
        seconds = (found.last - found.first) // TICKS_PER_SECOND
        if self._whole and self._demo is not None and self._demo.seconds > seconds + 1:
            told = f"expected {self._demo.seconds} seconds, as the head says, found {seconds}"
            self._damaged(CorruptReplay(told, tick=found.last))

    # -- implementation of `Replay` -----------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """Converts ticks to seconds."""
        return Clock(float(TICKS_PER_SECOND))

    def _first_tick(self) -> int:
        return max(self._facts.first, 0)

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        return PRESENTATION

    def _load_info(self) -> Info:
        last = max(self._facts.last, 0)
        details: dict[str, Any]
        if self._ghost is not None:
            name, version = self._ghost.map_name, "ghost"
            details = {
                "map_sha256": self._ghost.map_sha256 or None,
                "run_seconds": self._ghost.milliseconds / 1000,
            }
        else:
            assert self._demo is not None
            name, version = self._demo.map_name, self._demo.net_version
            details = {
                "map_sha256": self._demo.map_sha256,
                "recorded_at": self._demo.timestamp,
                "demo_kind": self._demo.kind,
                "demo_version": self._demo.version,
                "marker_ticks": list(self._demo.markers),
            }
        return Info(
            format=self.format,
            game="ddnet",
            source=self.source.name,
            complete=self._whole,
            version=version,
            map=name,
            duration_ticks=last,
            ticks_per_second=float(TICKS_PER_SECOND),
            details=details,
        )

    def _info_alone(self, game: str | None = "ddnet") -> Info:
        return super()._info_alone(game)

    def _load_players(self) -> tuple[Player, ...]:
        return tuple(
            Player(
                player=client, name=text_of(fields[:4]), clan=text_of(fields[4:7]), character=text_of(fields[8:14])
            )
            for client, fields in sorted(self._facts.people.items())
        )

    def _unfilled_reasons(self) -> Mapping[str, str]:
        return _UNFILLED

    def _table_schemas(self) -> Iterable[TableSchema]:
        return TABLES

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        with GC_PAUSED:
            return self._read_rows(names)

    def _read_rows(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        before = Items()
        people: dict[int, str] = {}
        left = self.options.limits.rows * 16
        for chunk in self._chunks():
            if chunk.items is None:
                line = _chat(chunk, people)
                if line is not None and CHAT.name in rows:
                    rows[CHAT.name].append(line)
                continue
            changed = {key: fields for key, fields in chunk.items.items() if before.get(key) != fields}
            left -= len(changed)
            if left < 0:
                raise LimitExceeded("there are more changed items than this table holds", tick=chunk.tick)
            people |= {number: text_of(f[:4]) for (kind, number), f in changed.items() if kind == _CLIENT_INFO}
            if POSITIONS.name in rows:
                rows[POSITIONS.name] += _positions(chunk.tick, changed)
            if ITEMS.name in rows:
                rows[ITEMS.name] += _items(chunk.tick, chunk.items, changed, before)
            before = chunk.items
        schemas = {schema.name: schema for schema in TABLES}
        return {name: schemas[name].build_rows(found) for name, found in rows.items()}

    def _survey(self) -> None:
        self._facts  # noqa: B018  (reading them finds their problems)

    def _event_kinds(self) -> Mapping[str, str]:
        return {source.kind: source.doc for source in EVENTS}

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(source.table for source in EVENTS if source.kind in kinds)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        wanted = [source for source in EVENTS if source.kind in kinds]
        return events_of_tables(wanted, self.read_tables(self._tables_of_events(kinds)), self.clock.seconds)


def _chunks_of(ghost: Ghost) -> Iterator[DemoChunk]:
    """Yield the run of a ghost as snapshots with one tee."""
    owner = ghost.owner.encode()[:15].ljust(16, b"\0")
    coded = bytes(byte + 128 & 0xFF for byte in owner[:-1]) + b"\0"
    name = tuple(int.from_bytes(coded[place : place + 4], "big", signed=True) for place in range(0, 16, 4))
    clan = (-2139062144, -2139062144, -2139062272)
    person = (*name, *clan, -1, *ghost.skin)
    for tee in ghost.tees:
        core = (tee.tick, tee.x, tee.y, tee.velocity_x, tee.velocity_y, tee.angle, tee.direction, 0, -1)
        hook = (tee.hook_state, 0, tee.hook_x, tee.hook_y, 0, 0)
        character = (*core, *hook, 1, 10, 0, 0, tee.weapon, 0, tee.attack_tick)
        yield DemoChunk(tee.tick, False, {(_CLIENT_INFO, 0): person, (_CHARACTER, 0): character}, b"")


def _when(tick: int) -> dict[str, Any]:
    return {"tick": tick, "seconds": tick / TICKS_PER_SECOND}


def _positions(tick: int, changed: Items) -> Iterator[dict[str, Any]]:
    when = _when(tick)
    for (kind, client), fields in changed.items():
        if kind == _CHARACTER and len(fields) >= _READ[_CHARACTER]:
            weapon = WEAPONS[fields[19]] if 0 <= fields[19] < len(WEAPONS) else None
            yield {
                **when,
                "player": client,
                "client": client,
                "x": float(fields[1]),
                "y": float(fields[2]),
                "velocity_x": fields[3] * TICKS_PER_SECOND / 256,
                "velocity_y": fields[4] * TICKS_PER_SECOND / 256,
                "direction": fields[6],
                "weapon": weapon,
            }


def _items(tick: int, items: Items, changed: Items, before: Items) -> Iterator[dict[str, Any]]:
    names = NAMES | {kind: str(uuid) for known in (before, items) for kind, uuid in extended_types(known).items()}
    when = _when(tick)
    gone = {key: None for key in before if key not in items}
    for (kind, number), fields in {**changed, **gone}.items():
        name = names.get(kind) or str(kind)
        yield {**when, "item_type": name, "item_number": number, "item_values": fields}


def _chat(chunk: DemoChunk, people: Mapping[int, str]) -> dict[str, Any] | None:
    """Return a message as a line of chat; None if it is another."""
    data = chunk.data
    if data[:1] != bytes([_CHAT_MESSAGE]):
        return None
    numbers, place = [], 1
    for _ in range(2):
        value, sign, shift = 0, 0, 6
        for step, byte in enumerate(data[place : place + 5]):
            value |= byte & 0x3F if step == 0 else (byte & 0x7F) << shift
            sign = byte & 0x40 if step == 0 else sign
            shift += 7 if step else 0
            place += 1
            if not byte & 0x80:
                break
        numbers.append(~value if sign else value)
    team, client = numbers
    text = data[place:].split(b"\0")[0].decode("utf-8", "replace")
    about = {"player": client, "name": people.get(client)} if client >= 0 else {}
    channel = "server" if client < 0 else _CHANNELS.get(team, str(team))
    return {**_when(chunk.tick), **about, "channel": channel, "text": text}
