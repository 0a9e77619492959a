"""The format's own columns of the shared tables ``info`` and ``players``; each is an item of `details` too."""

from __future__ import annotations

from playhead.tables import shared
from playhead.tables.schema import Column
from playhead.tables.vocabulary import word

INFO = shared.INFO.extended(
    Column(
        "matchup",
        "category",
        "Races of the teams by first letters, in alphabetical order: PvT, PTvTZ; null if one is unknown.",
    ),
    Column("expansion", "category", "Game whose data it was played with: WoL, HotS or LotV."),
    Column("map_hash", "string", "SHA-256 of the map's file, as 64 hexadecimal digits."),
    Column("resumed_tick", "int32", "When the game was resumed from a replay; null if it was not.", "ticks"),
    word(
        "mode",
        "Teams: 1v1, 2v2, 1v2 …, FFA; archon (two share an army), co-op (a mission with commanders), arcade (the "
        "map has its own settings). Null if unknown.",
    ),
    Column(
        "game_type",
        "category",
        "Kind of matchmaking: ladder, unranked, training, versus AI, co-op (all by matchmaking), custom, offline. "
        "Ladder includes unranked games in builds without that distinction. Null up to 0.10.",
    ),
    word("region", "Americas, Europe, Korea and Taiwan, China, South-East Asia, public test."),
    Column("map_width", "int32", "From the lobby; null if missing there.", "cells"),
    Column("map_height", "int32", "From the lobby; null if missing there.", "cells"),
    Column(
        "inferred_winner_name",
        "string",
        "Names of the probable winners, only if the file records no result; table `outcomes` has them for every "
        "game.",
    ),
    Column("inferred_winner_team", "int32", "The team of `inferred_winner_name`."),
    Column("winner_evidence", "category", "Evidence for `inferred_winner_team`, as in table `outcomes`."),
    Column(
        "not_recorded",
        "list<string>",
        "Only without a tracker, as before 2.0.8: the tables that are empty because of it.",
    ),
    word(
        "start_tick",
        "Of the game, if that is after the recording's (GameHeart, a casting map of 2012 to 2016, where all are "
        "players in the lobby): its clock is 0:00 then. Null for all others.",
    ),
    word("lost_parts", "A resumed game has lost the tracker's events before."),
    word("confidence"),
)

PLAYERS = shared.PLAYERS.extended(
    word("user"),
    Column(
        "shared_army",
        "int32",
        "Archon mode: number of the shared army, which is `player` of both, here and in every table; its leader "
        "comes first. Join tables of users by `user`. Null without shared armies.",
    ),
    word("race", "The one played; null for an unknown spelling."),
    Column(
        "race_localized",
        "category",
        "The race in the language of the player who saved the replay, as in the details; null without them.",
    ),
    Column("race_picked", "category", "Race chosen in the lobby, or Random."),
    Column(
        "recorded_result",
        "category",
        "The player's own recorded result. If it is undecided, as for players who left early, `result` is that of "
        "the team.",
    ),
    word("region", "Of the account, as in `info`."),
    Column("realm", "int32", "Realm of the account in its region, mostly 1 or 2."),
    Column("league", "category", "Highest 1v1 league of the season: bronze … grandmaster; from 24764 on."),
    word("mmr"),
    word("apm", "As the game counts them; from 3.4 on."),
    word("difficulty"),
    Column("commander", "category", "In co-op."),
    Column("commander_level", "int64", "In co-op."),
    Column("mastery_level", "int64", "In co-op."),
    Column("mastery_talents", "list<int64>", "In co-op: points in each of the six talents."),
    Column("prestige", "int64", "In co-op: number of the prestige chosen."),
)
