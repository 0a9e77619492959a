"""Table ``match``: one row for each match in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from playhead.cs2.facts import TABLES, TIME
from playhead.cs2.facts.messages import Convars
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.organisers import organiser_of
from playhead.cs2.sources.rounds import Round
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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
    """Table ``match``."""

    entities: ClassVar = True

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
    """Return the rows of matches, but for map, server and times.

    Args:
        rounds: in order.
        clans: clan of each player, by number.
        limits: values of mp_maxrounds with their ticks, in order.
    """
    found = (_row(number, here, clans, limits) for number, here in _by_match(rounds).items())
    return [row for row in found if row is not None]


class MatchOutcome(NamedTuple):
    """How the last match that ended in a recording ended: the winner, and the result of each player by number."""

    winner_side: str | None = None
    winner_name: str | None = None
    results: Mapping[int, str] = MappingProxyType({})


def outcome_of(rounds: Iterable[Round], clans: Mapping[int, str | None]) -> MatchOutcome:
    """Return the outcome; of no match that ended, or of one that was given up at once, nothing is known.

    Args:
        rounds: in order.
        clans: clan of each player, by number.
    """
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
