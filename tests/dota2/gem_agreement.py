"""What gem-dota makes of a recording held against playhead's tables, column by column.

Both tests of agreement use it: that with the sample and that with real recordings. Where the two differ on
purpose, the reason stands beside the comparison.
"""

from __future__ import annotations

from typing import Any

import pytest

from playhead.replay import Replay

# Column of `combat_log`: gem's attribute.
_NAMES = {
    "attacker": "attacker_name",
    "attacker_owner": "damage_source_name",
    "target": "target_name",
    "inflictor": "inflictor_name",
}
_FLAGS = {
    "attacker_is_hero": "attacker_is_hero",
    "target_is_hero": "target_is_hero",
    "attacker_is_illusion": "attacker_is_illusion",
    "target_is_illusion": "target_is_illusion",
}
_OPTIONAL = {
    "visible_radiant": "visible_radiant",
    "visible_dire": "visible_dire",
    "modifier_seconds": "modifier_duration_s",
    "modifier_elapsed_seconds": "modifier_elapsed_duration_s",
    "modifier_purged_seconds": "modifier_purged_duration_s",
    "modifier_purged": "modifier_purged",
    "aura_modifier": "aura_modifier",
    "attacker_team": "attacker_team",
    "target_team": "target_team",
    "server_seconds": "timestamp_s",
    "x": "location_x",
    "y": "location_y",
    "rune_id": "rune_type",
}
_NUMBERS = {"ability_level": "ability_level", "gold_reason_id": "gold_reason", "xp_reason_id": "xp_reason"}


def parse(path: str) -> Any:
    """The recording as gem reads it."""
    gem = pytest.importorskip("gem", reason="gem-dota is not installed: nothing to compare with")
    match = gem.parse(path)
    assert match.parse_error is None
    return match


def agree_on_the_combat_log(replay: Replay, theirs: Any) -> int:
    """Every entry of message 554, in order; returns how many there are.

    gem adds entries of its own making (purchases read off inventories, rune pickups of chat events), which it
    marks by having no source; playhead keeps those facts in tables of their own. gem does not pass on the bulk
    form.
    """
    entries = [entry for entry in theirs.combat_log if entry.source == "s2_direct"]
    rows = [row for row in replay.table("combat_log").to_pylist() if row["form"] == "entry"]
    assert len(rows) == len(entries)
    for row, entry in zip(rows, entries, strict=True):
        assert row["tick"] == entry.tick
        # gem has names for some types only.
        assert entry.log_type in (row["log_type"], "UNKNOWN")
        for ours, name in _NAMES.items():
            assert (row[ours] or "") == getattr(entry, name)
        for ours, name in _FLAGS.items():
            assert bool(row[ours]) == getattr(entry, name)
            assert (row[ours] is not None) == getattr(entry, f"{name}_present")
        for ours, name in _OPTIONAL.items():
            assert row[ours] == getattr(entry, name), ours
        for ours, name in _NUMBERS.items():
            assert (row[ours] or 0) == getattr(entry, name)
        assert (row["value"] or 0) == entry.value
        assert (row["item"] or "") == entry.value_name
        assert (row["stun_seconds"] or 0.0) == entry.stun_duration
        assert bool(row["will_reincarnate"]) == entry.will_reincarnate
    return len(rows)


def agree_on_players(replay: Replay, theirs: Any, *, gold_late: int = 0) -> None:
    """Who played, and how they stood at the end.

    gem takes its last sample while entities of the last packet are still coming, so that one side's gold can be a
    packet old: by no more than `gold_late`.
    """
    rows = replay.table("player_stats").to_pylist()
    assert len(rows) == len(theirs.players) == 10
    for row, player in zip(rows, theirs.players, strict=True):
        assert row["player"] == player.player_id
        assert (row["team"], row["hero"]) == (player.team, player.hero_name)
        assert (row["account"] or "0") == str(player.steam_id)
        for ours in ("last_hits", "denies", "level", "camps_stacked", "tower_kills", "rune_pickups"):
            assert (row[ours] or 0) == getattr(player, ours), ours
        assert (row["observer_wards_placed"] or 0) == player.obs_placed
        assert (row["sentry_wards_placed"] or 0) == player.sen_placed
        assert 0 <= (row["gold_reliable"] or 0) + (row["gold_unreliable"] or 0) - player.gold <= gold_late
        assert 0 <= row["net_worth"] - player.net_worth <= gold_late
        # gem names a bot by its account, which has none; playhead by its entity.
        assert player.player_name in ("", row["name"])


def agree_on_items(replay: Replay, theirs: Any) -> None:
    """What each hero held at the end; gem has the first seventeen slots by number."""
    for row, player in zip(replay.table("player_stats").to_pylist(), theirs.players, strict=True):
        places = ("items", "backpack", "stash", "teleport", "neutral_items")
        ours = [item for place in places for item in row[place] or ()]
        assert ours == [player.final_items[slot] for slot in sorted(player.final_items) if slot < 17]


def agree_on_the_match(replay: Replay, theirs: Any) -> None:
    """The match as a whole."""
    (row,) = replay.table("match").to_pylist()
    # gem reads the number of the match as 32 bits where FileInfo does not have it.
    assert theirs.match_id in (row["match_id"], row["match_id"] & 0xFFFFFFFF)
    assert theirs.game_mode == row["game_mode_id"]
    assert theirs.radiant_win == (None if row["winner_side"] is None else row["winner_side"] == "radiant")
    assert (theirs.radiant_score, theirs.dire_score) == (row["radiant_kills"] or 0, row["dire_kills"] or 0)
    assert (theirs.radiant_team_tag, theirs.dire_team_tag) == (
        row["radiant_team_tag"] or "",
        row["dire_team_tag"] or "",
    )
    # The tokens of the game's own texts are no names of teams.
    assert theirs.radiant_team_name in (row["radiant_team_name"], "#DOTA_GoodGuys")
    assert theirs.dire_team_name in (row["dire_team_name"], "#DOTA_BadGuys")


def agree_on_the_clock(replay: Replay, theirs: Any) -> None:
    """Pauses, and the clock where gem has one: it has none before the horn, playhead counts down to it."""
    pauses = [row for row in replay.table("periods").to_pylist() if row["kind"] == "pause"]
    assert [(row["tick"], row["end_tick"]) for row in pauses] == [
        (pause.start_tick, pause.end_tick) for pause in theirs.game_clock.pauses
    ]
    for row in replay.table("combat_log").to_pylist():
        at = theirs.game_clock.game_time_at(row["tick"])
        if at is not None:
            assert row["game_seconds"] == pytest.approx(at, abs=1e-3)


def agree_on_the_draft(replay: Replay, theirs: Any) -> None:
    """What gem saw of the draft; it reads captain's modes only, and nothing of recordings that begin later."""
    rows = {(row["action"] == "pick", row["hero_id"]) for row in replay.table("draft").to_pylist()}
    for event in theirs.draft:
        assert (event.is_pick, event.hero_id) in rows
