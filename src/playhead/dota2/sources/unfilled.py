"""Why tables of Dota 2 leave columns empty in a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from playhead.dota2.sources.roster import RESOURCE_CLASS, TEAM_DATA
from playhead.source2.playback.declared import DeclaredFields
from playhead.source2.playback.recording import Recording

_NO_HORN = (
    "the recording has no time of the horn: m_flGameStartTime of the game rules is 0, and they count down to none"
)
_NO_END = "nothing of the table ended in the recording"
_NO_REPORT = "the recording lacks the game's own report (DOTA_UM_MatchDetails, message 558)"
_NOT_REACHED = "the game's clock does not reach option until (10:00) in the recording, or no player has the field"
_FELL = "nothing of the table fell, or the combat log has no DEATH entry of it"
_NO_AEGIS = "no chat event tells of an Aegis that was taken or denied"
_DRAFTED = (
    "the draft was over before the recording, or only FileInfo has it: no step was seen in the game rules or in "
    "CDOTA_PlayerResource"
)
_TURNS = "the game mode has no turns, or the draft was over before the recording"
_OUT_OF_SIGHT = "the recording sends no hero of a player: a player's recording has only what the player could see"
_OFFICIAL = "official_duration_seconds first_blood_seconds pre_game_seconds radiant_score dire_score".split()
_DEATH = "attacker attacker_player attacker_hero attacker_team attacker_side".split()
_OF_ATTACKER = (
    "attacker_level attacker_x attacker_y attacker_net_worth assister_players smoked solo_kill multi_kill "
    "kill_streak"
).split()
_END = "end_tick end_seconds end_game_seconds end_x end_y".split()

_OF_LANES = (
    "tick seconds game_seconds lane lane_id role role_id roaming opponent_players kills deaths assists denies "
    "last_hits net_worth gold_earned gold_lead lane_gold_lead xp xp_lead lane_xp_lead lane_efficiency lane_outcome"
).split()

# Columns, and the reason.
_REASONS: tuple[tuple[Iterable[str], str], ...] = (
    (
        (
            "*.game_seconds",
            "*.paused",
            "match.horn_tick",
            "player_stats.gpm",
            "player_stats.xpm",
        ),
        _NO_HORN,
    ),
    ((f"*.{name}" for name in _END), _NO_END),
    (("match.end_tick", "match.end_seconds", "match.end_game_seconds"), "the recording ends before the match"),
    (("match.duration_seconds",), "the recording lacks the horn or the end of the match"),
    (
        ("match.winner_side", "player_stats.result", "periods.winner_side"),
        "FileInfo and the game rules (m_nGameWinner) name no winner",
    ),
    (("match.game_mode", "match.game_mode_id"), "FileInfo and the game rules (m_iGameMode) have no mode"),
    (("match.league_id", "match.end_time"), "FileInfo does not have it"),
    (
        (f"match.{side}_team_{name}" for side in ("radiant", "dire") for name in ("id", "name", "tag")),
        "FileInfo and the entity of the team (CDOTATeam) name no registered team",
    ),
    (
        (f"match.{side}_{kind}_status" for side in ("radiant", "dire") for kind in ("tower", "barracks")),
        "the recording has neither the game's own report (message 558) nor these buildings",
    ),
    ((f"match.{name}" for name in _OFFICIAL), _NO_REPORT),
    ((f"{table}.{name}" for table in ("structures", "bosses", "couriers") for name in _DEATH), _FELL),
    (("structures.denied",), _FELL),
    ((f"bosses.aegis{name}" for name in ("", "_player", "_tick", "_outcome", "_end_tick")), _NO_AEGIS),
    (("bosses.drops",), "no Roshan died in the recording"),
    (("couriers.delivered",), "no courier delivered in the recording"),
    (("objective_events.boss",), "no boss died in the recording"),
    (("draft.tick", "draft.seconds"), _DRAFTED),
    (("draft.game_seconds",), f"{_DRAFTED}; or {_NO_HORN}"),
    (("draft.active_team", "draft.used_seconds"), _TURNS),
    (
        ("draft.radiant_reserve_seconds", "draft.dire_reserve_seconds"),
        "no step was seen in the game rules, or they have no m_fExtraTimeRemaining",
    ),
    ((f"lanes.{name}" for name in _OF_LANES), _NOT_REACHED),
    (("lanes.position",), "the match is shorter than 12 minutes, or lacks the gold or last hits of a player"),
    (("ability_upgrades.level",), "the heroes' entities have no m_iCurrentLevel"),
    (
        (f"kills.{name}" for name in (*_DEATH, *_OF_ATTACKER)),
        "the log has no DEATH entry of these deaths, or no player's hero attacked",
    ),
    (("kills.inflictor",), "no DEATH entry of a hero names an ability or item"),
    (("modifiers.lua_modifier",), "no modifier was written in Lua, as those of custom games are"),
    (("chat.hero", "player_stats.hero"), "no writer is a player with a hero, of whom the recording has the name"),
    (("player_stats.bot",), "neither FileInfo nor CDOTA_PlayerResource (m_bFakeClient) says it"),
    (("player_stats.rank_tier",), "no player has a medal (m_iRankTier)"),
    (
        ("player_stats.facet",),
        "the build has no facets, or none of m_iHeroFacetKey, m_nSelectedHeroVariant and the game's report",
    ),
    (
        (f"player_stats.{name}" for name in ("items", "backpack", "stash", "teleport", "neutral_items")),
        _OUT_OF_SIGHT,
    ),
    (
        ("player_series.respawn_seconds", "player_stats.respawn_seconds"),
        "no player waits for a respawn in the sampled rows (m_iRespawnSeconds is -1)",
    ),
    (("player_series.buyback_cost",), "the recording is older than patch 7.32e, or has no net worth"),
    (
        (f"player_series.{name}" for name in "alive x y cell_x cell_y".split()),
        _OUT_OF_SIGHT,
    ),
    (
        (f"team_series.{name}_lead" for name in ("gold", "xp", "net_worth")),
        "the recording lacks the data of a side: a player's recording has that of its own",
    ),
    (
        ("team_series.radiant_win_probability",),
        "the recording has no CDOTA_DataSpectator with m_fRadiantWinProbability, which only spectators get",
    ),
    (
        (f"inputs.{name}" for name in ("x", "y", "target_entity_name", "queued")),
        "no order in the recording has it",
    ),
    (
        ("chat_wheel.phrase", "orders.ability", "inputs.ability", "pings.ability"),
        "the optional package of names is not installed, or lacks the numbers",
    ),
    (
        (f"inputs.{name}" for name in "command_number client_tick pitch yaw mouse_x mouse_y details".split()),
        "no player made the recording, so that it lacks the commands of a client",
    ),
    (("periods.by_player", "periods.by_team", "periods.by_side"), "no pause names its author"),
    (("string_tables.seconds",), "no entry came after the sign-on"),
)
_KNOWN = {name: reason for names, reason in _REASONS for name in list(names)}


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
