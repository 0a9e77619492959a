"""Why tables of Dota 2 leave columns empty in a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from playhead.dota2.sources.roster import RESOURCE_CLASS, TEAM_DATA
from playhead.source2.facts.null_reasons import reasons_by_column
from playhead.source2.playback.recording import DeclaredFields, Recording

_NO_HORN = (
    "the recording has no time of the horn: m_flGameStartTime of the game rules is 0, and they count down to none"
)
_NO_REPORT = "the recording lacks the game's own report (DOTA_UM_MatchDetails, message 558)"
_DRAFTED = (
    "the draft was over before the recording, or only FileInfo has it: no step was seen in the game rules or in "
    "CDOTA_PlayerResource"
)
_DEATH = "attacker attacker_player attacker_hero attacker_team attacker_side"
_ATTACKER = (
    "attacker_level attacker_x attacker_y attacker_net_worth assister_players smoked solo_kill multi_kill "
    "kill_streak"
)
#: Tables that are made of the combat log alone, and columns that only it fills.
OF_LOG = frozenset(
    (
        *"ability_uses buybacks combat_totals damage death_damage fight_players fights gold heals".split(),
        *"item_uses smoke_members smoke_uses unit_deaths xp item_events.gold item_events.item".split(),
        *(f"kills.{name}" for name in f"{_DEATH} {_ATTACKER} gold_lost inflictor".split()),
    )
)
_TEAM = "radiant_team_id radiant_team_name radiant_team_tag dire_team_id dire_team_name dire_team_tag"
_STATUS = "radiant_tower_status radiant_barracks_status dire_tower_status dire_barracks_status"
_KNOWN = reasons_by_column(
    (
        (_NO_HORN, "*: game_seconds paused; match: horn_tick; player_stats: gpm xpm"),
        ("nothing of the table ended in the recording", "*: end_tick end_seconds end_game_seconds end_x end_y"),
        ("the recording ends before the match", "match: end_tick end_seconds end_game_seconds"),
        ("the recording lacks the horn or the end of the match", "match: duration_seconds"),
        (
            "FileInfo and the game rules (m_nGameWinner) name no winner",
            "match: winner_side; player_stats: result; periods: winner_side",
        ),
        ("FileInfo and the game rules (m_iGameMode) have no mode", "match: game_mode game_mode_id"),
        ("FileInfo does not have it", "match: league_id end_time"),
        ("FileInfo and the entity of the team (CDOTATeam) name no registered team", f"match: {_TEAM}"),
        ("the recording has neither the game's own report (message 558) nor these buildings", f"match: {_STATUS}"),
        (
            _NO_REPORT,
            "match: official_duration_seconds first_blood_seconds pre_game_seconds radiant_score dire_score",
        ),
        (
            "nothing of the table fell, or the combat log has no DEATH entry of it",
            f"structures: {_DEATH} denied; bosses: {_DEATH}; couriers: {_DEATH}",
        ),
        (
            "no chat event tells of an Aegis that was taken or denied",
            "bosses: aegis aegis_player aegis_tick aegis_outcome aegis_end_tick",
        ),
        ("no Roshan died in the recording", "bosses: drops"),
        ("no courier delivered in the recording", "couriers: delivered"),
        ("no boss died in the recording", "objective_events: boss"),
        (_DRAFTED, "draft: tick seconds"),
        (f"{_DRAFTED}; or {_NO_HORN}", "draft: game_seconds"),
        (
            "the game mode has no turns, or the draft was over before the recording",
            "draft: active_team used_seconds",
        ),
        (
            "no step was seen in the game rules, or they have no m_fExtraTimeRemaining",
            "draft: radiant_reserve_seconds dire_reserve_seconds",
        ),
        (
            "the game's clock does not reach option until (10:00) in the recording, or no player has the field",
            "lanes: tick seconds game_seconds lane lane_id role role_id roaming opponent_players kills deaths "
            "assists denies last_hits net_worth gold_earned gold_lead lane_gold_lead xp xp_lead lane_xp_lead "
            "lane_efficiency lane_outcome",
        ),
        (
            "the match is shorter than 12 minutes, or lacks the gold or last hits of a player",
            "lanes: position",
        ),
        ("the heroes' entities have no m_iCurrentLevel", "ability_upgrades: level"),
        (
            "the log has no DEATH entry of these deaths, or no player's hero attacked",
            f"kills: {_DEATH} {_ATTACKER}",
        ),
        ("no DEATH entry of a hero names an ability or item", "kills: inflictor"),
        ("no modifier was written in Lua, as those of custom games are", "modifiers: lua_modifier"),
        (
            "no writer is a player with a hero, of whom the recording has the name",
            "chat: hero; player_stats: hero",
        ),
        ("neither FileInfo nor CDOTA_PlayerResource (m_bFakeClient) says it", "player_stats: bot"),
        ("no player has a medal (m_iRankTier)", "player_stats: rank_tier"),
        (
            "the build has no facets, or none of m_iHeroFacetKey, m_nSelectedHeroVariant and the game's report",
            "player_stats: facet",
        ),
        (
            "the recording sends no hero of a player: a player's recording has only what the player could see",
            "player_stats: items backpack stash teleport neutral_items; player_series: alive x y cell_x cell_y",
        ),
        (
            "no player waits for a respawn in the sampled rows (m_iRespawnSeconds is -1)",
            "player_series: respawn_seconds; player_stats: respawn_seconds",
        ),
        ("the recording is older than patch 7.32e, or has no net worth", "player_series: buyback_cost"),
        (
            "the recording lacks the data of a side: a player's recording has that of its own",
            "team_series: gold_lead xp_lead net_worth_lead",
        ),
        (
            "the recording has no CDOTA_DataSpectator with m_fRadiantWinProbability, which only spectators get",
            "team_series: radiant_win_probability",
        ),
        ("no order in the recording has it", "inputs: x y target_entity_name queued"),
        (
            "the optional package of names is not installed, or lacks the numbers",
            "chat_wheel: phrase; orders: ability; inputs: ability; pings: ability",
        ),
        (
            "no player made the recording, so that it lacks the commands of a client",
            "inputs: command_number client_tick pitch yaw mouse_x mouse_y details",
        ),
        ("no pause names its author", "periods: by_player by_team by_side"),
        ("no entry came after the sign-on", "string_tables: seconds"),
    )
)


def reasons_of(
    recording: Recording,
    of_team: Mapping[str, str],
    of_resource: Mapping[str, str],
    of_hero: Mapping[str, str],
    official: Iterable[str],
) -> dict[str, str]:
    """Return the reasons by table and column (`Replay.unfilled`). `of_team`, `of_resource` and `of_hero` have the
    fields of players' columns in the data of a team, CDOTA_PlayerResource and the hero; `official` are columns of
    the game's own report."""
    declared, team = DeclaredFields(recording), TEAM_DATA.values()
    heroes = [name for name in recording.class_names.values() if name.startswith("CDOTA_Unit_Hero_")]
    found: dict[str, str] = {}
    sources = (
        (of_team, "m_vecDataTeam.0000.", (*team, RESOURCE_CLASS), " or ".join(team)),
        (of_resource, "m_vecPlayerTeamData.0000.", (RESOURCE_CLASS,), RESOURCE_CLASS),
        (of_hero, "", heroes, "the heroes"),
    )
    for columns, row, classes, title in sources:
        for column, field in columns.items():
            reason = (
                f"the recording has no value of {field} of {title} (a player's recording has the own side's)"
                if any(declared.has(each, row + field) for each in classes)
                else f"the recording's build does not declare {field} of {title}"
            )
            found |= {f"{table}.{column}": reason for table in ("player_series", "player_stats")}
    return {**found, **{f"player_stats.{name}": _NO_REPORT for name in official}, **_KNOWN}
