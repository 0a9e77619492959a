"""Schemas of the tables that StarCraft II replays have besides ``info`` and ``players``."""

from __future__ import annotations

import re

from playhead.tables import shared
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT, SECONDS, TICK

USER = Column(
    "user",
    "int64",
    "User id in the events: place in the lobby's list of users; up to 1.5 the number, from 1, among the slots "
    "that are taken. Null for none (16).",
)
PLAYER = Column("player", "int64", "Player number as in `players`; null for observers and where it is not known.")
X = Column("x", "float64", "Position from the left edge of the map.", "cells")
Y = Column("y", "float64", "Position from the bottom edge of the map.", "cells")
UNIT = Column("unit", "int64", "Unit tag: index << 18 | recycle; the pair is the identity of a unit.")
UNIT_TYPE = Column("unit_type", "string", "Name of the unit's type, as the game data has it.")
EVENT = Column(
    "event", "category", "Blizzard's name of the event, without ``NNet.Game.`` or ``NNet.Replay.Tracker.``."
)
FIELDS = Column(
    "fields",
    "string",
    "All fields of the event as a JSON object under Blizzard's names. Bit arrays are texts of 0 and 1, first bit "
    'first; bytes that are no UTF-8 are ``{"hex": …}``.',
)
_WHEN = (TICK, SECONDS)
_WHO = (TICK, SECONDS, USER, PLAYER)

MEMBERS = TableSchema(
    name="members",
    version=1,
    doc="One row for each block of the MPQ archive: the files inside the file.",
    columns=(
        Column("name", "string", "Name of the member; null if no known name leads to the block."),
        Column("block", "int32", "Row of the archive's block table."),
        Column("stored_bytes", "int64", "Size in the archive, as declared.", "bytes"),
        Column("unpacked_bytes", "int64", "Size unpacked, as declared.", "bytes"),
        Column("flags", "int64", "The MPQ flags as they are stored."),
        Column(
            "compression",
            "category",
            "bzip2, zlib, stored, or the number of another method; null if the block has no data.",
        ),
        Column("encrypted", "bool", "The data is enciphered with a key made of the name."),
        Column("deleted", "bool", "The row of a member that was removed; its data may be gone."),
    ),
)

GAME_EVENTS = TableSchema(
    name="game_events",
    version=1,
    doc="Every event of ``replay.game.events`` in file order, all fields included.",
    columns=(*_WHO, EVENT, FIELDS),
)

MESSAGE_EVENTS = TableSchema(
    name="message_events",
    version=1,
    doc="Every event of ``replay.message.events`` in file order: chat, pings, loading, connections.",
    columns=(*_WHO, EVENT, FIELDS),
)

TRACKER_EVENTS = TableSchema(
    name="tracker_events",
    version=1,
    doc="Every event of ``replay.tracker.events`` in file order, all fields included. From 2.0.8 on.",
    columns=(*_WHEN, EVENT, FIELDS),
)

EVENT_COUNTS = TableSchema(
    name="event_counts",
    version=1,
    doc="How many events of each kind the three streams have.",
    columns=(
        Column("stream", "category", "game, message or tracker."),
        EVENT,
        Column("kind", "category", "Short word for the event, which `Sc2Replay.events` takes."),
        Column("number", "int64", "Number of the event in the stream; means another event in another build."),
        Column("known", "bool", "The type table names the event; else its fields are under their numbers."),
        Column("count", "int64", "How many there are."),
        Column("first_tick", "int64", "Loop of the first.", "ticks"),
        Column("last_tick", "int64", "Loop of the last.", "ticks"),
    ),
)

PINGS = TableSchema(
    name="pings",
    version=1,
    doc="One row for each ping on the minimap that was sent as a message.",
    columns=(*_WHO, Column("channel", "category", "all, allies, observers …: who saw it."), X, Y),
)

