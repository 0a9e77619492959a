"""Schemas of the tables that mean the same thing in every format."""

from __future__ import annotations

from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

INFO = TableSchema.of(
    "info",
    "One row: the facts of `Replay.info`. A format's own columns follow these.",
    Column("format", "string", "Replay family: source2, sc2, teehistorian, or a third party's.", required=True),
    Column("game", "string", "dota2, cs2, deadlock, sc2, hots, ddnet, or a third party's.", required=True),
    Column("game_word", "string", "The game's word in the file: dota, csgo, citadel; null where files have none."),
    *words("version build map map_english start_time end_time played_at played_at_is"),
    word("duration_ticks"),
    Column("ticks_per_second", "float64", "Rate of `tick`.", "1/s"),
    word("duration_seconds", "Here `duration_ticks` divided by `ticks_per_second`."),
    *words("winner_team winner_side winner_name"),
    Column("units_per_metre", "float64", "Size of a metre in the unit of `x` and `y`; null if unknown."),
    Column(
        "complete",
        "bool",
        "The recording has its regular end; false for a cut file. Damage before it: `problems`.",
        required=True,
    ),
    Column("source", "string", "Name of the input.", required=True),
    word("details", required=True),
    group="file",
)

PLAYERS = TableSchema.of(
    "players",
    "One row for each participant that the file names. A format's own columns follow these.",
    word("player", "The format's own number (slot, connection); null for spectators of StarCraft II."),
    word("name", "Markup is removed."),
    word("clan"),
    word("kind", "human, computer, observer, referee, or null if the file does not say."),
    *words("team side character result account details!"),
)

CHAT = TableSchema.of(
    "chat",
    "One row for each chat line in the file.",
    *words("tick seconds"),
    word("player", "The author."),
    word("name", "The name shown with the line; null if the file does not say."),
    *words("channel text!"),
)

EVENTS = TableSchema.of(
    "events",
    "One row for each event that `Replay.events` gives, in time order.",
    *words("tick seconds"),
    word("kind", "As `Replay.event_kinds` lists them.", required=True),
    Column(
        "event_id",
        "int64",
        "Number of the event among those of its kind, from 0: with `kind` it names the event in every reading "
        "of the recording.",
        required=True,
    ),
    word("player", "Who acted."),
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
    *words("tick seconds player x y"),
    group="series",
)

INPUTS = TableSchema.of(
    "inputs",
    "What the players did with mouse and keys, as far as the file says. A format's own columns follow these.",
    *words("tick seconds player"),
    word(
        "kind",
        "What was done, in the format's words: the order given (Source 2), command_given, units_selected, "
        "camera_moved … (StarCraft II), input (teehistorian: the state of all keys).",
    ),
    group="log",
)

PERIODS = TableSchema.of(
    "periods",
    "One row for each period of the match, in order of its start; a period may lie in another, as a pause in a "
    "round.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("kind", "warmup, draft, pre_game, knife, round, half, overtime, pause, game, post_game …", required=True),
    *words("number winner_side"),
    word("counts", required=True),
)

#: No table of a replay: reading it needs the whole file. SQL and `Corpus.problems` have it.
PROBLEMS = TableSchema.of(
    "problems",
    "One row for each part that could not be read (`Replay.problems`); needs the whole file.",
    Column(
        "kind",
        "string",
        "Class of the error; of an unreadable input its reason: corrupt, timeout …",
        required=True,
    ),
    Column("where", "string", "The part of the file."),
    Column("offset", "int64", "Byte offset there."),
    Column("tick", "int64", "The format's own time."),
    Column("what", "string", "The error, or the damage.", required=True),
    Column("cost", "string", "The data missing from the result."),
)

#: The tables that mean the same in every format that has them: their columns come first, with these names, types
#: and units.
SHARED = {schema.name: schema for schema in (INFO, PLAYERS, CHAT, EVENTS, POSITIONS, INPUTS, PERIODS)}

#: Tables to which a format may append own columns; those of info and players are the items of `details` with the
#: same names.
OPEN_ENDED = frozenset(schema.name for schema in (INFO, PLAYERS, CHAT, POSITIONS, INPUTS, PERIODS))
