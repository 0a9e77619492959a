"""Tables ``match``, ``rounds`` and ``periods``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from playhead.cs2.facts import ROUND, TABLES, TIME
from playhead.cs2.facts.messages import Convars
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.rounds import ROUND_FIELDS, Round, pause_of
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import PERIODS as SHARED_PERIODS
from playhead.tables.vocabulary import word, words

#: Parts of the names of servers, in lower case, by organiser; the first that fits counts.
_PARTS = {
    "faceit": ("faceit", "blast"),
    "challengermode": ("challengermode", "pgl major cs2"),
    "esl": ("esl",),
    "esea": ("esea",),
    "hltv": ("hltv",),
    "popflash": ("popflash",),
    "esportal": ("esportal",),
    "fastcup": ("fastcup",),
    "gamersclub": ("gamersclub",),
    "renown": ("renown",),
    "matchzy": ("matchzy",),
    "ebot": ("ebot",),
    "valve": ("valve",),
    "perfectworld": ("完美世界",),
    "esplay": ("esplay",),
    "pracc": ("pracc.com",),
}


def organiser_of(server_name: str, settings: Iterable[str], *, dedicated: bool | None) -> str | None:
    """Return the word of the organiser by the server's name and the names of its settings, to which its plug-ins
    add (``matchzy_…``); ``local`` for a game on a player's computer; None if unknown."""
    name = server_name.lower()
    for organiser, parts in _PARTS.items():
        # Whole words: Wesley's server is not of ESL.
        if any(re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", name) for part in parts):
            return organiser
    prefixes = {setting.lower().partition("_")[0] for setting in settings}
    known = next((organiser for organiser in _PARTS if organiser in prefixes), None)
    return known or ("local" if dedicated is False else None)


_TEAMS = (("a", "the Terrorists of its first round that counts"), ("b", "the Counter-Terrorists of that round"))
_SURRENDERS = ("t_surrender", "ct_surrender")

MATCH = TableSchema.of(
    "match",
    "One row for each match in the file, from `rounds` that count; `tick` is the start of its first one. Team "
    "a starts as Terrorists, team b as Counter-Terrorists; both keep their letter when they change sides.",
    *TIME,
    *words("match_num map"),
    Column("server", "string", "Name of the server, of the file's header."),
    Column(
        "organiser",
        "category",
        "Who ran the server, by its name and settings: valve, faceit, esea, esl …; local for a game on a player's "
        "computer; null if nothing tells.",
    ),
    word("end_tick", "Its last round ended; null if the recording ends before any did."),
    word("end_seconds"),
    word("rounds_played"),
    Column("rounds_undone", "int32", "Rounds that a restored backup undid."),
    Column("overtimes", "int32", "Overtimes begun."),
    Column("max_rounds", "int32", "Rounds of the regular time (mp_maxrounds); null if not recorded."),
    *(Column(f"team_{each}_name", "string", f"Clan name of {doc}; null for none.") for each, doc in _TEAMS),
    *(
        Column(f"team_{each}_score", "int32", f"Rounds won by {doc}, those before the recording too.")
        for each, doc in _TEAMS
    ),
    *(
        Column(f"team_{each}_half_{half}", "int32", f"Of these, recorded rounds of half {half} before overtimes.")
        for each, _ in _TEAMS
        for half in (1, 2)
    ),
    Column("knife_side", "category", "Side that won the knife round before it, t or ct; null without one."),
    Column("ended", "bool", "The match ended in the recording (m_nMatchEndCount)."),
    Column("winner_letter", "category", "a or b; null for a tie, a forfeit, and a match that did not end."),
    word("winner_side", "Of the winner in the last round."),
    word("winner_name", "Clan name."),
    word(
        "end_reason",
        "score, tie, surrender, forfeit (it ended within a round); null while it goes on and without a score.",
    ),
)


@TABLES.maker_of(MATCH)
class Matches(Cs2Facts):
    def attach(self, playback: Playback) -> None:
        self._convars = self.match.collector(Convars, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        clans = {person.player: person.clan for person in self.match.people}
        rows = match_rows(self.match.rounds, clans, round_limits(self._convars.rows()))
        info, header = self.match.replay.brief_info, self.match.replay.recording.file_header
        server, settings = header.get("server_name"), (row["convar"] or "" for row in self._convars.rows())
        dedicated = self.match.replay.recording.server_info.get("is_dedicated")
        shared = {"map": info.map, "server": server}
        shared["organiser"] = organiser_of(server or "", settings, dedicated=dedicated)
        whole = [row | shared for row in rows]
        return {MATCH.name: self.match.table(MATCH, whole)}


def round_limits(convars: Iterable[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Return the values of mp_maxrounds in rows of `convars`, with their ticks; none that no match can have."""
    found = ((row["tick"], row["convar_value"] or "") for row in convars if row["convar"] == "mp_maxrounds")
    return [(tick, int(value)) for tick, value in found if value.isdecimal() and len(value) < 6]


def match_rows(
    rounds: Iterable[Round], clans: Mapping[int, str | None], limits: Iterable[tuple[int, int]]
) -> list[dict[str, Any]]:
    """Return the rows of matches, but for map, server and times; `clans` are those of players, `limits` values of
    mp_maxrounds with their ticks."""
    found = (_row(number, here, clans, limits) for number, here in _by_match(rounds).items())
    return [row for row in found if row is not None]


class MatchOutcome(NamedTuple):
    """How the last match that ended in a recording ended: the winner, and the result of each player by number."""

    winner_side: str | None = None
    winner_name: str | None = None
    results: Mapping[int, str] = MappingProxyType({})


def outcome_of(rounds: Iterable[Round], clans: Mapping[int, str | None]) -> MatchOutcome:
    """Return the outcome; of no match that ended, or of one that was given up at once, nothing is known."""
    found = MatchOutcome()
    for here in _by_match(rounds).values():
        row = _row(0, here, clans, ())
        if row is None or row.get("end_reason") in (None, "forfeit"):
            continue
        counted = [each for each in here if each.values["counts"]]
        first, won, tie = _first(counted), row["winner_letter"], row["end_reason"] == "tie"
        letters = {player: _team(first, each, side) for each in counted for player, side in each.sides.items()}
        results = {
            player: "tie" if tie else "win" if letter == won else "loss"
            for player, letter in letters.items()
            if letter is not None and (tie or won is not None)
        }
        found = MatchOutcome(row["winner_side"], row["winner_name"], results)
    return found


def _by_match(rounds: Iterable[Round]) -> dict[int, list[Round]]:
    found: dict[int, list[Round]] = {}
    for each in rounds:
        found.setdefault(each.values["match_num"], []).append(each)
    return found


def _first(counted: list[Round]) -> Round:
    """Return the round in which team a is the Terrorists."""
    return next((each for each in counted if each.sides), counted[0])


def _row(
    number: int, rounds: list[Round], clans: Mapping[int, str | None], limits: Iterable[tuple[int, int]]
) -> dict[str, Any] | None:
    live = [each for each in rounds if each.values["phase"] == "live"]
    counted = [each for each in live if each.values["counts"]]
    if not counted:
        return None
    first = _first(counted)
    played = [each for each in counted if each.values["end_tick"] is not None]
    knives = [each.values["winner_side"] for each in rounds if each.values["phase"] == "knife"]
    most = [value for tick, value in limits if tick <= first.begin]
    row: dict[str, Any] = {
        "tick": counted[0].begin,
        "round_num": counted[0].values["round_num"],
        "counts": True,
        "match_num": number,
        "end_tick": played[-1].values["end_tick"] if played else None,
        "rounds_played": len(played),
        "rounds_undone": sum(each.values["undone"] for each in live),
        "overtimes": max(each.values["overtime"] or 0 for each in counted),
        "max_rounds": most[-1] if most else None,
        "knife_side": knives[-1] if knives else None,
        "ended": any(each.values["match_ended"] for each in rounds),
    }
    halves: Counter[tuple[str | None, int | None]] = Counter()
    for each in played:
        if each.values["winner_side"] is not None and not each.values["overtime"]:
            halves[_team(first, each, each.values["winner_side"]), each.values["half"]] += 1
    scores = {_team(first, played[-1], side): played[-1].values[f"{side}_score"] for side in ("t", "ct") if played}
    for side, (team, _) in zip(("t", "ct"), _TEAMS, strict=True):
        names = Counter(name for player, at in first.sides.items() if at == side and (name := clans.get(player)))
        row[f"team_{team}_name"] = names.most_common(1)[0][0] if names else None
        row[f"team_{team}_score"] = scores.get(team)
        row |= {f"team_{team}_half_{half}": None if halves[None, half] else halves[team, half] for half in (1, 2)}
    if not row["ended"]:
        return row
    row["winner_side"], row["end_reason"] = _end(counted[-1])
    row["winner_letter"] = winner = _team(first, counted[-1], row["winner_side"])
    return row | {"winner_name": row[f"team_{winner}_name"] if winner else None}


def _team(first: Round, each: Round, side: str | None) -> str | None:
    """Return the letter of the team on a side of a round: its players were on that team's side in the first."""
    votes = Counter(
        first.sides[player] for player, at in each.sides.items() if at == side and player in first.sides
    )
    return {"t": "a", "ct": "b"}[votes.most_common(1)[0][0]] if votes else None


def _end(last: Round) -> tuple[str | None, str | None]:
    """Return the winner's side in the last round of a match that ended, and the reason; None if unknown."""
    values = last.values
    if values["reason"] in _SURRENDERS:
        return values["winner_side"], "surrender"
    if values["end_tick"] is None:
        return None, "forfeit"
    t, ct = values["t_score"], values["ct_score"]
    if t is None or ct is None:
        return None, None
    return (None, "tie") if t == ct else ("t" if t > ct else "ct", "score")


def _of_sides(name: str, type_: str, doc: str, unit: str = "") -> tuple[Column, ...]:
    return tuple(Column(f"{side}_{name}", type_, f"{side.upper()} side: {doc}", unit) for side in ("t", "ct"))


ROUNDS = TableSchema.of(
    "rounds",
    "One row for each round that was begun, from the entity of the game rules (CCSGameRulesProxy), so events "
    "need not be recorded. A bare end with reason 16 (game_start) is no round.",
    *words("tick seconds game_seconds"),
    word(
        "round_num",
        "m_totalRoundsPlayed at its start plus 1. A round that a restored backup undid keeps its number, so a "
        "number may occur twice.",
    ),
    word("match_num"),
    word(
        "phase", "warmup; knife (at the end of freeze time no player had anything but knives and the bomb); live."
    ),
    word("counts", "Also false for a round that a restart broke off."),
    word("start_tick", "m_nRoundStartCount changed; null if the recording starts later."),
    Column("freeze_end_tick", "int32", "m_bFreezePeriod ended; null if not recorded.", "ticks"),
    word("end_tick", "m_nRoundEndCount changed."),
    word("end_seconds"),
    Column("official_end_tick", "int32", "The next round started; null if none did.", "ticks"),
    word("winner_side", "t or ct (m_iRoundEndWinnerTeam)."),
    word("reason", "ct_win, t_win, target_bombed, bomb_defused, target_saved … (m_eRoundEndReason)."),
    word("reason_id"),
    *_of_sides("score", "int32", "rounds won after this round (CCSTeam.m_iScore)."),
    Column("half", "int32", "1 or 2 (m_gamePhase); null if the game has none."),
    Column("overtime", "int32", "Number of the overtime; 0 before (m_nOvertimePlaying)."),
    Column("bomb_planted_tick", "int32", "The bomb was planted; null if it was not.", "ticks"),
    word("bomb_site", "CPlantedC4.m_nBombSite."),
    *_of_sides("equipment_value", "int32", "value of equipment at the end of freeze time, of all players.", "$"),
    *_of_sides("money", "int32", "money of all players at the end of freeze time.", "$"),
    *_of_sides(
        "buy_type",
        "category",
        "pistol (first round of a half), eco (equipment below 5,000), full (20,000 or more) or force.",
    ),
    *_of_sides("loss_bonus", "int32", "money of a player for losing this round.", "$"),
)
PERIODS = SHARED_PERIODS.extended(
    ROUND[0],
    word("reason", "Of a pause: technical (m_bTechnicalTimeOut), match (m_bMatchWaitingForResume alone), engine."),
    word("by_side", "That took the timeout."),
)


#: Values of a match that the row of its game has; those of its rounds differ.
_OF_GAME = ("tick", "end_tick", "winner_side", "counts")


@TABLES.maker_of(ROUNDS, PERIODS)
class RoundTable(Cs2Facts):
    """Tables ``rounds`` and ``periods``: warmup, knife, game, half, overtime, round; timeout and
    pause, in which the round clock stops.
    """

    jobs: ClassVar = Jobs(extra=1)

    fields = MappingProxyType(ROUND_FIELDS)

    def attach(self, playback: Playback) -> None:
        self._open: dict[str, Any] | None = None
        self._pause: str | None = None
        self.match.rounds.on_change(self._on_rules)

    def _on_rules(self, tick: int, _before: dict[str, Any], now: dict[str, Any]) -> None:
        found = pause_of(now)
        if self._open is not None and self._pause != found:
            self._open["end_tick"] = tick
            self._open = None
        if found is not None and self._open is None:
            self._open, self._pause = {"tick": tick}, found
            if found.startswith("timeout_"):
                self._open |= {"kind": "timeout", "by_side": found.removeprefix("timeout_")}
            else:
                self._open |= {"kind": "pause", "reason": found}
            self._open["number"] = 1 + sum(each["kind"] == self._open["kind"] for each in self._rows)
            self._rows.append(self._open)

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        rounds = self.match.rounds.rounds
        for row in self._rows:
            within = self.match.round_at(row["tick"])
            row["counts"] = within is not None and within.values["counts"]
        clans = {person.player: person.clan for person in self.match.people}
        games = [
            {name: row.get(name) for name in _OF_GAME}
            | {"kind": "game", "number": row["match_num"], "round_num": None}
            for row in match_rows(rounds, clans, ())
        ]
        periods = sorted([*games, *_periods(rounds), *self._rows], key=lambda row: row["tick"])
        return {
            ROUNDS.name: self.match.table(ROUNDS, [each.row() for each in rounds]),
            PERIODS.name: self.match.table(PERIODS, periods),
        }


def _periods(rounds: list[Round]) -> Iterator[dict[str, Any]]:
    """Yield the halves, overtimes and rounds, longer ones before those that start at the same tick."""
    longer: dict[tuple[Any, ...], dict[str, Any]] = {}
    numbers = {"warmup": 0, "knife": 0}
    for each in rounds:
        values = each.values
        end = values["official_end_tick"] if values["end_tick"] is None else values["end_tick"]
        if values["counts"]:
            kind, number = ("overtime", values["overtime"]) if values["overtime"] else ("half", values["half"])
            key = values["match_num"], kind, number
            if key not in longer and number is not None:
                longer[key] = {
                    "tick": each.begin,
                    "kind": kind,
                    "number": number,
                    "counts": True,
                    "round_num": None,
                }
                yield longer[key]
            if key in longer:
                longer[key]["end_tick"] = values["end_tick"]
        kind = "round" if values["phase"] == "live" else values["phase"]
        if kind in numbers:
            numbers[kind] += 1
        yield {
            **{name: values[name] for name in ("tick", "winner_side", "counts", "round_num")},
            "end_tick": end,
            "kind": kind,
            "number": numbers.get(kind, values["round_num"]),
        }
