"""Table ``post_match``: the statistics of the game's own summary, by player, source and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME
from playhead.deadlock.sources.heroes import hero_name
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.errors import ReplayError
from playhead.source2.messages.definitions import decoder, enumeration
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

CONTENTS = "CMsgMatchMetaDataContents"
#: Teams of the summary: 0 is the Hidden King, 1 the Archmother; other numbers are no team.
TEAMS = {0: 2, 1: 3, "k_ECitadelLobbyTeam_Team0": 2, "k_ECitadelLobbyTeam_Team1": 3}
_TOTALS = "kills deaths assists net_worth last_hits denies level ability_points assigned_lane mvp_rank".split()

POST_MATCH = TableSchema.of(
    "post_match",
    "One row for each number in the message PostMatchDetails (CMsgMatchMetaDataContents): totals of each "
    "player, and its counters at each time of the summary, alone or by source of souls.",
    *TIME,
    Column("player", "int32", "Number of the player: player_slot of the summary."),
    Column("account", "int64", "account_id: the lower half of the Steam id."),
    Column("hero", "category", "Hero; null if the number has no name."),
    Column("hero_id", "int32", "hero_id of the summary."),
    Column("team", "int32", "2 is the Hidden King, 3 the Archmother; null if the summary has neither."),
    Column("match_seconds", "int32", "time_stamp_s: the game's time of the counter; null for totals.", "s"),
    Column("source", "category", "Source of the souls (EGoldSource without its prefix); null otherwise."),
    Column("stat", "category", "Name of the field."),
    Column("value", "int64", "Its value, a sum since the start of the match."),
)


def summary(match: DeadlockMatch, tick: int, fields: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return match_info of a message PostMatchDetails; empty, with a problem, if it is damaged."""
    try:
        contents = decoder(CONTENTS, match.game).decode(fields.get("match_details", b""))
    except ReplayError as error:
        match.problem(error, tick, "the summary of the match")
        return {}
    info: Mapping[Any, Any] = contents.get("match_info") or {}
    return info


@TABLES.maker_of(POST_MATCH)
class PostMatch(DeadlockFacts):
    """Table ``post_match``."""

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_PostMatchDetails", self._on_details)

    def _on_details(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for player in summary(self.match, tick, fields).get("players", ()):
            hero, team = player.get("hero_id") or None, player.get("team")
            head = {
                "tick": tick,
                "player": player.get("player_slot"),
                "account": player.get("account_id"),
                "hero_id": hero,
                "hero": hero_name(hero),
                "team": TEAMS.get(0 if team is None else team),
            }
            for row in self._numbers(player):
                self._rows.append(head | row)

    def _numbers(self, player: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
        for name in _TOTALS:
            if name in player:
                yield {"stat": name, "value": player[name]}
        sources = {
            number: name for name, number in enumeration(f"{CONTENTS}.EGoldSource", self.match.game).items()
        }
        for stats in player.get("stats", ()):
            at = {"match_seconds": stats.get("time_stamp_s")}
            for name, value in stats.items():
                if isinstance(name, str) and isinstance(value, int) and name != "time_stamp_s":
                    yield at | {"stat": name, "value": value}
            for entry in stats.get("gold_sources", ()):
                source = entry.get("source")
                word = str(sources.get(source, source)).removeprefix("k_e")
                for name, value in entry.items():
                    if name != "source" and isinstance(value, int):
                        yield at | {"stat": str(name), "value": value, "source": word}
