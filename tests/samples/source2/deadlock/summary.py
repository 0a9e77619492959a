"""Lists of the game's own summary of the written match of Deadlock: damage matrix, paths, items, deaths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.field import Fighter, Row
from tests.samples.source2.deadlock.names import RATE

from playhead.deadlock.sources.names import name_hash

_BOX = {"x_min": -8192.0, "x_max": 8192.0, "y_min": -8192.0, "y_max": 8192.0}


def summary_lists(fighters: Sequence[Fighter], end: int) -> Row:
    """Return matrix, paths and objectives; each player damaged another one and regained as much at the end."""
    dealers = []
    for each in fighters:
        totals = [each.hero_damage // 2, each.hero_damage]
        hit = {"target_player_slot": len(fighters) - 1 - each.player, "damage": totals}
        healed = {"target_player_slot": each.player, "damage": totals[1:]}
        sources = [
            {"source_details_index": 0, "damage_to_players": [hit]},
            {"source_details_index": 1, "damage_to_players": [healed]},
        ]
        dealers.append({"dealer_player_slot": each.player, "damage_sources": sources})
    details = {"stat_type": [0, 5], "source_name": [names.WEAPON, "regen"]}
    states = {"health": [100, 50], "combat_type": [0, 1], "move_type": [6, 2]}
    paths = [
        {"player_slot": each.player, **_BOX, "x_pos": [8192, 16384], "y_pos": [0, 4096 + each.player], **states}
        for each in fighters
    ]
    objective = {"team_objective_id": 1, "team": 1, "destroyed_time_s": 60, "first_damage_time_s": 55}
    return {
        "damage_matrix": {"damage_dealers": dealers, "sample_time_s": [end // 2, end], "source_details": details},
        "match_paths": {"interval_s": 2.5, "x_resolution": 16384, "y_resolution": 16384, "paths": paths},
        "objectives": [objective | {"player_damage": 4000}],
    }


def sent_items(rows: Mapping[str, list[Row]], player: int, drop: int) -> list[Row]:
    """Return the items that a player bought."""
    return [
        {"game_time_s": (row["tick"] - drop) // RATE, "item_id": name_hash(row["item"]), "flags": row["change_id"]}
        for row in rows["item_events"]
        if row["player"] == player and row["change_id"] < 2
    ]


def sent_deaths(rows: Mapping[str, list[Row]], player: int, drop: int, respawn: int) -> list[Row]:
    """Return the deaths of a player."""
    same = {"time_to_kill_s": 1.5, "death_duration_s": respawn // RATE}
    return [
        {"game_time_s": (row["tick"] - drop) // RATE, "killer_player_slot": row["attacker_player"], **same}
        | {"death_pos": {"x": row["victim_x"], "y": row["victim_y"]}}
        for row in rows["kills"]
        if row["victim_player"] == player
    ]
