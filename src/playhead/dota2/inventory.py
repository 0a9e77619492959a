"""What heroes hold and what they have learnt: items by slot, levels of abilities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.collector import Collector
from playhead.dota2.columns import GAME_SECONDS
from playhead.dota2.entity_values import column, integer
from playhead.dota2.npc_names import NAME_FIELD, NAME_TABLE, npc_name
from playhead.dota2.roster import NO_HANDLE, ROSTER_FIELDS, with_fields
from playhead.dota2.sampling import Sampler
from playhead.dota2.time_series import PLAYER
from playhead.source2.entity import Entity
from playhead.source2.entity_columns import EntityColumns
from playhead.source2.entity_op import EntityOp
from playhead.source2.playback import Playback
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.match import Match
    from playhead.source2.entities import EntityManager

_ITEMS = "m_hItems."
# A fixed array in older builds, a vector of another name in newer ones.
_ABILITIES = ("m_hAbilities.", "m_vecAbilities.")

# First slot of each part of `m_hItems`.
_PLACES = ((0, "inventory"), (6, "backpack"), (9, "stash"), (15, "teleport"), (16, "neutral"), (17, "other"))

ITEMS_HELD = TableSchema(
    name="items_held",
    version=1,
    doc="One row for each time that an item was in a slot of a hero: m_hItems of the hero's entity, looked at "
    "at an interval (option `every`, one second if it is not given).",
    columns=(
        Column("tick", TICK.type, "First look at which it was there.", TICK.unit),
        SECONDS,
        GAME_SECONDS,
        Column("until_tick", "int32", "First look at which it was not; null if it stayed to the end.", "ticks"),
        PLAYER,
        Column("slot", "int32", "Number of the slot."),
        Column(
            "place", "category", "inventory, backpack, stash, teleport, neutral, or other (slots 17 and above)."
        ),
        Column("item", "string", "The game's name of the item (string table EntityNames); null if it has none."),
        Column("class", "string", "Network class of the item's entity; null if the recording has no such entity."),
        Column("handle", "int32", "Handle of the item's entity: the same item in another slot has the same."),
    ),
)

ABILITY_LEVELS = TableSchema(
    name="ability_levels",
    version=1,
    doc="One row whenever the level of an ability or talent of a player's hero changes to another than 0: "
    "m_iLevel of the ability's entity. Abilities that heroes have from the start with a level are in it too.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        PLAYER,
        Column("ability", "string", "The game's name of the ability (string table EntityNames); null if none."),
        Column("class", "string", "Network class of the ability's entity."),
        Column("level", "int32", "Its new level."),
    ),
)


class _Made(NamedTuple):
    """An entity of an item or ability."""

    tick: int
    name: str | None
    class_name: str


class _Hands:
    """Handles that one player's hero has had, look by look."""

    def __init__(self) -> None:
        self.ticks = Int32Buffer()
        self.columns = EntityColumns([], lambda name: name.startswith((_ITEMS, *_ABILITIES)))

    def arrays(self, memory: Any) -> Iterator[tuple[str, pa.Array]]:
        """Field and its handles, a row a look."""
        for name, handles in self.columns.columns.items():
            yield name, handles.to_arrow(self.columns.rows, memory.pool, memory.seconds_per_tick)


