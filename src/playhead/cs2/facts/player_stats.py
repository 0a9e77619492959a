"""Tables ``clutches`` and ``player_stats``: the last of a side, and sums of each player over rounds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, ClassVar

from playhead.cs2.facts import END, TABLES, TIME, person
from playhead.cs2.facts.grenades import Flashes, Grenades
from playhead.cs2.facts.kills import Cs2Kills
from playhead.cs2.facts.shots import Cs2Damage
from playhead.cs2.sources.match import Cs2Facts, Cs2Match
from playhead.cs2.sources.pawn import CONTROLLER
from playhead.cs2.sources.rounds import Round
from playhead.cs2.sources.words import DRAW, UTILITY, are_enemies, is_enemy
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.text.names import listed, unknown_name

CLUTCHES = TableSchema.of(
    "clutches",
    "One row for each player who was the last of a side against living enemies, from the death or the leave of "
    "the last teammate on: after all deaths of that tick, and before the end of the round. Both sides have a row "
    "if each comes down to one player.",
    *TIME,
    *END,
    *person(),
    word("opponents"),
    word("kills", "Those from then on, up to the end of the round."),
    word("won"),
    Column("survived", "bool", "The player lived at the end of the round."),
)


@TABLES.maker_of(CLUTCHES)
class Clutches(Cs2Facts):
    """`playing` has the sides of players at the end of freeze time by place of the round, `left` tick and player
    of each leave, and of each bot whose body a dead player took."""

    jobs: ClassVar = Jobs(12)
    fields = Cs2Kills.fields

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._kills = self.match.rows_of(Cs2Kills, playback)
        self.playing: dict[int, dict[int, str]] = {}
        self.left: list[dict[str, Any]] = []
        self._due = False
        self._version, self._taken = -1, dict[int, int]()
        playback.entities.on_entity(self._on_left, CONTROLLER, EntityOp.DELETED)
        self.match.rounds.on_change(self._on_rules)
        playback.after_packet(self._after)

    def _on_rules(self, _tick: int, before: dict[str, Any], now: dict[str, Any]) -> None:
        live = now["m_bFreezePeriod"] is False
        self._due = self._due or (live and (not before or bool(before.get("m_bFreezePeriod"))))

    def _on_left(self, _controller: Entity, _op: EntityOp) -> None:
        tick = self._playback.tick
        gone = [each.player for each in self.match.people if each.controller is None and each.last_tick == tick]
        self.left += [{"tick": tick, "victim_player": player} for player in gone]

    def _after(self, tick: int) -> None:
        people = self.match.people
        if self._version != people.version:
            self._version = people.version
            bots = {each.player: people.bot_of(each) for each in people.playing if each.controls_bot}
            taken = {player: bot.player for player, bot in bots.items() if bot is not None}
            for player, bot in taken.items() - self._taken.items():
                self.left.append({"tick": tick, "victim_player": bot, "taken_by": player})
            self._taken = taken
        if self._due:
            self._due = False
            self.playing[len(self.match.rounds.rounds) - 1] = {
                each.player: each.side or "" for each in self.match.people.playing
            }

    def rows(self) -> list[dict[str, Any]]:
        self.match.finish()
        rounds, names = self.match.rounds.rounds, {each.player: each.name for each in self.match.people}
        kills, left = by_round(self._kills(), rounds), by_round(self.left, rounds)
        return [
            row | {"name": names.get(row["player"])}
            for at, round_ in enumerate(rounds)
            if round_.values["phase"] == "live" and round_.values["end_tick"] is not None
            for row in clutches_of(self.playing.get(at, {}), kills[at], left[at], round_)
        ]


def by_round(rows: Iterable[dict[str, Any]], rounds: list[Round]) -> Mapping[int, list[dict[str, Any]]]:
    """Return the rows of each round, from its start to the start of the next, by its place."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    at = 0
    for row in rows:
        while at + 1 < len(rounds) and rounds[at + 1].begin <= row["tick"]:
            at += 1
        if rounds and rounds[at].begin <= row["tick"]:
            found[at].append(row)
    return found