COMMANDS = TableSchema(
    name="commands",
    version=2,
    doc="One row for each order given, and for each update that the game writes instead of repeating the order.",
    columns=(
        *_WHO,
        Column(
            "kind",
            "category",
            "command, or update_point or update_unit: the last command of the user, repeated with another target.",
        ),
        Column("flags", "int64", "The command's flags as they are stored; bits differ by build."),
        Column("updates", "int64", "How often the command was repeated by updates; null for an update itself."),
        Column(
            "ability",
            "category",
            "Name of the ability's command, from the user's own catalog or an installed sc2reader; null without "
            "either. Mods of the map may shift the numbers that the names are found by.",
        ),
        Column(
            "ability_link",
            "int64",
            "Catalog index of the ability in the build's data; null for a smart command. Of an update, that of "
            "the command that it repeats, as are the two that follow.",
        ),
        Column("ability_index", "int64", "Which command of the ability."),
        Column("ability_data", "int64", "Extra data of the ability."),
        Column("target", "category", "none, point, unit or data."),
        X,
        Y,
        Column("z", "float64", "Height of the target.", "cells"),
        Column("target_unit", "int64", "Unit tag of the target."),
        Column("target_unit_link", "int64", "Catalog index of the target's unit type, as the player saw it."),
        Column("target_player", "int64", "Player who controlled the target, as the player saw it."),
        Column("data", "int64", "The number that is the target, where `target` is data."),
        Column("sequence", "int64", "Number of the command; from 34784 on."),
        Column("other_unit", "int64", "Unit tag of another unit concerned."),
    ),
)

SELECTIONS = TableSchema(
    name="selections",
    version=2,
    doc="One row for each change of a selection or of a control group's content.",
    columns=(
        *_WHO,
        Column("group", "int64", "Control group that changes; 10 is the active selection."),
        Column("subgroup", "int64", "Subgroup that is active afterwards."),
        Column("remove", "category", "none, mask (units to remove), one_indices (remove) or zero_indices (keep)."),
        Column("remove_indices", "list<int64>", "Places in the old selection that `remove` speaks of."),
        Column("added_links", "list<int64>", "Catalog index of the unit type of each added subgroup."),
        Column("added_counts", "list<int64>", "How many units of each."),
        Column("added_units", "list<int64>", "Unit tags of the added units."),
        Column("units", "list<int64>", "Unit tags in `group` afterwards, in ascending order."),
    ),
)

CONTROL_GROUPS = TableSchema(
    name="control_groups",
    version=2,
    doc="One row for each use of a control group.",
    columns=(
        *_WHO,
        Column("group", "int64", "Number of the group, 0 to 9."),
        Column("action", "category", "set, append, recall, clear, steal, steal_append; else the number."),
        Column("remove", "category", "As in `selections`: which of the group's units are gone by now."),
        Column("remove_indices", "list<int64>", "Places in the group that `remove` speaks of."),
        Column(
            "units",
            "list<int64>",
            "Unit tags in the group afterwards; after a recall, in the active selection. Ascending.",
        ),
    ),
)

CAMERA = TableSchema(
    name="camera",
    version=1,
    doc="One row for each move of a player's camera.",
    columns=(
        *_WHO,
        X,
        Y,
        Column("distance", "int64", "As stored; null if it did not change."),
        Column("pitch", "int64", "As stored; null if it did not change."),
        Column("yaw", "int64", "As stored; null if it did not change."),
        Column("reason", "int64", "Why it moved; null for a move by the player or in builds that do not tell."),
    ),
)

LEAVES = TableSchema(
    name="leaves",
    version=1,
    doc="One row for each user who left the game.",
    columns=(*_WHO, Column("reason", "int64", "The game's number of the reason; from 34784 on.")),
)

SYNC = TableSchema(
    name="sync",
    version=1,
    doc="Checksums by which the players' games were compared: every loop in betas, every 64 loops since.",
    columns=(
        *_WHEN,
        Column("flag", "int64", "One bit; always 1 so far."),
        Column("checksum", "int64", "16 bits."),
    ),
)

RESUME_POINTS = TableSchema(
    name="resume_points",
    version=1,
    doc="Markers of ``replay.resumable.events``: who left where, for taking the game over from the replay.",
    columns=(
        *_WHEN,
        Column("kind", "int64", "0 to 3."),
        USER,
        Column("color", "int64", "Alpha, red, green, blue from the highest byte down; null in betas."),
        Column("name", "string", "Name of the user; null in betas."),
    ),
)

