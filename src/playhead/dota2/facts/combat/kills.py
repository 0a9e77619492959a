"""Tables ``kills`` and ``death_damage``: each death of a hero, and the damage that led to it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.combat.shared_log import SharedLog
from playhead.dota2.sources.clones import CloneDeaths
from playhead.dota2.sources.combat_log_entry import NAMES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, SAME_DEATH, HeroLives, LoggedDeath
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

_SMOKE = "modifier_smoke_of_deceit"
_TYPES = ("DEATH", "GOLD", "BUYBACK", "DAMAGE", "MODIFIER_ADD", "MODIFIER_REMOVE")
# EDOTA_ModifyGold_Reason: gold lost by dying.
_BY_DEATH = 1
# A kill up to so many seconds after the killer's smoke ended counts as made from smoke, as in odota/parser#91.
_SMOKE_LINGERS = 30.0
# Columns of the log that a death is made of.
_OF_DEATH = (
    *(
        "target_player",
        "target",
        "target_team",
        "target_level",
        "target_is_illusion",
        "will_reincarnate",
        "x",
        "y",
    ),
    *("attacker", "attacker_player", "attacker_team", "attacker_level", "inflictor", "assister_players"),
)

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player's hero: a DEATH entry of the combat log, without illusions, "
    "clones that die with their hero, and deaths that the game does not count because the hero comes back at once "
    "(will_reincarnate, or m_iDeaths of CDOTA_PlayerResource does not rise). Table `unit_deaths` has every entry.",
    *words("tick seconds game_seconds victim_player victim_hero victim_team victim_side victim_level"),
    word("victim_x", "Of the hero's entity when it died, else of the entry."),
    *words("victim_y attacker_player attacker_hero attacker_team attacker_side attacker_level"),
    word("attacker_x", "Of the hero of `attacker_player` at that tick."),
    word("attacker_y"),
    word("attacker", "Its owner is `attacker_player`; a creep, tower or other unit has none."),
    word("inflictor", "Null for attacks."),
    word("assister_players", "Null if the entry has none."),
    word("gold_lost", "GOLD entries of the victim for this death; null if there are none."),
    Column(
        "dead_seconds",
        "float64",
        "Time on the game's clock until m_lifeState of the hero is 0 again, or the match or recording ends; "
        "null if the recording does not have the hero's death.",
        "s",
    ),
    Column("bought_back", "bool", "A BUYBACK entry of the victim ended it."),
    Column(
        "smoked", "bool", "The attacker was under a Smoke of Deceit at the kill or in the 30 seconds before it."
    ),
)

DEATH_DAMAGE = TableSchema.of(
    "death_damage",
    "Damage that a hero of table `kills` took before its death (option `window`, 10 seconds on the game's "
    "clock, but not before its last death): a row for each attacker and inflictor. In order of deaths, so not of "
    "`tick`.",
    word("tick", "First damage of the row."),
    *words("seconds game_seconds"),
    Column("kill_tick", "int32", "`tick` of the death in table `kills`.", "ticks"),
    *words("victim_player victim_hero"),
    word("attacker", "`attacker_owner` of the damage, else `attacker`."),
    word("attacker_player"),
    word("inflictor", "Null for attacks."),
    word("damage"),
)


@TABLES.maker_of(KILLS, DEATH_DAMAGE)
class Kills(PlayerFacts):
    """Tables ``kills`` and ``death_damage``."""

    jobs: ClassVar = Jobs(5, anew=True, slow_to_join=True)
    options = ("window",)
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(HERO_LIFE_FIELDS)

    def __init__(self, match: Dota2Match, window: int | float | str = "10s") -> None:
        super().__init__(match)
        self._window = match.interval(window)

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._log = SharedLog.of(self.match, playback, _TYPES)
        self._lives = HeroLives.of(self.match, playback)

    def part(self) -> None:
        """The log, the lives and the roster are parts of the match."""

    def joined(self, earlier: Sequence[None]) -> Mapping[str, pa.Table]:
        return self.tables()

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._heroes = self._roster.hero_names()
        self._entries = _Entries(self._log.columns)
        kills = list(self._kills())
        found = {KILLS.name: self.match.table(KILLS, kills)}
        if self.wanted is None or DEATH_DAMAGE.name in self.wanted:
            found[DEATH_DAMAGE.name] = self.match.table(DEATH_DAMAGE, list(self._damage(kills)))
        return found

    def _kills(self) -> Iterator[dict[str, Any]]:
        smokes = self._smokes()
        teams = {seat.player: seat.team for seat in self._roster.seats}
        lost: dict[int, list[tuple[int, int]]] = {}
        for entry in self._entries.of("GOLD", "target_player", "value", "gold_reason_id"):
            if entry["gold_reason_id"] == _BY_DEATH and entry["value"] is not None:
                lost.setdefault(entry["target_player"], []).append((entry["tick"], -entry["value"]))
        bought: dict[int, list[int]] = {}
        for entry in self._entries.of("BUYBACK", "value"):
            bought.setdefault(entry["value"], []).append(entry["tick"])
        end = next((began for began, state in self.match.clock.states if state == POST_GAME), self._playback.tick)
        clones = CloneDeaths()
        entries = [
            entry
            for entry in self._entries.of("DEATH", *_OF_DEATH)
            if entry["target_player"] is not None and not entry["target_is_illusion"]
        ]
        deaths = [LoggedDeath(each["target_player"], each["tick"], each["will_reincarnate"]) for each in entries]
        for entry, counts in zip(entries, self._lives.counted(deaths), strict=True):
            victim, tick, attacker = entry["target_player"], entry["tick"], entry["attacker_player"]
            if not counts or clones.is_clone(tick, victim):
                continue
            alive_at, places = self._lives.death(victim, tick, end)
            gold = [amount for then, amount in lost.get(victim, ()) if abs(then - tick) <= SAME_DEATH]
            victim_x, victim_y, victim_level = places.get(victim, (None, None, None))
            if victim_x is None:
                victim_x, victim_y = entry["x"], entry["y"]
            attacker_x, attacker_y, attacker_level = places.get(attacker, (None, None, None))
            yield {
                "tick": tick,
                **{name: entry[name] for name in ("attacker_player", "attacker", "inflictor", "assister_players")},
                "attacker_team": entry["attacker_team"],
                "attacker_level": attacker_level if entry["attacker_level"] is None else entry["attacker_level"],
                "victim_player": victim,
                "victim_hero": self._heroes.get(victim) or entry["target"],
                "victim_team": teams.get(victim, entry["target_team"]),
                "victim_level": victim_level if entry["target_level"] is None else entry["target_level"],
                "victim_x": victim_x,
                "victim_y": victim_y,
                "attacker_hero": self._heroes.get(attacker),
                "attacker_x": attacker_x,
                "attacker_y": attacker_y,
                "gold_lost": sum(gold) if gold else None,
                "dead_seconds": None if alive_at is None else self._between(tick, alive_at),
                "bought_back": alive_at is not None
                and any(tick < then <= alive_at for then in bought.get(victim, ())),
                "smoked": attacker is not None
                and any(
                    begin <= tick and self._between(end, tick) <= _SMOKE_LINGERS
                    for begin, end in smokes.get(attacker, ())
                ),
            }

    def _between(self, first: int, last: int) -> float:
        """Return the time on the game's clock between two ticks."""
        begin, end = self.match.clock.game_seconds_at((max(0, first), max(0, last)))
        if begin is None or end is None:
            return (last - first) / (self.match.ticks_per_second or 30.0)
        return end - begin

    def _smokes(self) -> dict[int, list[tuple[int, int]]]:
        """Return first and last tick of each smoke, by player."""
        found: dict[int, list[tuple[int, int]]] = {}
        begun: dict[int, int] = {}
        entries = [
            entry
            for kind in ("MODIFIER_ADD", "MODIFIER_REMOVE")
            for entry in self._entries.of(kind, "log_type", "target_player", "target_is_illusion", only=_SMOKE)
            if entry["target_player"] is not None and not entry["target_is_illusion"]
        ]
        for entry in sorted(entries, key=lambda entry: int(entry["tick"])):
            player = entry["target_player"]
            if entry["log_type"] == "MODIFIER_ADD":
                begun.setdefault(player, entry["tick"])
            elif player in begun:
                found.setdefault(player, []).append((begun.pop(player), entry["tick"]))
        for player, tick in begun.items():
            found.setdefault(player, []).append((tick, self._playback.tick))
        return found

    def _damage(self, kills: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        names = ("target_player", "attacker", "attacker_owner", "attacker_player", "inflictor", "value")
        damage = self._entries.table("DAMAGE", *names, to_players=True)
        ticks = to_list(damage["tick"])
        by_player: dict[int, list[int]] = {}
        for number, player in enumerate(to_list(damage["target_player"])):
            by_player.setdefault(player, []).append(number)
        last: dict[int, int] = {}
        seconds = self._window / (self.match.ticks_per_second or 30.0)
        rows: list[int] = []
        counts = []
        for kill in kills:
            player, tick = kill["victim_player"], kill["tick"]
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
        for kill, count in zip(kills, counts, strict=True):
            sums: dict[tuple[Any, ...], dict[str, Any]] = {}
            for entry in islice(entries, count):
                source = entry["attacker_owner"] or entry["attacker"]
                key = (source, entry["attacker_player"], entry["inflictor"])
                row = sums.setdefault(
                    key,
                    {
                        "tick": entry["tick"],
                        "kill_tick": kill["tick"],
                        "victim_player": kill["victim_player"],
                        "victim_hero": kill["victim_hero"],
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
        types = columns["log_type"]
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