def clutches_of(
    playing: Mapping[int, str], kills: list[dict[str, Any]], left: list[dict[str, Any]], round_: Round
) -> list[dict[str, Any]]:
    """Return the clutches of an ended round, with the values of their rows but for names and times."""
    alive = {side: {player for player, each in playing.items() if each == side} for side in ("t", "ct")}
    end = round_.values["end_tick"]
    winner, drawn = round_.values["winner_side"], round_.values["reason"] == DRAW
    lost = sorted((row for row in (*kills, *left) if row["tick"] <= end), key=lambda row: row["tick"])
    found: dict[str, dict[str, Any]] = {}
    for tick, gone in groupby(lost, key=lambda row: row["tick"]):
        for row in gone:
            for side, living in alive.items():
                if row["victim_player"] in living:
                    living.discard(row["victim_player"])
                    if "taken_by" in row:
                        living.add(row["taken_by"])
                        found.pop(side, None)  # the last of the side is another player from now on
        for side, others in (("t", "ct"), ("ct", "t")):
            if tick == end or len(alive[side]) != 1 or not alive[others] or side in found:
                continue
            (player,) = alive[side]
            later = [each for each in lost if each["tick"] > tick]
            found[side] = {
                "tick": tick,
                "end_tick": end,
                "player": player,
                "side": side,
                "opponents": len(alive[others]),
                "kills": sum(each.get("attacker_player") == player and is_enemy(each) for each in later),
                "won": None if winner is None and not drawn else side == winner,
                "survived": all(each["victim_player"] != player for each in later),
            }
    return list(found.values())


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
#: What a row may be of beside its player, by word of option `by`: the columns that name it.
GROUPS = {
    "match": ("match_num",),
    "half": ("match_num", "half", "overtime"),
    "side": ("side",),
    "round": ("match_num", "round_num"),
}
_KEYS = (
    *words("match_num round_num side"),
    Column("half", "int32", "1 or 2 (m_gamePhase); null if the game has none."),
    Column("overtime", "int32", "Number of the overtime; 0 before (m_nOvertimePlaying)."),
)
_COUNTED = tuple(column.name for column in _COUNTS)

PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player of an ended round that counts: sums over these rounds (`rounds.end_tick`, "
    "`rounds.counts`), of `kills` and others. Option `by` gives a row for each match, half, side or round of a "
    "player, or for several of these: columns `match_num`, `round_num`, `half`, `overtime` and `side` follow.",
    word("player"),
    word("name", "The latest one."),
    word("rounds_played", "With the player on a side at the end of freeze time."),
    *_COUNTS,
    Column("headshot_pct", "float32", "Share of kills by a shot in the head; null without kills.", "%"),
    Column("kast", "float32", "Share of rounds with a kill, assist, survival or traded death.", "%"),
    Column("adr", "float32", "`damage` by round.", "hp"),
    Column("enemies_flashed_seconds", "float64", "Sum of the flashes of enemies.", "s"),
    Column(
        "impact", "float32", "2.13 kills by round + 0.42 assists by round - 0.41, as published for rating 2.0."
    ),
    Column("rating_1", "float32", "HLTV's rating 1.0, by its published formula."),
    Column(
        "rating_2",
        "float32",
        "HLTV's rating 2.0, whose formula is secret, by the published approximation: 0.0073 kast + 0.3591 kills "
        "by round - 0.5329 deaths by round + 0.2372 impact + 0.0032 adr + 0.1587.",
    ),
)
#: Columns that are means over rounds.
_MEANS = ("kast", "adr", "impact", "rating_1", "rating_2")


def schema_with(named: Iterable[str]) -> TableSchema:
    """Return the schema of the table, with those columns of option `by` that are named."""
    named = frozenset(named)
    return PLAYER_STATS.extended(*(column for column in _KEYS if column.name in named))


