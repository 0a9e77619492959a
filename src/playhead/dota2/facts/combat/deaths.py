"""Tables ``deaths`` and ``death_damage``: each death of a hero, and the damage that led to it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS, HERO, PLAYER, TIME
from playhead.dota2.facts.combat.shared_log import SharedLog
from playhead.dota2.sources.clones import CloneDeaths
from playhead.dota2.sources.combat_log_entry import NAMES
from playhead.dota2.sources.entities import NAME_TABLE, integer
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.match import MatchContext, PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.tables.value_arrays import array_of, scalar_of

_HEROES, _LIFE = "CDOTA_Unit_Hero_*", "m_lifeState"
_SMOKE = "modifier_smoke_of_deceit"
_TYPES = ("DEATH", "GOLD", "BUYBACK", "DAMAGE", "MODIFIER_ADD", "MODIFIER_REMOVE")
# EDOTA_ModifyGold_Reason: gold lost by dying.
_BY_DEATH = 1
# Largest distance, in ticks, of the hero's m_lifeState and of the lost gold from the DEATH entry.
_SAME_DEATH = 60
# A kill up to so many seconds after the killer's smoke ended counts as made from smoke, as in odota/parser#91.
_SMOKE_LINGERS = 30.0

DEATHS = TableSchema.of(
    "deaths",
    "One row for each death of a player's hero: a DEATH entry of the combat log, without illusions, "
    "clones that die with their hero, and deaths from which the hero comes back at once (will_reincarnate).",
    *TIME,
    PLAYER,
    HERO,
    Column("killer", "category", "Unit that dealt the last blow: attacker of the entry."),
    Column("killer_player", "int32", "The player whose hero or unit that is; null for creeps, towers and others."),
    Column("assists", "list<int32>", "Players who helped; null if the entry has none."),
    Column("gold_lost", "int32", "GOLD entries of the player for this death; null if there are none.", "gold"),
    Column(
        "dead_seconds",
        "float64",
        "Time on the game's clock until m_lifeState of the hero is 0 again, or the match or recording ends; "
        "null if the recording does not have the hero's death.",
        "s",
    ),
    Column("bought_back", "bool", "A BUYBACK entry of the player ended it."),
    Column("smoked", "bool", "The killer was under a Smoke of Deceit at the kill or in the 30 seconds before it."),
)

DEATH_DAMAGE = TableSchema.of(
    "death_damage",
    "Damage that a hero of table `deaths` took before its death (option `window`, 10 seconds on the game's "
    "clock, but not before its last death): a row for each attacker and inflictor. In order of deaths, so not of "
    "`tick`.",
    Column("tick", TICK.type, "First damage of the row.", TICK.unit),
    SECONDS,
    GAME_SECONDS,
    Column("death_tick", "int32", "`tick` of the death in table `deaths`.", "ticks"),
    PLAYER,
    HERO,
    Column("attacker", "category", "Source of the damage: `attacker_source`, else `attacker`."),
    Column("attacker_player", "int32", "The player whose hero or unit that is; null for others."),
    Column("inflictor", "category", "Ability, item or modifier; null for attacks."),
    Column("damage", "int32", "Damage taken.", "hp"),
)


@TABLES.maker_of(DEATHS, DEATH_DAMAGE)
class Deaths(PlayerFacts):
    """Tables ``deaths`` and ``death_damage``."""

    work = 5
    slow_to_join = True
    anew = True
    options = ("window",)
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields({_HEROES: (_LIFE,)})

    def __init__(self, match: MatchContext, window: int | float | str = "10s") -> None:
        super().__init__(match)
        self._window = match.interval(window)
        # Changes between alive and dead, by handle of the hero.
        self._lives: dict[int, list[tuple[int, bool]]] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._log = SharedLog.of(self.match, playback, _TYPES)
        known = EntityOp.CREATED | EntityOp.UPDATED
        playback.entities.on_entity(FieldWatch((_LIFE,), self._on_hero), _HEROES, known)

    def _on_hero(self, entity: Entity, _op: EntityOp) -> None:
        self._note(entity.handle, self._playback.tick, not integer(entity, _LIFE))

    def _note(self, handle: int, tick: int, alive: bool) -> None:
        changes = self._lives.setdefault(handle, [])
        if not changes or changes[-1][1] != alive:
            changes.append((tick, alive))

    # The log and the roster are parts of the match.

    def part(self) -> dict[int, list[tuple[int, bool]]]:
        return self._lives

    def joined(self, earlier: Sequence[dict[int, list[tuple[int, bool]]]]) -> Mapping[str, pa.Table]:
        parts, self._lives = [*earlier, self._lives], {}
        for lives in parts:
            for handle, changes in lives.items():
                for tick, alive in changes:  # a stretch begins with the state that was
                    self._note(handle, tick, alive)
        return self.tables()

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._names = self._roster.hero_names()
        self._entries = _Entries(self._log.columns)
        deaths = list(self._deaths())
        found = {DEATHS.name: self.match.table(DEATHS, deaths)}
        if self.wanted is None or DEATH_DAMAGE.name in self.wanted:
            found[DEATH_DAMAGE.name] = self.match.table(DEATH_DAMAGE, list(self._damage(deaths)))
        return found

    def _deaths(self) -> Iterator[dict[str, Any]]:
        smokes = self._smokes()
        lost: dict[int, list[tuple[int, int]]] = {}
        for entry in self._entries.of("GOLD", "target_player", "value", "gold_reason"):
            if entry["gold_reason"] == _BY_DEATH and entry["value"] is not None:
                lost.setdefault(entry["target_player"], []).append((entry["tick"], -entry["value"]))
        bought: dict[int, list[int]] = {}
        for entry in self._entries.of("BUYBACK", "value"):
            bought.setdefault(entry["value"], []).append(entry["tick"])
        clones = CloneDeaths()
        names = ("target_player", "attacker", "attacker_player", "assists")
        flags = ("target_is_hero", "target_is_illusion", "will_reincarnate")
        for entry in self._entries.of("DEATH", *names, *flags):
            player, tick, killer = entry["target_player"], entry["tick"], entry["attacker_player"]
            if player is None or entry["target_is_illusion"] or entry["will_reincarnate"]:
                continue
            if clones.is_clone(tick, player):
                continue
            alive_at = self._alive_again(player, tick)
            gold = [amount for then, amount in lost.get(player, ()) if abs(then - tick) <= _SAME_DEATH]
            yield {
                "tick": tick,
                "player": player,
                "hero": self._names.get(player),
                "killer": entry["attacker"],
                "killer_player": killer,
                "assists": entry["assists"],
                "gold_lost": sum(gold) if gold else None,
                "dead_seconds": None if alive_at is None else self._between(tick, alive_at),
                "bought_back": alive_at is not None
                and any(tick < then <= alive_at for then in bought.get(player, ())),
                "smoked": killer is not None
                and any(
                    begin <= tick and self._between(end, tick) <= _SMOKE_LINGERS
                    for begin, end in smokes.get(killer, ())
                ),
            }

    def _between(self, first: int, last: int) -> float:
        """Return the time on the game's clock between two ticks."""
        begin, end = self.match.clock.game_seconds_at((max(0, first), max(0, last)))
        if begin is None or end is None:
            return (last - first) / (self.match.ticks_per_second or 30.0)
        return end - begin

    def _alive_again(self, player: int, tick: int) -> int | None:
        """Return the tick at which a hero is alive again, or the end of the recording; None if unknown."""
        for handle, owner in self._roster.players_by_hero.items():
            changes = self._lives.get(handle, []) if owner == player else []
            for place in range(max(0, bisect_left(changes, (tick - _SAME_DEATH, False)) - 1), len(changes)):
                then, alive = changes[place]
                if not alive and abs(then - tick) <= _SAME_DEATH:
                    end = next(
                        (began for began, state in self.match.clock.states if state == POST_GAME),
                        self._playback.tick,
                    )
                    return max(then, min(end, changes[place + 1][0] if place + 1 < len(changes) else end))
        return None

    def _smokes(self) -> dict[int, list[tuple[int, int]]]:
        """Return first and last tick of each smoke, by player."""
        found: dict[int, list[tuple[int, int]]] = {}
        begun: dict[int, int] = {}
        entries = [
            entry
            for kind in ("MODIFIER_ADD", "MODIFIER_REMOVE")
            for entry in self._entries.of(kind, "type", "target_player", "target_is_illusion", only=_SMOKE)
            if entry["target_player"] is not None and not entry["target_is_illusion"]
        ]
        for entry in sorted(entries, key=lambda entry: int(entry["tick"])):
            player = entry["target_player"]
            if entry["type"] == "MODIFIER_ADD":
                begun.setdefault(player, entry["tick"])
            elif player in begun:
                found.setdefault(player, []).append((begun.pop(player), entry["tick"]))
        for player, tick in begun.items():
            found.setdefault(player, []).append((tick, self._playback.tick))
        return found

    def _damage(self, deaths: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        names = ("target_player", "attacker", "attacker_source", "attacker_player", "inflictor", "value")
        damage = self._entries.table("DAMAGE", *names, to_players=True)
        ticks = to_list(damage["tick"])
        by_player: dict[int, list[int]] = {}
        for number, player in enumerate(to_list(damage["target_player"])):
            by_player.setdefault(player, []).append(number)
        last: dict[int, int] = {}
        seconds = self._window / (self.match.ticks_per_second or 30.0)
        rows: list[int] = []
        counts = []
        for death in deaths:
            player, tick = death["player"], death["tick"]
            taken = by_player.get(player, [])
            end = place = bisect_left(taken, tick + 1, key=ticks.__getitem__)
            while (
                place
                and ticks[taken[place - 1]] > last.get(player, -1)
                and self._between(ticks[taken[place - 1]], tick) <= seconds
            ):
                place -= 1
            last[player] = tick
            rows += taken[place:end]
            counts.append(end - place)
        entries = iter(damage.take(array_of(rows, pa.int64())).to_pylist())
        for death, count in zip(deaths, counts, strict=True):
            sums: dict[tuple[Any, ...], dict[str, Any]] = {}
            for entry in islice(entries, count):
                source = entry["attacker_source"] or entry["attacker"]
                key = (source, entry["attacker_player"], entry["inflictor"])
                row = sums.setdefault(
                    key,
                    {
                        "tick": entry["tick"],
                        "death_tick": death["tick"],
                        "player": death["player"],
                        "hero": death["hero"],
                        "attacker": source,
                        "attacker_player": entry["attacker_player"],
                        "inflictor": entry["inflictor"],
                        "damage": 0,
                    },
                )
                row["damage"] += entry["value"] or 0
            yield from sums.values()


class _Entries:
    """Rows of the combat log by type."""

    def __init__(self, columns: Mapping[str, pa.Array]) -> None:
        self._columns = columns

    def of(self, kind: str, *names: str, only: str | None = None) -> list[dict[str, Any]]:
        """Return tick and columns of the entries of a type; `only`: those with this inflictor."""
        rows: list[dict[str, Any]] = self.table(kind, *names, only=only).to_pylist()
        return rows

    def table(self, kind: str, *names: str, only: str | None = None, to_players: bool = False) -> pa.Table:
        """As `of`; `to_players`: the entries whose target is a player's hero and no illusion."""
        columns = self._columns
        types = columns["type"]
        chosen = pc.is_in(types, value_set=array_of([kind], types.type))
        if only is not None:
            inflictors = columns["inflictor"]
            number = pc.index(inflictors.dictionary, scalar_of(only, pa.string())).as_py()
            codes = array_of([number], inflictors.indices.type)
            chosen = pc.and_(chosen, pc.is_in(inflictors.indices, value_set=codes))
        if to_players:
            real = pc.invert(pc.fill_null(columns["target_is_illusion"], scalar_of(False, pa.bool_())))
            chosen = pc.and_(pc.and_(chosen, pc.is_valid(columns["target_player"])), real)
        return pa.table({name: columns[name].filter(chosen) for name in dict.fromkeys(("tick", *names))})
