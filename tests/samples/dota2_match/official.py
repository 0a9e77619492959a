"""The game's own summary of the written match, message 558."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.samples.dota2_match.plan import DIRE, HORN, PLAYERS, RADIANT, RATE
from tests.samples.source2.encoding import encode_message

from playhead.source2.writing.demo import InnerMessage

_FIRST_BLOOD = 44
#: The player who abandoned the match.
_LEAVER = 3
# Number of each permanent buff, and its owner.
_BUFFS = ((1, 7), (2, 2), (12, 2))


def official_result(
    last: int, wealth: Sequence[Mapping[str, int]], kills: Mapping[int, int]
) -> tuple[dict[str, Any], InnerMessage]:
    """Return the summary as told, and as sent, without the masks of buildings.

    Args:
        last: length of the match in ticks.
        wealth: what each player has.
        kills: kills by side.
    """
    told, sent = [], []
    for player in PLAYERS:
        numbers = {
            "gpm": 410 + 7 * player,
            "xpm": 520 + 5 * player,
            "hero_damage": 9000 + player,
            "tower_damage": 100 * player,
            "healing": 3 * player,
            "gold": 11 * player,
            "gold_spent": wealth[player]["gold_earned"] - 11 * player,
            "net_worth": wealth[player]["net_worth"],
        }
        buffs = [number for number, owner in _BUFFS if owner == player]
        told.append({**numbers, "scepter": 2 in buffs, "shard": 12 in buffs, "moonshard": 1 in buffs})
        names = {"gpm": "gold_per_min", "xpm": "xp_per_min", "healing": "hero_healing"}
        sent.append(
            {names.get(name, name): value for name, value in numbers.items()}
            | {"player_slot": player if player < 5 else 123 + player}
            | {"leaver_status": 2 * (player == _LEAVER), "selected_facet": 1 + player % 3}
            | {"permanent_buffs": [{"permanent_buff": number, "stack_count": 1} for number in buffs]}
        )
    facts = {"duration": last // RATE, "first_blood": _FIRST_BLOOD, "pre_game": HORN // RATE}
    scores = {"radiant_score": kills[RADIANT], "dire_score": kills[DIRE]}
    message = {
        "duration": facts["duration"],
        "first_blood_time": facts["first_blood"],
        "pre_game_duration": facts["pre_game"],
        "radiant_team_score": kills[RADIANT],
        "dire_team_score": kills[DIRE],
        "cluster": 181,
        "lobby_type": 7,
        "human_players": 10,
        "players": sent,
    }
    return {**facts, **scores, "players": told}, encode_message("dota2", "CMsgDOTAMatch", message)
