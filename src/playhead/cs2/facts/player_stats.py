"""Table ``player_stats``: sums of each player over the rounds of the match."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.fights.damage import Cs2Damage
from playhead.cs2.facts.fights.kills import Cs2Kills
from playhead.cs2.facts.objects.bomb import Flashes
from playhead.cs2.facts.objects.grenades import Grenades
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CONTROLLER
from playhead.cs2.sources.rounds import Round
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_UTILITY = frozenset(("hegrenade", "inferno", "molotov", "incgrenade", "flashbang", "smokegrenade", "decoy"))
_MOST = 5
_PARTS: dict[str, type[Cs2Facts]] = {
    "kills": Cs2Kills,
    "damage": Cs2Damage,
    "grenades": Grenades,
    "flashes": Flashes,
}
_COUNTS = (
    word("kills", "Of enemies."),
    word("deaths", "Of any kind."),
    word("assists", "To kills of enemies (player_death), and flash assists."),
    *(
        Column(name, "int32", doc)
        for name, doc in {
            "flash_assists": "Enemies that a teammate killed while the player's flash blinded them.",
            "headshot_kills": "Enemies killed by a shot in the head.",
            "opening_kills": "First kill of a round.",
            "opening_deaths": "First death of a round, by an enemy.",
            "traded_deaths": "Deaths that a teammate avenged (`victim_traded`).",
            **{
                f"multikill_{number}k": f"Rounds with {number}{' or more' if number == _MOST else ''} kills."
                for number in range(2, _MOST + 1)
            },
            "clutches_played": "Rounds in which the player was the last of the side against living enemies.",
            "clutches_won": "Of these, rounds that the side won.",
            **{f"clutch_1v{number}": f"Clutches won against {number}." for number in range(1, _MOST + 1)},
        }.items()
    ),
    word("damage", "Health that enemies lost."),
    Column("utility_damage", "int32", "Of this, by grenades and fire.", "hp"),
    Column("flashes_thrown", "int32", "Flashbangs thrown."),
    Column("enemies_flashed", "int32", "Enemies blinded, each time."),
)
_COUNTED = tuple(column.name for column in _COUNTS)

PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player: sums over the rounds that count (`rounds.counts`), of `kills` and others.",
    word("player"),
    word("name", "The latest one."),
    word("rounds_played", "With the player on a side at the end of freeze time."),
    *_COUNTS,
    Column("headshot_pct", "float32", "Share of kills by a shot in the head; null without kills.", "%"),
    Column("kast", "float32", "Share of rounds with a kill, assist, survival or traded death.", "%"),
    Column("adr", "float32", "`damage` by round.", "hp"),
    Column("enemies_flashed_seconds", "float64", "Sum of the flashes of enemies.", "s"),
)


def summed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of players in several recordings, one for each player."""
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        known = found.setdefault(row["player"], row)
        if known is row:
            continue
        before, now = known["rounds_played"], row["rounds_played"]
        for name in ("kast", "adr"):
            shares = (known[name] or 0.0) * before + (row[name] or 0.0) * now
            known[name] = shares / (before + now) if before + now else None
        for name in ("rounds_played", "enemies_flashed_seconds", *_COUNTED):
            known[name] += row[name]
        known["name"] = row["name"]
        known["headshot_pct"] = 100 * known["headshot_kills"] / known["kills"] if known["kills"] else None
    return [found[player] for player in sorted(found)]


def _by_round(rows: Iterable[dict[str, Any]], rounds: list[Round]) -> dict[int, list[dict[str, Any]]]:
    """Return the rows of each round that counts, from its start to the start of the next, by its place."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    at = 0
    for row in rows:
        while at + 1 < len(rounds) and rounds[at + 1].begin <= row["tick"]:
            at += 1
        if rounds and rounds[at].begin <= row["tick"] and rounds[at].values["counts"]:
            found[at].append(row)
    return found


def _fields_of(*parts: type[Cs2Facts]) -> dict[str, tuple[str, ...]]:
    """Return the fields that any of these collectors reads, by class of entities."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for part in parts:
        for name, fields in part.fields.items():
            found[name] |= dict.fromkeys(fields)
    return {name: tuple(fields) for name, fields in found.items()}


@TABLES.maker_of(PLAYER_STATS)
class Cs2PlayerStats(Cs2Facts):
    """Table ``player_stats``."""

    jobs: ClassVar = Jobs(75)
    entities: ClassVar = True
    fields = _fields_of(*_PARTS.values())

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._parts = {name: self.match.collector(kind, playback) for name, kind in _PARTS.items()}
        #: Side of each player of a round, by the place of the round.
        self._playing: dict[int, dict[int, str]] = {}
        self._due = False
        #: Tick and player of each leave.
        self._left: list[dict[str, Any]] = []
        playback.entities.on_entity(self._on_left, CONTROLLER, EntityOp.DELETED)
        self.match.rounds.on_change(self._on_rules)
        playback.after_packet(self._after)

    def _on_rules(self, _tick: int, before: dict[str, Any], now: dict[str, Any]) -> None:
        live = now["m_bFreezePeriod"] is False
        self._due = self._due or (live and (not before or bool(before.get("m_bFreezePeriod"))))

    def _on_left(self, _controller: Entity, _op: EntityOp) -> None:
        tick = self._playback.tick
        gone = [each.player for each in self.match.people if each.controller is None and each.last_tick == tick]
        self._left += [{"tick": tick, "victim_player": player} for player in gone]

    def _after(self, _tick: int) -> None:
        if self._due:
            self._due = False
            playing = {person.player: person.side or "" for person in self.match.people.playing}
            self._playing[len(self.match.rounds.rounds) - 1] = playing

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        rounds = self.match.rounds.rounds
        parts = {name: part.rows() for name, part in self._parts.items()} | {"left": self._left}
        rate = self.match.ticks_per_second or self.match.usual_rate
        split = {name: _by_round(rows, rounds) for name, rows in parts.items()}
        sums: dict[int, Counter[str]] = defaultdict(Counter)
        for at, round_ in enumerate(rounds):
            playing = self._playing.get(at, {})
            if round_.values["counts"] and round_.values["end_tick"] is not None and playing:
                _add_round(sums, playing, round_, {name: rows[at] for name, rows in split.items()}, rate)
        names = {person.player: person.name for person in self.match.people}
        rows = [_row(player, names.get(player), found) for player, found in sorted(sums.items())]
        return {PLAYER_STATS.name: self.match.build(PLAYER_STATS, rows)}