def _runs(handles: pa.Array) -> Iterator[tuple[int, int, int]]:
    """First row, row behind the last, and handle of every stretch of the same one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = pc.run_end_encode(pc.fill_null(column(handles, pa.int32()), NO_HANDLE))
    ends = [0, *coded.run_ends.to_pylist()]
    for (start, end), handle in zip(pairwise(ends), coded.values.to_pylist(), strict=True):
        if handle != NO_HANDLE:
            yield start, end, handle


class Inventory(Collector):
    """Tables ``items_held`` and ``ability_levels``."""

    schemas = (ITEMS_HELD, ABILITY_LEVELS)
    options = ("every",)
    entities = True
    string_tables = (NAME_TABLE,)
    fields = with_fields(
        ROSTER_FIELDS,
        {
            "CDOTA_Unit_Hero_*": [name + "????" for name in (_ITEMS, *_ABILITIES)],
            "CDOTA_Item*": (NAME_FIELD,),
            "CDOTA*Ability*": (NAME_FIELD, "m_iLevel"),
        },
    )

    def __init__(self, match: Match, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._hands: dict[int, _Hands] = {}
        self._made: dict[int, list[_Made]] = {}
        self._levels: list[tuple[int, int, int]] = []
        self._level: dict[int, int] = {}

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._manager: EntityManager = playback.entities
        self._roster = self.match.roster(playback)
        self._sampler = Sampler(playback, self._every, self._take)
        playback.entities.on_entity(self._on_made, "CDOTA_Item*", EntityOp.CREATED)
        playback.entities.on_entity(self._on_made, "CDOTA*Ability*", EntityOp.CREATED)
        changed = EntityOp.CREATED | EntityOp.UPDATED
        playback.entities.on_entity(self._on_ability, "CDOTA*Ability*", changed)

    def _on_made(self, entity: Entity, _op: EntityOp) -> None:
        made = _Made(self._playback.tick, npc_name(self._manager, entity), entity.class_name)
        self._made.setdefault(entity.handle, []).append(made)
        self._level.pop(entity.handle, None)

    def _on_ability(self, entity: Entity, _op: EntityOp) -> None:
        level, handle = integer(entity, "m_iLevel") or 0, entity.handle
        if level != self._level.get(handle, 0):
            self._level[handle] = level
            self._levels.append((self._playback.tick, handle, level))

    def _take(self, tick: int) -> None:
        roster = self._roster
        for seat in roster.seats:
            hero = roster.hero(seat)
            if hero is None:
                continue
            hands = self._hands.get(seat.player)
            if hands is None:
                hands = self._hands[seat.player] = _Hands()
            hands.ticks.append(tick)
            hands.columns.add(hero)

    def _what(self, handle: int, tick: int) -> _Made:
        """What a handle meant at a tick."""
        known = self._made.get(handle, ())
        at = bisect_right(known, tick, key=lambda made: made.tick)
        return known[max(0, at - 1)] if known else _Made(tick, None, "")

    def _held(self, player: int, ticks: list[int], slot: int, handles: pa.Array) -> Iterator[dict[str, Any]]:
        place = next(name for first, name in reversed(_PLACES) if slot >= first)
        for start, end, handle in _runs(handles):
            what = self._what(handle, ticks[start])
            yield {
                "tick": ticks[start],
                "until_tick": ticks[end] if end < len(ticks) else None,
                "player": player,
                "slot": slot,
                "place": place,
                "item": what.name,
                "class": what.class_name or None,
                "handle": handle,
            }

    def tables(self) -> Mapping[str, pa.Table]:
        import pyarrow as pa

        self._sampler.finish()
        held: list[dict[str, Any]] = []
        owners: dict[int, int] = {}
        for player, hands in self._hands.items():
            ticks = hands.ticks.to_arrow().to_pylist()
            for name, handles in hands.arrays(self._manager.memory):
                if name.startswith(_ITEMS):
                    held.extend(self._held(player, ticks, int(name.removeprefix(_ITEMS)), handles))
                else:
                    owners.update(
                        (handle, player)
                        for handle in column(handles, pa.int32()).unique().to_pylist()
                        if handle is not None
                    )
        held.sort(key=lambda row: (row["tick"], row["player"], row["slot"]))
        levels = []
        for tick, handle, level in self._levels:
            player_of = owners.get(handle)
            if player_of is None or level == 0 or handle == NO_HANDLE:
                continue
            what = self._what(handle, tick)
            levels.append(
                {"tick": tick, "player": player_of, "ability": what.name, "class": what.class_name, "level": level}
            )
        return {
            ITEMS_HELD.name: ITEMS_HELD.build_rows(self.match.rows(held)),
            ABILITY_LEVELS.name: ABILITY_LEVELS.build_rows(self.match.rows(levels)),
        }
