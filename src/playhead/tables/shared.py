"""Schemas of the tables that mean the same thing in every format."""

from __future__ import annotations

from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

TICK = Column(
    "tick",
    "int32",
    "The format's own time: demo tick (Source 2; -1 for sign-on), game loop (StarCraft II), server tick "
    "(teehistorian).",
    "ticks",
)
SECONDS = Column(
    "seconds",
    "float64",
    "`tick` divided by `ticks_per_second` of table `info`: time since the start of the recording as it passed for "
    "Source 2 and teehistorian, the clock that the game shows for StarCraft II (Dota 2 shows `game_seconds`).",
    "s",
)

INFO = TableSchema.of(
    "info",
    "One row: the facts of `Replay.info`. A format's own columns follow these.",
    Column("format", "string", "Replay family: source2, sc2, teehistorian, or a third party's.", required=True),
    Column("game", "string", "The game: dota, csgo, citadel, sc2, ddnet and so on.", required=True),
    Column("version", "string", "Version as the game writes it; null if the file does not say."),
    Column("build", "int64", "Build number that decides the encoding; null if the file does not say."),
    Column("map", "string", "Map name as the file has it, possibly localised."),
    Column("start_time", "timestamp", "When the recording began; null if the file does not say."),
    Column("end_time", "timestamp", "When it ended; null if the file does not say."),
    Column("duration_ticks", "int64", "Length in the format's own time.", "ticks"),
    Column("ticks_per_second", "float64", "Rate of that time.", "1/s"),
    Column("duration_seconds", "float64", "`duration_ticks` divided by `ticks_per_second`.", "s"),
    Column("winner", "string", "Winning side or player as the file has it; null if it does not say."),
    Column("complete", "bool", "The recording has its regular end; false for a cut file.", required=True),
    Column("source", "string", "Name of the input.", required=True),
    Column("details", "string", "The format's own facts as a JSON object.", required=True),
)

PLAYERS = TableSchema.of(
    "players",
    "One row for each participant that the file names. A format's own columns follow these.",
    Column(
        "player",
        "int32",
        "The format's own number of the participant (slot, client id); null for who has none, as those who "
        "only watch StarCraft II.",
    ),
    Column("name", "string", "Display name, markup removed."),
    Column("clan", "string", "Clan or team tag shown with the name."),
    Column("kind", "category", "human, computer, observer, referee, or null if the file does not say."),
    Column("team", "int32", "Number of the side, as the format counts; null if unknown."),
    Column("side", "string", "Name of the side where sides have names (radiant, dire)."),
    Column("character", "string", "Hero, race or skin played, as the file has it."),
    Column("result", "category", "win, loss, tie, or null if the file does not say."),
    Column("account", "string", "Account in the platform's own notation (Steam id, toon handle)."),
    Column("details", "string", "The format's own facts as a JSON object.", required=True),
    version=2,
)

CHAT = TableSchema.of(
    "chat",
    "One row for each chat line in the file.",
    TICK,
    SECONDS,
    Column("player", "int32", "Who spoke, as in `players`; null if the file does not say."),
    Column("name", "string", "The name shown with the line; null if the file does not say."),
    Column("channel", "category", "all, team, observers, … as the format names it."),
    Column("text", "string", "The line; bytes that are no UTF-8 are replaced by U+FFFD.", required=True),
)

PLAYER = Column(
    "player", "int32", "Who, as in `players`; null for nobody, and where the file does not say or it is not known."
)

EVENTS = TableSchema.of(
    "events",
    "One row for each event that `Replay.events` gives, in time order.",
    TICK,
    SECONDS,
    Column("kind", "category", "Short word for what happened, as `Replay.event_kinds` lists them.", required=True),
    PLAYER,
    Column(
        "payload",
        "string",
        'The fields of its kind as a JSON object; bytes are ``{"hex": …}``, and a float that JSON cannot say '
        "is a string.",
        required=True,
    ),
    is_copy=True,
)

POSITIONS = TableSchema.of(
    "positions",
    "Where the players, or what belongs to them, were. A format's own columns follow these.",
    TICK,
    SECONDS,
    PLAYER,
    Column(
        "x",
        "float64",
        "To the right, in the game's own unit of length: world units (Source 2), cells (StarCraft II), 1/32 "
        "of a tile (teehistorian).",
        "map units",
    ),
    Column(
        "y",
        "float64",
        "In the same unit; upwards from the map's lower edge or centre (Source 2, StarCraft II), downwards "
        "from its upper edge (teehistorian).",
        "map units",
    ),
)

INPUTS = TableSchema.of(
    "inputs",
    "What the players did with mouse and keys, as far as the file says. A format's own columns follow these.",
    TICK,
    SECONDS,
    PLAYER,
    Column(
        "kind",
        "category",
        "What was done, in the format's words: the order given (Source 2), command, selection, camera … "
        "(StarCraft II), input (teehistorian: the state of all keys).",
    ),
)

PERIODS = TableSchema.of(
    "periods",
    "One row for each period of the match, in order of its start; periods may lie in others, as a pause in a round.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("kind", "warmup, draft, pre_game, knife, round, half, overtime, pause, game, post_game …", required=True),
    *words("number winner_side"),
    word("counts", required=True),
)

#: The tables that mean the same in every format that has them: their columns come first, with these names, types
#: and units.
SHARED = {schema.name: schema for schema in (INFO, PLAYERS, CHAT, EVENTS, POSITIONS, INPUTS)}

#: Tables to which a format may append own columns; those of info and players are the items of `details` with the
#: same names.
OPEN_ENDED = frozenset(schema.name for schema in (INFO, PLAYERS, CHAT, POSITIONS, INPUTS))
