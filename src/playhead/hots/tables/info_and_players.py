"""The format's own columns of the shared tables ``info`` and ``players``; each is an item of `details` too."""

from __future__ import annotations

from playhead.tables import shared
from playhead.tables.schema import Column
from playhead.tables.vocabulary import word, words

INFO = shared.INFO.extended(
    word(
        "mode",
        "Quick Match, Cooperative, Brawl, Practice, Unranked Draft, Hero League, Team League, Storm League, ARAM "
        "or Custom; null for a queue that is not known.",
    ),
    Column("queue_id", "int64", "Number of the queue of matchmaking; null before 2016."),
    Column("team_size", "category", "Such as 5v5."),
    Column("game_speed", "category", "slower, slow, normal, fast, faster."),
    Column("drafts_first", "category", "coin toss, team 1 or team 2."),
    Column("lobby_mode", "category", "standard, draft or tournament draft."),
    Column("ban_mode", "category", "no bans, one ban, two bans, mid ban, three bans; null before 2016."),
    Column("ready_mode", "category", "How players take their turns."),
    Column("privacy", "category", "normal or no match history."),
    word("region", "Of the accounts: US, EU, KR, CN, PTR."),
    Column("has_computers", "bool", "A computer plays."),
    Column("observers", "int32", "How many watched."),
    Column("random_value", "int64", "From which the game draws its random numbers."),
    *words("lost_parts confidence"),
)

PLAYERS = shared.PLAYERS.extended(
    word("user"),
    word("hero", "Of the lobby; where the game drew it or a computer plays, the last one that the map reports."),
    Column(
        "hero_shown",
        "category",
        "Name of the hero in the language of the client that saved the file; `character` and `hero` are "
        "the game's own word, equal in every language.",
    ),
    word("skin"),
    Column("mount", "category", "Chosen mount, by the game's own name."),
    Column("banner", "category", "Chosen banner."),
    Column("spray", "category", "Chosen spray."),
    Column("announcer", "category", "Chosen announcer."),
    Column("voice_line", "category", "Chosen voice line."),
    Column("party", "int32", "Number of the party, from 1; null for a player alone, and in builds before 51610."),
    Column("has_silence_penalty", "bool", "The player may not chat."),
    Column("has_voice_silence_penalty", "bool", "The player may not talk."),
)