UNITS = TableSchema(
    name="units",
    version=1,
    doc="One row for each unit that the tracker knows: where it came from and what became of it.",
    columns=(
        UNIT,
        Column("unit_index", "int64", "Index of the unit; used again for later units."),
        Column("unit_recycle", "int64", "How often the index had been used."),
        UNIT_TYPE,
        Column("first_type", "string", "Type at its birth; differs where it changed."),
        Column("type_changes", "int64", "How often its type changed."),
        PLAYER,
        Column("first_player", "int64", "Player at its birth."),
        Column("init_tick", "int64", "Start of construction; null where it came complete.", "ticks"),
        Column("born_tick", "int64", "When it was born or its construction done; null if never.", "ticks"),
        Column("died_tick", "int64", "When it died or left the map; null if never.", "ticks"),
        X,
        Y,
        Column("died_x", "float64", "Where it died.", "cells"),
        Column("died_y", "float64", "Where it died.", "cells"),
        Column("killer_player", "int64", "Player who killed it."),
        Column("killer_unit", "int64", "Unit tag of the killer."),
        Column("creator_unit", "int64", "Unit tag of its creator."),
        Column("creator_ability", "string", "Ability that created it."),
    ),
)

UNIT_CHANGES = TableSchema(
    name="unit_changes",
    version=1,
    doc="One row for each change of a unit's type or owner, in file order.",
    columns=(
        *_WHEN,
        UNIT,
        Column("change", "category", "type or owner."),
        UNIT_TYPE,
        PLAYER,
        Column("old_type", "string", "Type before; null where the tracker never told of the unit."),
        Column("old_player", "int64", "Player before; null where the tracker never told of the unit."),
    ),
)

#: Blizzard's names of the statistics, without ``m_scoreValue``.
STATS = (
    "MineralsCurrent VespeneCurrent MineralsCollectionRate VespeneCollectionRate WorkersActiveCount "
    "MineralsUsedInProgressArmy MineralsUsedInProgressEconomy MineralsUsedInProgressTechnology "
    "VespeneUsedInProgressArmy VespeneUsedInProgressEconomy VespeneUsedInProgressTechnology "
    "MineralsUsedCurrentArmy MineralsUsedCurrentEconomy MineralsUsedCurrentTechnology "
    "VespeneUsedCurrentArmy VespeneUsedCurrentEconomy VespeneUsedCurrentTechnology "
    "MineralsLostArmy MineralsLostEconomy MineralsLostTechnology "
    "VespeneLostArmy VespeneLostEconomy VespeneLostTechnology "
    "MineralsKilledArmy MineralsKilledEconomy MineralsKilledTechnology "
    "VespeneKilledArmy VespeneKilledEconomy VespeneKilledTechnology FoodUsed FoodMade "
    "MineralsUsedActiveForces VespeneUsedActiveForces "
    "MineralsFriendlyFireArmy MineralsFriendlyFireEconomy MineralsFriendlyFireTechnology "
    "VespeneFriendlyFireArmy VespeneFriendlyFireEconomy VespeneFriendlyFireTechnology"
).split()


def stat_column(name: str) -> str:
    """``MineralsUsedCurrentArmy`` as ``minerals_used_current_army``."""
    return re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


def _stat(name: str) -> Column:
    if name.startswith("Food"):
        return Column(stat_column(name), "float64", f"Score value {name}; stored in units of 1/4096.", "supply")
    return Column(stat_column(name), "int64", f"Score value {name}.")


PLAYER_STATS = TableSchema(
    name="player_stats",
    version=1,
    doc="Score values of each player, every ten seconds at speed normal.",
    columns=(*_WHEN, PLAYER, *map(_stat, STATS)),
)

UPGRADES = TableSchema(
    name="upgrades",
    version=1,
    doc="One row for each upgrade that a player got; sprays and the like are upgrades too.",
    columns=(
        *_WHEN,
        PLAYER,
        Column("upgrade", "string", "Name."),
        Column("count", "int64", "By how many levels."),
    ),
)