def summed(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of players in several recordings, one for each player."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    names = [column.name for column in _KEYS]
    for row in rows:
        known = found.setdefault((row["player"], *(row.get(name) for name in names)), row)
        if known is row:
            continue
        before, now = known["rounds_played"], row["rounds_played"]
        for name in _MEANS:
            shares = (known[name] or 0.0) * before + (row[name] or 0.0) * now
            known[name] = shares / (before + now) if before + now else None
        for name in ("rounds_played", "enemies_flashed_seconds", *_COUNTED):
            known[name] += row[name]
        known["name"] = row["name"]
        known["headshot_pct"] = 100 * known["headshot_kills"] / known["kills"] if known["kills"] else None
    return sorted(found.values(), key=_order)


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the place of a row among the others: groups in order of time, then players."""
    found = (row.get(column.name) for column in _KEYS)
    return *((value is not None, value or ("" if isinstance(value, str) else 0)) for value in found), row["player"]


def _fields_of(*parts: type[Cs2Facts]) -> dict[str, tuple[str, ...]]:
    """Return the fields that any of these collectors reads, by class of entities."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for part in parts:
        for name, fields in part.fields.items():
            found[name] |= dict.fromkeys(fields)
    return {name: tuple(fields) for name, fields in found.items()}


@TABLES.maker_of(PLAYER_STATS)
class Cs2PlayerStats(Cs2Facts):
    jobs: ClassVar = Jobs(75, extra=120)
    options: ClassVar = ("by",)
    fields = _fields_of(*_PARTS.values())

    def __init__(self, match: Cs2Match, by: str | Iterable[str] = ()) -> None:
        """`by` names groups of rounds: match, half, side, round."""
        super().__init__(match)
        self._by = tuple(each for name in listed(by) for each in name.split())
        for each in self._by:
            if each not in GROUPS:
                raise ValueError(unknown_name(each, GROUPS, "group of rounds"))

    def attach(self, playback: Playback) -> None:
        self._parts = {name: self.match.rows_of(kind, playback) for name, kind in _PARTS.items()}
        self._clutches = self.match.collector(Clutches, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        rounds = self.match.rounds.rounds
        rate = self.match.ticks_per_second or self.match.usual_rate
        split = {name: by_round(rows(), rounds) for name, rows in self._parts.items()}
        split["left"] = by_round(self._clutches.left, rounds)
        schema = schema_with(name for group in self._by for name in GROUPS[group])
        keys = [column.name for column in schema.columns[len(PLAYER_STATS.columns) :]]
        sums: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
        for at, round_ in enumerate(rounds):
            playing = self._clutches.playing.get(at, {})
            if round_.values["counts"] and round_.values["end_tick"] is not None and playing:
                found: dict[int, Counter[str]] = defaultdict(Counter)
                _add_round(found, playing, round_, {name: rows[at] for name, rows in split.items()}, rate)
                for player, counts in found.items():
                    values = {**round_.values, "side": playing.get(player)}
                    sums[player, *(values[key] for key in keys)].update(counts)
        names = {person.player: person.name for person in self.match.people}
        rows = [
            {**_row(player, names.get(player), counts), **dict(zip(keys, values, strict=True))}
            for (player, *values), counts in sums.items()
        ]
        return {PLAYER_STATS.name: self.match.build(schema, sorted(rows, key=_order))}


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
    against = [kill for kill in kills if is_enemy(kill)]
    by_player = Counter(kill["attacker_player"] for kill in against)
    good = set(by_player)
    for kill in against:
        sums[kill["attacker_player"]].update(kills=1, headshot_kills=int(bool(kill["headshot"])))
        helper = kill["assister_player"]
        if helper is not None and are_enemies(kill["assister_side"], kill["victim_side"]):
            sums[helper]["assists"] += 1
            good.add(helper)
        for other in _blinders(kill, rows["flashes"], rate):
            sums[other].update(assists=int(other != helper), flash_assists=1)
            good.add(other)
    for player, count in by_player.items():
        if count:
            sums[player][f"multikill_{min(count, _MOST)}k"] += 1
    if against:
        sums[against[0]["attacker_player"]]["opening_kills"] += 1
        sums[against[0]["victim_player"]]["opening_deaths"] += 1
    died = [kill for kill in kills if kill["victim_player"] is not None]
    taken = {row["victim_player"] for row in rows["left"] if "taken_by" in row}
    dead = {kill["victim_player"] for kill in died} | taken
    for kill in died:
        sums[kill["victim_player"]].update(deaths=1, traded_deaths=int(bool(kill["victim_traded"])))
        if kill["victim_traded"]:
            good.add(kill["victim_player"])
    for player in playing:
        sums[player]["kast_rounds"] += player in good or player not in dead
    for hit in rows["damage"]:
        if is_enemy(hit) and hit["damage"]:
            sums[hit["attacker_player"]]["damage"] += hit["damage"]
            if hit["weapon"] in UTILITY:
                sums[hit["attacker_player"]]["utility_damage"] += hit["damage"]
    for flash in rows["flashes"]:
        if is_enemy(flash):
            sums[flash["attacker_player"]].update(
                enemies_flashed=1, enemies_flashed_seconds=flash["duration_seconds"]
            )
    for thrown in rows["grenades"]:
        if thrown["kind"] == "flashbang" and thrown["thrower_player"] is not None:
            sums[thrown["thrower_player"]]["flashes_thrown"] += 1
    for clutch in clutches_of(playing, kills, rows["left"], round_):
        counts = sums[clutch["player"]]
        counts.update(clutches_played=1, clutches_won=int(bool(clutch["won"])))
        if clutch["won"] and 1 <= clutch["opponents"] <= _MOST:
            counts[f"clutch_1v{clutch['opponents']}"] += 1


def _blinders(kill: dict[str, Any], flashes: list[dict[str, Any]], rate: float) -> set[int]:
    """Return teammates of the killer whose flash blinded the victim at its death, by table ``flashes`` and by the
    event.
    """
    by_event = {kill["assister_player"]} if kill["assist_flash"] and kill["assister_player"] is not None else set()
    return by_event | {
        flash["attacker_player"]
        for flash in flashes
        if flash["victim_player"] == kill["victim_player"] is not None
        and flash["attacker_side"] == kill["attacker_side"] is not None
        and flash["attacker_player"] not in (None, kill["attacker_player"])
        and flash["tick"] <= kill["tick"] <= flash["tick"] + (flash["duration_seconds"] or 0.0) * rate
    }


def _row(player: int, name: str | None, found: Counter[str]) -> dict[str, Any]:
    played = found["rounds_played"]
    row = {
        "player": player,
        "name": name,
        "rounds_played": played,
        **{each: found[each] for each in _COUNTED},
        "headshot_pct": 100 * found["headshot_kills"] / found["kills"] if found["kills"] else None,
        "enemies_flashed_seconds": float(found["enemies_flashed_seconds"]),
    }
    return row | (_means(found, played) if played else dict.fromkeys(_MEANS))


def _means(found: Mapping[str, Any], played: int) -> dict[str, float]:
    kills, deaths, assists = (found[name] / played for name in ("kills", "deaths", "assists"))
    several = sum(number**2 * found[f"multikill_{number}k"] for number in range(1, _MOST + 1)) / played
    kast, adr = 100 * found["kast_rounds"] / played, found["damage"] / played
    impact = 2.13 * kills + 0.42 * assists - 0.41
    return {
        "kast": kast,
        "adr": adr,
        "impact": impact,
        # Each part is compared with that of an average player.
        "rating_1": (kills / 0.679 + 0.7 * (1 - deaths) / 0.317 + several / 1.277) / 2.7,
        "rating_2": 0.0073 * kast + 0.3591 * kills - 0.5329 * deaths + 0.2372 * impact + 0.0032 * adr + 0.1587,
    }
