"""`Roster`: the players, their teams and heroes, from CDOTA_PlayerResource and the data entities of the teams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from playhead.dota2.sources.entities import NAME_FIELD, integer, npc_name, whole
from playhead.dota2.sources.names import game_heroes, shipped
from playhead.runtime.records import NamedTuple, dataclass
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp, class_matches
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.playback import Playback

RADIANT, DIRE = 2, 3
OTHER_SIDE = {RADIANT: DIRE, DIRE: RADIANT}

#: Value of a networked handle without an entity.
NO_HANDLE = 0xFFFFFF

RESOURCE_CLASS = "CDOTA_PlayerResource"

#: Classes of the entities with the economy of a team's players, by team.
TEAM_DATA = {RADIANT: "CDOTA_DataRadiant", DIRE: "CDOTA_DataDire"}
#: Class of the entity with data that only spectators see.
SPECTATOR_CLASS = "CDOTA_DataSpectator"

#: The player's row in these entities; see `Roster.holders`.
TEAM_ROW = "m_vecDataTeam.{:04}."

_PLAYER, _TEAM_PLAYER = "m_vecPlayerData", "m_vecPlayerTeamData"

_HEROES = "CDOTA_Unit_Hero_*"

# Of a player: team, row in the data of the team, hero.
_SEAT_FIELDS = (
    _PLAYER + ".{:04}.m_iPlayerTeam",
    _TEAM_PLAYER + ".{:04}.m_iTeamSlot",
    _TEAM_PLAYER + ".{:04}.m_hSelectedHero",
)

# Player slots of a match: ten, up to 24 in custom games.
_MOST_PLAYERS = 64

#: Fields that a `Roster` reads; a collector with a roster adds them to its own fields.
ROSTER_FIELDS: Mapping[str, Sequence[str]] = {
    RESOURCE_CLASS: (_PLAYER, _TEAM_PLAYER, *(field.replace("{:04}", "????") for field in _SEAT_FIELDS)),
    "CDOTA_DataRadiant": (),
    "CDOTA_DataDire": (),
    SPECTATOR_CLASS: (),
    _HEROES: (),
}


#: Number of a player's hero, also of one whose entity the recording lacks; -1 or 0 before it is chosen.
HERO_ID = _TEAM_PLAYER + ".{:04}.m_nSelectedHeroID"

#: Fields that `Roster.hero_names` reads.
HERO_NAME_FIELDS: Mapping[str, Sequence[str]] = {
    _HEROES: (NAME_FIELD,),
    RESOURCE_CLASS: (HERO_ID.replace("{:04}", "????"),),
}


def team_fields(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the fields by class for a collector that reads these fields of the players' rows in the data of the
    teams, for old and new recordings.
    """
    fields = tuple(TEAM_ROW.replace("{:04}", "????") + name for name in names)
    return {**dict.fromkeys((*TEAM_DATA.values(), RESOURCE_CLASS), fields), SPECTATOR_CLASS: ("m_iNetWorth.????",)}


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's seat in the match.

    Attributes:
        player: number of the player, as in table ``players``.
        team: 2 is Radiant, 3 is Dire.
        row: row of the player in the data of the team; the player's number if these are arrays of all players.
        hero: handle of the hero; `NO_HANDLE` before it exists.
        slot: index in the team, from 0.
    """

    player: int
    team: int
    row: int
    hero: int
    slot: int


class Place(NamedTuple):
    """The entities of a player; None if missing. `elsewhere` has fields that the data of the team lacked in
    2015."""

    seat: Seat
    hero: Entity | None
    team_data: Entity | None
    elsewhere: tuple[Entity | None, ...] = ()


class Roster:
    """Tracks the players.

    Attributes:
        resource: CDOTA_PlayerResource; None before it exists.
        team_data: CDOTA_DataRadiant and CDOTA_DataDire, by team.
        changes: how often `resource` has changed.
        players_by_hero: player by handle of every hero that was ever selected.
        flat: the recording is from 2015: one array per field instead of one row per player, and later fields of
            the data of the teams are in CDOTA_PlayerResource and CDOTA_DataSpectator.
    """

    def __init__(self, playback: Playback, file_info: Callable[[], Mapping[str | int, Any]] = dict) -> None:
        """`file_info` returns the fields of FileInfo about the match."""
        self._entities = playback.entities
        self._match_info = file_info
        self.resource: Entity | None = None
        self.changes = 0
        self.team_data: dict[int, Entity] = {}
        self.players_by_hero: dict[int, int] = {}
        self.flat = False
        self._spectator: Entity | None = None
        self._seats: tuple[Seat, ...] = ()
        self._is_read = True
        self._fields = FieldSlots(())
        self._values: list[object] = []
        self._lineup: tuple[Place, ...] | None = None
        # Players by key of their heroes, in a state of the resource and in a lineup.
        self._by_key: dict[str, int] = {}
        self._keys_of: tuple[int, tuple[Place, ...] | None] = 0, None
        playback.entities.on_entity(self._on_resource, RESOURCE_CLASS)
        for name in (*TEAM_DATA.values(), SPECTATOR_CLASS):
            playback.entities.on_entity(self._on_team_data, name, EntityOp.CREATED)
        playback.entities.on_entity(self._on_hero, _HEROES, EntityOp.CREATED | EntityOp.DELETED)

    def _on_resource(self, entity: Entity, op: EntityOp) -> None:
        if entity is not self.resource:
            self.resource = entity
            self._lineup = None
        self._is_read = False
        self.changes += 1

    def _on_team_data(self, entity: Entity, op: EntityOp) -> None:
        if class_matches(entity.class_name, SPECTATOR_CLASS):
            self._spectator = entity
        for team, name in TEAM_DATA.items():
            if class_matches(entity.class_name, name):
                self.team_data[team] = entity
        self._lineup = None

    def _on_hero(self, entity: Entity, op: EntityOp) -> None:
        self._lineup = None

    def part(self) -> dict[int, int]:
        """Return the players by hero of a stretch of the recording, for `put_before`."""
        self._catch_up()
        return self.players_by_hero

    def put_before(self, earlier: Iterable[dict[int, int]]) -> None:
        """Insert the players by hero of the stretches before."""
        own, self.players_by_hero = self.part(), {}
        for known in (*earlier, own):
            self.players_by_hero |= known

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The players of both teams, by number, without observers and empty slots. The same tuple object until a
        seat changes.
        """
        if not self._is_read:
            self._catch_up()
        return self._seats

    @property
    def lineup(self) -> tuple[Place, ...]:
        """The entities of the players in `seats`; the same tuple object until they or `resource` change. Only
        valid while a recording is played without jumps.
        """
        if not self._is_read:
            self._catch_up()
        if self._lineup is None:
            self._lineup = tuple(
                Place(seat, self.hero(seat), self.team_data.get(seat.team), self._elsewhere)
                for seat in self._seats
            )
        return self._lineup

    @property
    def _elsewhere(self) -> tuple[Entity | None, ...]:
        return (self.resource, self._spectator) if self.flat else ()

    def holders(self, seat: Seat) -> Iterator[Entity]:
        """Return the entities that may have a field of the player's row in the data of the team, best first."""
        for entity in (self.team_data.get(seat.team), *self._elsewhere):
            if entity is not None:
                yield entity

    def _catch_up(self) -> None:
        """Read the entity if it has changed."""
        if not self._is_read and self.resource is not None:
            self._read(self.resource)

    def _read(self, resource: Entity) -> None:
        """Handle a change of the entity; nearly all changes are of other fields."""
        self._is_read = True
        players = min(integer(resource, _TEAM_PLAYER) or 0, _MOST_PLAYERS)
        self.flat = not players and integer(resource, _SEAT_FIELDS[0].format(0)) is not None
        if self.flat:
            players = _MOST_PLAYERS
        if len(self._fields.names) != players * len(_SEAT_FIELDS):
            self._fields = FieldSlots(field.format(player) for player in range(players) for field in _SEAT_FIELDS)
        values = self._fields.values(resource)
        if values != self._values:
            self._values = values
            self._seats = tuple(self._seats_of(values))
            self._lineup = None

    def _seats_of(self, values: Sequence[object]) -> Iterator[Seat]:
        taken = {RADIANT: 0, DIRE: 0}
        for player in range(len(values) // len(_SEAT_FIELDS)):
            team, slot, hero = (whole(values[len(_SEAT_FIELDS) * player + i]) for i in range(len(_SEAT_FIELDS)))
            if team is None or team not in TEAM_DATA:
                continue
            place = taken[team] if slot is None or slot < 0 else slot
            taken[team] += 1
            if hero is None:
                hero = NO_HANDLE
            elif hero != NO_HANDLE:
                self.players_by_hero[hero] = player
            yield Seat(player, team, player if self.flat else place, hero, place)

    def hero(self, seat: Seat) -> Entity | None:
        """Return the hero of a player."""
        return None if seat.hero == NO_HANDLE else self._entities.find_by_handle(seat.hero)

    def file_info(self, seat: Seat) -> Mapping[str | int, Any]:
        """Return FileInfo's entry of a player; empty if FileInfo does not list this player."""
        listed = self._match_info().get("player_info", ())
        if seat.player < len(listed) and listed[seat.player].get("game_team") == seat.team:
            found: Mapping[str | int, Any] = listed[seat.player]
            return found
        return {}

    def hero_id(self, seat: Seat) -> int | None:
        """Return the number of a player's hero; None before it is chosen."""
        found = None if self.resource is None else integer(self.resource, HERO_ID.format(seat.player))
        return found if found is not None and found > 0 else None

    def hero_name(self, seat: Seat) -> str | None:
        """Return the name of a player's hero: that of its entity, else FileInfo's, else that of its number."""
        hero = self.hero(seat)
        name = None if hero is None else npc_name(self._entities, hero)
        return name or self._told_hero(seat)

    def _told_hero(self, seat: Seat) -> str | None:
        number = self.hero_id(seat) or 0
        return self.file_info(seat).get("hero_name") or shipped().heroes.get(number) or game_heroes().get(number)

    def hero_names(self) -> dict[int, str | None]:
        """Return the name of each player's hero; a collector needs `HERO_NAME_FIELDS` and `NAME_TABLE` for it."""
        return {seat.player: self.hero_name(seat) for seat in self.seats}

    def add_heroes(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Fill ``hero`` of rows from ``player``; see `hero_names`."""
        names = self.hero_names()
        for row in rows:
            row["hero"] = names.get(row.get("player", -1))
        return rows

    def player_of(self, handle: int | None) -> int | None:
        """Return the player whose hero has this handle; None if no player's hero has it."""
        self.seats  # noqa: B018  (reading them keeps `players_by_hero` up to date)
        return None if handle is None else self.players_by_hero.get(handle)

    def player_named(self, name: str | None) -> int | None:
        """Return the player whose hero has this name (``npc_dota_hero_axe``); None if no player's hero has it."""
        if name is None:
            return None
        lineup = self.lineup
        if self._keys_of[0] != self.changes or self._keys_of[1] is not lineup:
            self._keys_of = self.changes, lineup
            self._by_key = {}
            for seat, hero, *_ in lineup:
                known = self._told_hero(seat) if hero is None else hero.class_name
                if known:
                    self._by_key.setdefault(hero_key(known), seat.player)
        return self._by_key.get(hero_key(name))


def opposed(teams: Mapping[int, int], one: int | None, other: int | None) -> bool | None:
    """Return whether two players are of different sides; None if a side is unknown."""
    sides = [None if each is None else teams.get(each) for each in (one, other)]
    return None if None in sides else sides[0] != sides[1]


@lru_cache(1 << 10)
def hero_key(name: str) -> str:
    """Return the common form of a hero's class (``CDOTA_Unit_Hero_DrowRanger``) and name
    (``npc_dota_hero_drow_ranger``).
    """
    return name.removeprefix("CDOTA_Unit_Hero_").removeprefix("npc_dota_hero_").replace("_", "").lower()


def with_fields(*needs: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Merge fields by class."""
    merged: dict[str, tuple[str, ...]] = {}
    for fields in needs:
        for pattern, names in fields.items():
            merged[pattern] = (*merged.get(pattern, ()), *names)
    return merged


def roster_fields(*more: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the fields that the roster and its heroes' names need, and `more`."""
    return with_fields(ROSTER_FIELDS, HERO_NAME_FIELDS, *more)


# Rows of players in the data of a team.
_ROWS = 24


class Rise(NamedTuple):
    """One rise of a counter."""

    tick: int
    team: int
    row: int
    amount: int


class CounterRises:
    """Collects the rises of one counter of a player's row; a collector declares its field with `team_fields`."""

    def __init__(self, playback: Playback, field: str, on_rise: Callable[[Rise], None] | None = None) -> None:
        self._playback = playback
        names = [TEAM_ROW.format(row) + field for row in range(_ROWS)]
        self._slots = FieldSlots(names)
        self._on_rise = on_rise
        # A counter that was not sent yet is 0.
        self._known = {team: [0] * _ROWS for team in TEAM_DATA}
        self.rises: list[Rise] = []
        for team, name in TEAM_DATA.items():
            watch = FieldWatch(names, self._handler(team))
            playback.entities.on_entity(watch, name, EntityOp.CREATED | EntityOp.UPDATED)

    def _handler(self, team: int) -> Callable[[Entity, EntityOp], None]:
        def on_data(entity: Entity, op: EntityOp) -> None:
            known = self._known[team]
            for row, (value, before) in enumerate(zip(self._slots.values(entity), known, strict=True)):
                if value is None or value == before or (now := whole(value)) is None:
                    continue
                known[row] = now
                if now > before and not op & EntityOp.CREATED:
                    rise = Rise(self._playback.tick, team, row, now - before)
                    self.rises.append(rise)
                    if self._on_rise is not None:
                        self._on_rise(rise)

        return on_data

    def near(self, tick: int, within: int, roster: Roster, player: int | None = None) -> Rise | None:
        """Return the rise nearest to a tick, at most `within` ticks away; only of a player, if one is given."""
        rows = {(seat.team, seat.row) for seat in roster.seats if player in (None, seat.player)}
        fitting = [
            rise for rise in self.rises if abs(rise.tick - tick) <= within and (rise.team, rise.row) in rows
        ]
        return min(fitting, key=lambda rise: abs(rise.tick - tick), default=None)