def _add_round(
    sums: dict[int, Counter[str]],
    playing: dict[int, str],
    round_: Round,
    rows: Mapping[str, list[dict[str, Any]]],
    rate: float,
) -> None:
    """Add the counts of one round."""
    for player in playing:
        sums[player]["rounds_played"] += 1
    kills = rows["kills"]
    against = [kill for kill in kills if _is_enemy(kill)]
    by_player = Counter(kill["attacker_player"] for kill in against)
    good = set(by_player)
    for kill in against:
        sums[kill["attacker_player"]].update(kills=1, headshot_kills=int(bool(kill["headshot"])))
        helper = kill["assister_player"]
        if helper is not None and kill["assister_side"] != kill["victim_side"]:
            sums[helper]["assists"] += 1
            good.add(helper)
        for other in _blinders(kill, rows["flashes"], rate):
            sums[other].update(assists=int(other != helper), flash_assists=1)
            good.add(other)
    for player, count in by_player.items():
        if count >= 2:
            sums[player][f"multikill_{min(count, _MOST)}k"] += 1
    if against:
        sums[against[0]["attacker_player"]]["opening_kills"] += 1
        sums[against[0]["victim_player"]]["opening_deaths"] += 1
    dead = {kill["victim_player"] for kill in kills}
    for kill in kills:
        sums[kill["victim_player"]].update(deaths=1, traded_deaths=int(kill["victim_traded"]))
        if kill["victim_traded"]:
            good.add(kill["victim_player"])
    for player in playing:
        sums[player]["kast_rounds"] += player in good or player not in dead
    for hit in rows["damage"]:
        if _is_enemy(hit) and hit["damage"]:
            sums[hit["attacker_player"]]["damage"] += hit["damage"]
            if hit["weapon"] in _UTILITY:
                sums[hit["attacker_player"]]["utility_damage"] += hit["damage"]
    for flash in rows["flashes"]:
        if _is_enemy(flash):
            sums[flash["attacker_player"]].update(
                enemies_flashed=1, enemies_flashed_seconds=flash["duration_seconds"]
            )
    for thrown in rows["grenades"]:
        if thrown["kind"] == "flashbang" and thrown["thrower_player"] is not None:
            sums[thrown["thrower_player"]]["flashes_thrown"] += 1
    lost = sorted((*kills, *rows["left"]), key=lambda row: row["tick"])
    _add_clutches(sums, playing, [row["victim_player"] for row in lost], round_.values["winner_side"])


def _blinders(kill: dict[str, Any], flashes: list[dict[str, Any]], rate: float) -> set[int]:
    """Return teammates of the killer whose flash blinded the victim at its death, by table ``flashes`` (but the
    assister) and by the event.
    """
    by_event = {kill["assister_player"]} if kill["assist_flash"] and kill["assister_player"] is not None else set()
    return by_event | {
        flash["attacker_player"]
        for flash in flashes
        if flash["victim_player"] == kill["victim_player"]
        and flash["attacker_side"] == kill["attacker_side"]
        and flash["attacker_player"] not in (None, kill["attacker_player"], kill["assister_player"])
        and flash["tick"] <= kill["tick"] <= flash["tick"] + (flash["duration_seconds"] or 0.0) * rate
    }


def _is_enemy(row: dict[str, Any]) -> bool:
    return row["attacker_player"] is not None and row["attacker_side"] != row["victim_side"]


def _add_clutches(
    sums: dict[int, Counter[str]], playing: dict[int, str], lost: Iterable[int], winner: str | None
) -> None:
    """Add the last players of a side against living enemies; `lost` are the deaths and leaves, in order."""
    alive = {side: {player for player, each in playing.items() if each == side} for side in ("t", "ct")}
    known: dict[str, tuple[int, int]] = {}
    for player in lost:
        for living in alive.values():
            living.discard(player)
        for side, others in (("t", "ct"), ("ct", "t")):
            if len(alive[side]) == 1 and alive[others] and side not in known:
                known[side] = next(iter(alive[side])), len(alive[others])
    for side, (player, count) in known.items():
        won = side == winner
        sums[player].update(clutches_played=1, clutches_won=int(won))
        if won and 1 <= count <= _MOST:
            sums[player][f"clutch_1v{count}"] += 1


def _row(player: int, name: str | None, found: Counter[str]) -> dict[str, Any]:
    played = found["rounds_played"]
    return {
        "player": player,
        "name": name,
        "rounds_played": played,
        **{each: found[each] for each in _COUNTED},
        "headshot_pct": 100 * found["headshot_kills"] / found["kills"] if found["kills"] else None,
        "kast": 100 * found["kast_rounds"] / played if played else None,
        "adr": found["damage"] / played if played else None,
        "enemies_flashed_seconds": float(found["enemies_flashed_seconds"]),
    }
