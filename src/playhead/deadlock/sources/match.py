"""`DeadlockMatch`: inputs that all groups of facts share: the recording, clock, people, names; `DeadlockFacts`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from weakref import WeakValueDictionary

from playhead.clock import Clock
from playhead.deadlock.sources.entities import CELL, POSITION_FIELDS, DeclaredNames, Grid
from playhead.deadlock.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, DeadlockClock
from playhead.deadlock.sources.names import NAME_TABLE, DeadlockNames
from playhead.deadlock.sources.people import PEOPLE_FIELDS, DeadlockPeople
from playhead.deadlock.sources.words import HITGROUPS, LANES, MATCH_MODES, MODES, SIDES
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityHandler, EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import DisplayedSampler
from playhead.source2.playback.world import World
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.number_columns import grid_column
from playhead.tables.schema import TableSchema

#: Class of the patrons, whose places decide the grid of the map.
PATRON = "CNPC_Boss_Tier3"

_ROLES = ("", "attacker_", "victim_", "caster_", "taker_", "winner_", "delivery_", "by_")
# Columns with a name by its hash, and with a word by its number.
_NAMED = ("ability", "item", "weapon", "modifier", "unit_type", "imbued_ability")
_WORDS = {"lane": LANES, "hitgroup": HITGROUPS, "game_mode": MODES, "match_mode": MATCH_MODES}


def client_version(game_dir: str | None) -> int | None:
    """Return the client's version in a ``game_dir`` (``…/citadel_v5186/citadel``); None without one."""
    found = re.search(r"citadel_v(\d{1,9})", game_dir or "")
    return int(found[1]) if found else None