POSITIONS = TableSchema(
    name="positions",
    version=2,
    doc="Where units were: at birth, at death, and in between for units that took or dealt damage; `player` is "
    "who had the unit then.",
    columns=(
        *shared.POSITIONS.columns,
        Column("unit_index", "int64", "Index of the unit; used again for later units."),
        UNIT,
        Column("cause", "category", "init, born, died or sample."),
    ),
)

INPUTS = TableSchema(
    name="inputs",
    version=1,
    doc="One row for each thing that a player did, in file order: `commands`, `selections`, `control_groups` and "
    "`camera` together, which have the rest. `kind` is command, update_point, update_unit, selection, "
    "control_group or camera.",
    columns=(*shared.INPUTS.columns, USER, X, Y),
)

BUILD_ORDER = TableSchema(
    name="build_order",
    version=1,
    doc="What each player started or got, in order: units and buildings after loop 0, and upgrades.",
    columns=(
        *_WHEN,
        PLAYER,
        Column("kind", "category", "unit (complete), construction (begun) or upgrade."),
        Column("name", "string", "Name of the unit type or upgrade."),
        Column("supply", "float64", "Supply in use by the last statistics before it.", "supply"),
    ),
)

APM = TableSchema(
    name="apm",
    version=1,
    doc="Actions in each minute of the replay's clock: commands and their repetitions, changes of the active "
    "selection, uses of control groups. Camera moves are not actions.",
    columns=(
        USER,
        PLAYER,
        Column("minute", "int32", "Minute from the start, first is 0.", "min"),
        Column("actions", "int64", "Actions in that minute, which the end of the game may cut short."),
    ),
)

SUPPLY = TableSchema(
    name="supply",
    version=1,
    doc="Supply of each player over time, from the statistics.",
    columns=(
        *_WHEN,
        PLAYER,
        Column("supply_used", "float64", "Supply in use.", "supply"),
        Column("supply_made", "float64", "Supply provided.", "supply"),
    ),
)

ATTRIBUTES = TableSchema(
    name="attributes",
    version=1,
    doc="Rows of ``replay.attributes.events``: settings of the lobby as the map sees them.",
    columns=(
        Column("namespace", "int64", "999 for the game's own attributes."),
        Column("attribute", "int64", "Number of the attribute."),
        Column("scope", "int64", "Player that it is about; 16 is the game."),
        Column("value", "string", "Up to four characters."),
    ),
)

SLOTS = TableSchema(
    name="slots",
    version=1,
    doc="Slots of the lobby, from ``replay.initData``.",
    columns=(
        Column("slot", "int64", "Place in the lobby, from 0."),
        Column("control", "int64", "0 open, 1 closed, 2 human, 3 computer."),
        Column("user", "int64", "Place in the lobby's list of users; null for none."),
        PLAYER,
        Column("name", "string", "Name of the user; null for none."),
        Column("team", "int64", "Number of the team."),
        Column("observe", "int64", "0 plays, 1 observer, 2 referee."),
        Column("color", "int64", "Number of the colour."),
        Column("race", "int64", "Number of the preferred race; null for random."),
        Column("difficulty", "int64", "Difficulty of a computer."),
        Column("handicap", "int64", "Percent."),
        Column("mmr", "int64", "Rating that the game scales opponents by; null where there is none."),
        Column("account", "string", "Toon handle of the slot."),
        Column("fields", "string", "All fields of the slot as a JSON object under Blizzard's names."),
    ),
)

ALL = (
    MEMBERS,
    CHAT,
    PINGS,
    GAME_EVENTS,
    MESSAGE_EVENTS,
    TRACKER_EVENTS,
    EVENT_COUNTS,
    INPUTS,
    COMMANDS,
    SELECTIONS,
    CONTROL_GROUPS,
    CAMERA,
    LEAVES,
    SYNC,
    RESUME_POINTS,
    UNITS,
    UNIT_CHANGES,
    PLAYER_STATS,
    UPGRADES,
    POSITIONS,
    BUILD_ORDER,
    APM,
    SUPPLY,
    ATTRIBUTES,
    SLOTS,
)
