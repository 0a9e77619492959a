"""`PlacedEntries`: entries of the combat log that target players' heroes, with the places of the heroes, and their
sums by fight.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from playhead.dota2.facts.shared_log import SharedLog
from playhead.dota2.sources.entities import CELL_X, CELL_Y, OFFSET_X, OFFSET_Y, POSITION_FIELDS, axis_values
from playhead.dota2.sources.hero_lives import LoggedDeath
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.roster import Place, hero_key
from playhead.runtime.libraries import cast_array, pa, pc
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.tables.arrow import float64_numbers, int64_numbers, to_list
from playhead.tables.number_columns import int32_numbers, int64_column
from playhead.tables.value_arrays import array_of, scalar_of

#: The sums, in the order of `count_by_fight`.
COUNTS = ("kills", "deaths", "damage", "damage_taken", "healing", "gold", "xp", "buybacks")
_KILLS, _DEATHS, _DAMAGE_DONE, _DAMAGE_TAKEN, _HEALING, _GOLD_GAINED, _XP_GAINED, _BUYBACKS = range(len(COUNTS))

#: The types of entries that are summed.
HERO_ENTRY_TYPES = ("DEATH", "DAMAGE", "HEAL", "GOLD", "XP", "BUYBACK")
_DEATH, _DAMAGE, _HEAL, _GOLD, _XP, _BUYBACK = range(len(HERO_ENTRY_TYPES))


class HeroEntries(NamedTuple):
    """Columns of the entries that target players' heroes: `kinds` are places in `HERO_ENTRY_TYPES`, `doers` -1
    for nobody, `xs` and `ys` no numbers where unknown, `numbers` those in the log."""

    ticks: array[int]
    kinds: array[int]
    doers: array[int]
    targets: array[int]
    values: array[int]
    xs: array[float]
    ys: array[float]
    numbers: array[int]


_COLUMNS = ("target", "attacker", "attacker_owner", "value", "target_is_illusion", "will_reincarnate")
_NOBODY = -1


class PlacedEntries:
    """Notes the places of all heroes after each packet with entries, and joins them with the log at the end."""

    def __init__(self, match: Dota2Match, playback: Playback, types: Iterable[str]) -> None:
        self._roster, self._playback = match.roster(playback), playback
        self._types = frozenset(types)
        self._log = SharedLog.of(match, playback, self._types, _COLUMNS)
        self._stored = self._log.entries
        self._places = EntityColumns(POSITION_FIELDS)
        # Of each packet with entries: how many there were after it.
        self._ends = array("q")
        self._size = 0
        self._lineup: tuple[Place, ...] | None = None
        self._heroes: list[object] = []
        # First packet of each lineup, and the place of each player in it.
        self._begins: list[int] = []
        self._slots: list[dict[int, int]] = []
        self._by_name: dict[str, int] = {}
        # The last dictionary of names, with its players.
        self._named: pa.Array | None = None
        self._of_names: Any = None
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        size = len(self._stored.table)  # each packet asks
        if size == self._size:
            return
        self._size = size
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._line_up(lineup)
        self._ends.append(size)
        self._places.add_all(self._heroes)

    def _line_up(self, lineup: tuple[Place, ...]) -> None:
        """Keep the players and their heroes, which are constant until the lineup changes."""
        self._lineup = lineup
        self._heroes = [place.hero for place in lineup]
        self._begins.append(len(self._ends))
        self._slots.append({place.seat.player: slot for slot, place in enumerate(lineup)})
        for place in lineup:
            if place.hero is not None:
                self._by_name.setdefault(hero_key(place.hero.class_name), place.seat.player)

    # -- the end ----------------------------------------------------------------------------------------

    def deaths(self) -> list[tuple[int, LoggedDeath, float | None, float | None]]:
        """Return number in the log, death and place (None if unknown) of each DEATH entry, in order."""
        self._read()
        kept = pc.indices_nonzero(pc.equal(self._kind, scalar_of(HERO_ENTRY_TYPES.index("DEATH"), pa.int32())))
        entries = self._entries(kept)
        returns = to_list(self._log.columns["will_reincarnate"].take(self._rows.take(kept)))
        deaths = []
        for number, player, tick, x, y, comes_back in zip(
            entries.numbers, entries.targets, entries.ticks, entries.xs, entries.ys, returns, strict=True
        ):
            death = LoggedDeath(player, tick, bool(comes_back))
            deaths.append((number, death, None if x != x else x, None if y != y else y))
        return deaths

    def within(self, spans: Sequence[tuple[int, int]]) -> HeroEntries:
        """Return the entries of some spans of ticks, which begin in order; call `deaths` before."""
        chosen, merged = None, list[list[int]]()
        for first, last in spans:
            if merged and first <= merged[-1][1]:
                merged[-1][1] = max(last, merged[-1][1])
            else:
                merged.append([first, last])
        for first, last in merged:
            inside = pc.and_(
                pc.greater_equal(self._ticks, scalar_of(first, pa.int32())),
                pc.less_equal(self._ticks, scalar_of(last, pa.int32())),
            )
            chosen = inside if chosen is None else pc.or_(chosen, inside)
        return self._entries(array_of([], pa.int64()) if chosen is None else pc.indices_nonzero(chosen))

    def _read(self) -> None:
        """Keep the entries that target players' heroes as columns."""
        log = self._log.columns
        kinds = log["log_type"]
        rows = self._log.rows.numbers(self._types)
        codes = [
            HERO_ENTRY_TYPES.index(name) if name in self._types else -1 for name in kinds.dictionary.to_pylist()
        ]
        kind = pc.take(array_of(codes, pa.int32()), pc.take(kinds.indices, rows))
        target, owner, attacker = (
            pc.coalesce(self._players(log[name], rows), scalar_of(_NOBODY, pa.int32()))
            for name in ("target", "attacker_owner", "attacker")
        )
        value = cast_array(pc.coalesce(pc.take(log["value"], rows), scalar_of(0, log["value"].type)), pa.int32())
        known = array_of(sorted({player for slots in self._slots for player in slots}), pa.int32())
        bought_back = pc.equal(kind, scalar_of(HERO_ENTRY_TYPES.index("BUYBACK"), pa.int32()))
        nobody = pc.less(target, scalar_of(0, pa.int32()))
        of_nobody = pc.and_(bought_back, nobody)
        if of_nobody.true_count:
            target = pc.if_else(pc.and_(of_nobody, pc.is_in(value, value_set=known)), value, target)
        is_illusion = pc.coalesce(pc.take(log["target_is_illusion"], rows), scalar_of(False, pa.bool_()))
        kept = pc.indices_nonzero(
            pc.and_(pc.greater_equal(target, scalar_of(0, pa.int32())), pc.invert(is_illusion))
        )
        doer = pc.if_else(pc.less(owner, scalar_of(0, pa.int32())), attacker, owner)
        self._rows, self._kind, self._doer, self._target, self._value = (
            pc.take(each, kept) for each in (rows, kind, doer, target, value)
        )
        self._ticks = pc.take(log["tick"], self._rows)
        self._held = self._places.to_arrow(self._playback.entities.pool)

    def _entries(self, kept: pa.Array) -> HeroEntries:
        """Return some of the entries, with places."""
        ticks, kinds, doers, targets, numbers = (
            int32_numbers(pc.take(each, kept), 0)
            for each in (self._ticks, self._kind, self._doer, self._target, self._rows)
        )
        xs, ys = self._placed(numbers, targets)
        return HeroEntries(
            ticks, kinds, doers, targets, int64_numbers(pc.take(self._value, kept), 0), xs, ys, numbers
        )

    def _players(self, names: pa.DictionaryArray, rows: pa.Array) -> pa.Array:
        """Return the players whose heroes have the names in these rows."""
        if self._named is None or not names.dictionary.equals(self._named):  # most columns have the same one
            players = [self._by_name.get(hero_key(name)) for name in names.dictionary.to_pylist()]
            self._named, self._of_names = names.dictionary, array_of(players, pa.int32())
        return pc.take(self._of_names, pc.take(names.indices, rows))

    def _placed(self, rows: array[int], players: array[int]) -> tuple[array[float], array[float]]:
        """Return the places of the players' heroes after the packets of these rows of the log."""
        found = _rows_of_heroes(rows, players, self._ends, self._begins, self._slots)
        at = int64_column(found, -1)
        x, y = (
            axis_values(pc.take(self._held[cell], at), pc.take(self._held[offset], at))
            for cell, offset in ((CELL_X, OFFSET_X), (CELL_Y, OFFSET_Y))
        )
        return float64_numbers(x), float64_numbers(y)