class DeadlockMatch(GameMatch):
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        clock: the game's clock.
        names: names by number.
        grid: the grid of the map.
        declared: the names that fields have in this recording.
        people: the players, once attached.
        client: version of the client; None if the recording does not say it.
        series: the rows of players by interval, which several tables share; they belong to their collectors.
    """

    game = "deadlock"
    usual_rate = TICKS_PER_SECOND
    place = "deadlock"
    clock: DeadlockClock
    people: DeadlockPeople

    def __init__(self, replay: MatchHost) -> None:
        super().__init__(replay, replay.brief_info.ticks_per_second)
        self.clock = DeadlockClock(self.ticks_per_second)
        self.names = DeadlockNames()
        self.declared = DeclaredNames(replay.recording)
        self.grid = Grid()
        self.client = client_version(replay.recording.server_info.get("game_dir"))
        self.series: WeakValueDictionary[tuple[int, str], Any] = WeakValueDictionary()
        self._displayed: dict[int, DisplayedSampler] = {}
        word, side = self.names.name, SIDES.get
        self._lookups: Sequence[tuple[str, str, Callable[[Any], str | None]]] = (
            *((f"{whose}side", f"{whose}team", side) for whose in _ROLES),
            *((name, f"{name}_id", word) for name in _NAMED),
            *((name, f"{name}_id", words.get) for name, words in _WORDS.items()),
        )

    def attach(self, playback: Playback) -> None:
        """Follow a playback."""
        super().attach(playback)
        self.people = DeadlockPeople(playback.entities)
        self.names.attach(playback)
        self.clock.attach(playback, is_broadcast=self.replay.recording.joined is not None)
        playback.entities.on_entity(self._on_patron, PATRON, EntityOp.CREATED)

    def _on_patron(self, patron: Entity, _op: EntityOp) -> None:
        self.grid.learn(patron)

    def catch_up(self) -> None:
        """Read the present state if the playback stopped at a full packet, without a packet after it."""
        self.clock.catch_up()
        if self._playback is not None:
            patron = self.entities.find_by_class_name(PATRON)
            if patron is not None:
                self.grid.learn(patron)

    def displayed_sampler(self, playback: Playback, every: int) -> DisplayedSampler:
        """Return a sampler at an interval in ticks on the game's clock; collectors with the same one share it."""
        if every not in self._displayed:
            self._displayed[every] = DisplayedSampler(
                playback, self.clock.displayed_clock, every / self.clock.rate
            )
        return self._displayed[every]

    @property
    def first_sample(self) -> int:
        """First tick to sample: that of the data of a broadcast."""
        return self.replay.recording.joined or 0

    @property
    def server_tick_offset(self) -> int:
        """Server tick less demo tick, as far as known."""
        return 0 if self._playback is None else self._playback.server_tick_offset or 0

    def places(self, columns: Mapping[str, pa.Array]) -> dict[str, Any]:
        """Return columns ``x``, ``y`` and ``z`` from columns of the fields of a position."""
        out = {}
        for axis, cell, offset in zip("xyz", POSITION_FIELDS[:3], POSITION_FIELDS[3:], strict=True):
            cells, rest = numbers_as(columns[cell], pa.int64()), numbers_as(columns[offset], pa.float64())
            out[axis] = grid_column(cells, rest, CELL, self.grid.middle)
        return out

    @property
    def tick(self) -> int:
        """Present tick of the playback."""
        return self._playback.tick  # type: ignore[union-attr]

    @property
    def entities(self) -> EntityManager:
        """Present entities of the playback."""
        return self._playback.entities  # type: ignore[union-attr]

    def watch(self, fields: Iterable[str], handler: EntityHandler, *class_names: str) -> None:
        """Call `handler` for the entities of these classes whenever one of the fields changes."""
        for name in class_names:
            self.entities.on_entity(FieldWatch(tuple(fields), handler), name)

    def place_row(self, entity: Entity | None, role: str = "") -> dict[str, float | None]:
        """Return the place of an entity as values of a row; empty without an entity."""
        if entity is None:
            return {}
        return dict(zip((f"{role}x", f"{role}y", f"{role}z"), self.grid.place(entity), strict=True))

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `GameMatch.table`; fill the place from ``corner``, sides from teams, and words from their numbers."""
        names = schema.column_names
        for row in rows:
            if "corner" in row:  # the patron that decides the grid may come after the first rows
                row.update(zip("xyz", self.grid.world(row.pop("corner")), strict=True))
        for word, number, lookup in self._lookups:
            if word in names and number in names:
                for row in rows:
                    if row.get(word) is None:
                        row[word] = lookup(row.get(number))
        return super().table(schema, rows)


# Columns of table ``player_series`` that are resources.
_RESOURCES = ("souls", "spent_souls", "ability_points", "net_worth", "ability_points_earned")


class DeadlockWorld(World):
    """The state of a match: as `World`, with the heroes, the souls and the clock of the game."""

    def __init__(
        self,
        playback: Playback,
        tick: int,
        match: DeadlockMatch,
        present: Callable[[int], list[dict[str, Any]]],
        clock: Callable[[], Clock | None],
    ) -> None:
        """`match` follows the playback, `present` returns the players of a tick, `clock` that of the recording."""
        super().__init__(playback, tick, None, lambda: ())
        self._match, self._present, self._whole_clock = match, present, clock

    @property
    def clock(self) -> Clock | None:
        """The game's clock, from the state up to this tick. Before 0:00 the state has no time: there it is the
        clock of the whole recording, which the first access plays.
        """
        self._match.catch_up()
        shown = self._match.displayed_clock
        return shown if shown is not None and shown.stretches else self._whole_clock()

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with hero, health, souls, score, items and position, as in table ``player_series``."""
        self._match.catch_up()
        names = {player.player: player.name for player in self._match.replay.players}
        first = dict.fromkeys(("player", "name", "team", "side"))
        return [first | row | {"name": names.get(row["player"])} for row in self._present(self.tick)]

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Souls, ability points and net worth of each player, as in table ``player_series``."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}


class DeadlockFacts(GameFacts[DeadlockMatch]):
    """Collector of one group of facts; `rows` has those of each of its tables."""

    entities: ClassVar[bool] = True

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self.rows: dict[str, list[dict[str, Any]]] = {schema.name: [] for schema in self.schemas}
        self._rows = next(iter(self.rows.values()), [])

    def tables(self) -> Mapping[str, pa.Table]:
        return {schema.name: self.match.table(schema, self.rows[schema.name]) for schema in self.schemas}


class DeadlockFollower(GameFollower[DeadlockMatch]):
    """Updates a `DeadlockMatch` during playback."""

    string_tables = (NAME_TABLE,)
    fields: Mapping[str, Sequence[str]] = {**CLOCK_FIELDS, **PEOPLE_FIELDS, PATRON: POSITION_FIELDS}


MATCH = DeadlockMatch
DeadlockMatch.follower = DeadlockFollower