def _rows_of_heroes(
    entries: array[int],
    players: array[int],
    ends: array[int],
    begins: Sequence[int],
    slots: Sequence[Mapping[int, int]],
) -> array[int]:
    """Return for each entry the row of its player's hero among the places after its packet; -1 without one. A
    packet has a row for each player of its lineup: `ends` counts the entries up to it, `begins` has the first
    packet of each lineup, `slots` the players' places in it."""
    found = array("q", [-1]) * len(entries)
    packet = first = lineup = 0  # first: row of the packet
    for place, (number, player) in enumerate(zip(entries, players, strict=True)):
        while packet < len(ends) and ends[packet] <= number:
            while lineup + 1 < len(begins) and begins[lineup + 1] <= packet:
                lineup += 1
            first += len(slots[lineup])
            packet += 1
        if packet == len(ends):
            break
        while lineup + 1 < len(begins) and begins[lineup + 1] <= packet:
            lineup += 1
        slot = slots[lineup].get(player)
        if slot is not None:
            found[place] = first + slot
    return found


def count_by_fight(
    entries: HeroEntries,
    fights: Sequence[tuple[int, int, float | None, float | None]],
    fight_of_death: Mapping[int, int],
    teams: Mapping[int, int],
    radius: float,
) -> list[dict[int, list[int]]]:
    """Return the sums (`COUNTS`) of each player in each fight: of its ticks, and at most `radius` from its
    middle. `fight_of_death` has the fight by number in the log of a death that counts."""
    found: list[dict[int, list[int]]] = [{} for _ in fights]

    def add(fight: int, player: int, what: int, value: int) -> None:
        found[fight].setdefault(player, [0] * len(COUNTS))[what] += value

    over = 0  # fights before this one have ended; they begin in order
    for tick, kind, doer, target, value, x, y, number in zip(*entries, strict=True):
        opposed = doer in teams and target in teams and teams[doer] != teams[target]
        if kind == _DEATH:
            fight = fight_of_death.get(number)
            if fight is not None:
                add(fight, target, _DEATHS, 1)
                if opposed:
                    add(fight, doer, _KILLS, 1)
            continue
        while over < len(fights) and fights[over][1] < tick:
            over += 1
        best, nearest = -1, 0.0
        for at in range(over, len(fights)):
            first, last, middle_x, middle_y = fights[at]
            if first > tick:
                break
            if tick > last:
                continue
            near = 0.0
            # The hero of a buyback is in the fountain.
            if middle_x is not None and middle_y is not None and x == x and kind != _BUYBACK:
                near = hypot(x - middle_x, y - middle_y)
            if near <= radius and (best < 0 or near < nearest):
                best, nearest = at, near
        if best < 0:
            continue
        if kind == _DAMAGE:
            add(best, target, _DAMAGE_TAKEN, value)
            if opposed:
                add(best, doer, _DAMAGE_DONE, value)
        elif kind == _HEAL:
            if doer >= 0 and doer != target:
                add(best, doer, _HEALING, value)
        else:
            what = _GOLD_GAINED if kind == _GOLD else _XP_GAINED if kind == _XP else _BUYBACKS
            add(best, target, what, 1 if kind == _BUYBACK else value)
    return found
