"""The vocabulary: every column that two tables share, of whatever game, with its one type, unit and meaning.

A table takes its columns by name, ``*words("tick seconds game_seconds player hero")``, and adds what is particular
to it: ``word("player", "The buyer.")``. A column of one table only is declared there, under a name that is not in
the vocabulary.

A column about a person or a thing with a role needs no entry: ``attacker_hero`` is `hero` of the attacker. A name
that ends with one of `SUFFIXES` has the type and unit of that word: ``freeze_end_tick`` is a tick. `conflicts`
lists what breaks these rules; the conformance suite and a test over all games call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from playhead.runtime.records import replace
from playhead.tables.schema import Column, TableSchema

#: Roles that precede a word in the name of a column, with their text in its meaning.
ROLES = {
    "attacker": "the attacker",
    "victim": "the victim",
    "assister": "the assister",
    "owner": "the owner",
    "caster": "the caster",
    "target": "the target",
    "thrower": "the thrower",
    "taker": "the one who took it",
    "creator": "the creator",
    "end": "the end",
    "start": "the start",
}

#: Words whose type and unit hold for every name that ends with them.
SUFFIXES = frozenset(
    "tick seconds ticks bytes player players name names side team x y z pitch yaw unit_type entity id".split()
)

WORDS: dict[str, Column] = {
    column.name: column
    for column in (
        # When.
        Column(
            "tick",
            "int32",
            "The format's own time: demo tick (Source 2; -1 for sign-on), game loop (StarCraft II), server tick "
            "(teehistorian).",
            "ticks",
        ),
        Column(
            "seconds",
            "float64",
            "`tick` divided by `ticks_per_second` of table `info`: time since the start of the recording as it "
            "passed for Source 2 and teehistorian, the clock that the game shows for StarCraft II.",
            "s",
        ),
        Column(
            "game_seconds",
            "float64",
            "What the game's clock shows; null where it shows nothing.",
            "s",
        ),
        Column("end_tick", "int32", "`tick` at which it ended; null if it was still there at the end.", "ticks"),
        Column("end_seconds", "float64", "`seconds` at `end_tick`.", "s"),
        Column("end_game_seconds", "float64", "`game_seconds` at `end_tick`.", "s"),
        Column("server_tick", "int32", "Tick of the server, as the message says.", "ticks"),
        Column("client_tick", "int32", "Tick of the client, as the message says.", "ticks"),
        Column("duration_ticks", "int64", "How long it lasted, in the format's own time.", "ticks"),
        Column("duration_seconds", "float64", "How long it lasted, on the game's clock where there is one.", "s"),
        Column("respawn_seconds", "float64", "Time until the respawn; null while alive.", "s"),
        Column("start_time", "timestamp", "When the recording began; null if the file does not say."),
        Column("end_time", "timestamp", "When it ended; null if the file does not say."),
        Column("paused", "bool", "The game was paused at that tick; `game_seconds` repeats meanwhile."),
        Column("minute", "int32", "Minute, from 0.", "min"),
        # Rounds and matches.
        Column("match_id", "int64", "Number of the match on the publisher's servers."),
        Column("match_num", "int32", "Number of the match in the recording, from 1."),
        Column("round_num", "int32", "Number of the round, from 1; null outside a round."),
        Column(
            "counts",
            "bool",
            "It counts for the match: false in warm-up, in a knife round, and in a round that a backup undid.",
        ),
        Column("number", "int32", "Number among its kind, from 1."),
        Column("winner_side", "category", "`side` that won; null if none or unknown."),
        Column("winner_team", "int32", "`team` that won; null if none or unknown."),
        Column("winner_name", "string", "Name of the team or the players that won; null if none or unknown."),
        # Who.
        Column("player", "int32", "Number of the person, as in `players`; null for nobody and if unknown."),
        Column("players", "list<int32>", "Numbers of the people, as in `players`."),
        Column("assister_players", "list<int32>", "Numbers of the people who assisted, as in `players`."),
        Column("name", "string", "Name of the person or thing, for people to read."),
        Column("names", "list<string>", "Names of the people or things, for people to read."),
        Column("clan", "string", "Clan or team tag shown with the name."),
        Column("text", "string", "The text that was written; bytes that are no UTF-8 are replaced by U+FFFD."),
        Column("channel", "category", "Who could read or see it: all, team, observers, … as the format names it."),
        Column("team", "int32", "Number of the team, as the game counts; null if none or unknown."),
        Column(
            "side", "category", "Word for the team at that tick (radiant, ct, archmother); null if it has none."
        ),
        Column("account", "string", "Account in the platform's own notation (Steam id, toon handle)."),
        Column("account_id", "int64", "Number of the account, as the game has it."),
        Column("character", "category", "Hero, race or skin that the person plays, in the game's own word."),
        Column("result", "category", "win, loss or tie; null if the file does not say."),
        Column(
            "client", "int32", "Slot of the client on the server; the server gives it to another after a leave."
        ),
        Column("slot", "int32", "Number of the slot."),
        Column("rank", "int32", "Rank of the person, as the game counts."),
        Column("mmr", "int32", "Matchmaking rating."),
        # Things with names: the game's own word, its number or hash, a title for people.
        Column("id", "int64", "The game's number or hash of it; null without one."),
        Column("hero", "category", "Hero, in the game's own word; null if it has no name."),
        Column("hero_id", "int64", "The game's number of the hero."),
        Column("unit_type", "category", "Type of the unit, in the game's own word."),
        Column("ability", "category", "Ability, in the game's own word; null without one or if it has no name."),
        Column("ability_id", "int64", "The game's number or hash of the ability."),
        Column("ability_level", "int32", "Level of the ability."),
        Column("item", "category", "Item, in the game's own word; null without one or if it has no name."),
        Column("item_id", "int64", "The game's number or hash of the item."),
        Column("weapon", "category", "Weapon, in the game's own word; null without one or if it has no name."),
        Column("weapon_id", "int64", "The game's number or hash of the weapon."),
        Column("modifier", "category", "Modifier, in the game's own word; null if it has no name."),
        Column("race", "category", "Race: Terran, Zerg, Protoss, Random."),
        Column("map", "string", "Map name as the file has it, possibly localised."),
        Column("version", "string", "Version as the game writes it; null if the file does not say."),
        Column("build", "int64", "Build number that decides the encoding; null if the file does not say."),
        # Entities and units.
        Column("entity", "int32", "Index of the entity; the game uses an index again after a deletion."),
        Column("entity_serial", "int32", "Serial number of the entity: with `entity` it is unique for longer."),
        Column("entity_class", "category", "Class of the entity, as the recording declares it."),
        Column("entity_name", "string", "Name of the entity; null if it has none."),
        Column("unit", "int64", "Tag of the unit: index << 18 | recycle, its identity in the recording."),
        Column("units", "list<int64>", "Tags of the units."),
        Column("attacker", "category", "Unit that attacked, in the game's own word; null for none."),
        Column("victim", "category", "Unit that was hit or died, in the game's own word; null for none."),
        Column("target", "category", "Unit or thing that was meant, in the game's own word; null for none."),
        Column("inflictor", "category", "Ability or item that did it, in the game's own word; null for none."),
        # Where. A game has its own unit of length; `info.units_per_metre` has its size where it is known.
        Column(
            "x",
            "float32",
            "To the right on the map, which is east: world units (Source 2), cells (StarCraft II), 1/32 of a tile "
            "(teehistorian).",
            "map units",
        ),
        Column(
            "y",
            "float32",
            "In the same unit; upwards on the map, which is north (Source 2, StarCraft II), or downwards from its "
            "upper edge (teehistorian).",
            "map units",
        ),
        Column("z", "float32", "Height, in the same unit.", "map units"),
        Column("cell_x", "int32", "Cell of the game's grid, from the west."),
        Column("cell_y", "int32", "Cell of the game's grid, from the south."),
        Column("place", "category", "The map's own word for the place."),
        Column("pitch", "float32", "Vertical angle of the view; down is positive.", "°"),
        Column("yaw", "float32", "Horizontal angle of the view; 0 is east, 90 north.", "°"),
        Column("velocity_x", "float32", "Velocity along `x`.", "map units/s"),
        Column("velocity_y", "float32", "Velocity along `y`.", "map units/s"),
        Column("velocity_z", "float32", "Velocity along `z`.", "map units/s"),
        Column("speed", "float32", "Length of the velocity.", "map units/s"),
        Column("distance", "float32", "Distance.", "map units"),
        # Life.
        Column("alive", "bool", "It is alive at that tick."),
        Column("health", "int32", "Health at that tick, after what the row tells.", "hp"),
        Column("max_health", "int32", "Health when unhurt.", "hp"),
        Column("armor", "int32", "Armour at that tick."),
        Column("level", "int32", "Level of the hero."),
        Column("damage", "int32", "Damage.", "hp"),
        Column("damage_taken", "int32", "Damage taken.", "hp"),
        Column("damage_type", "category", "Kind of damage, in the game's own word."),
        Column("damage_type_id", "int64", "The game's number or mask of the kind of damage."),
        Column("healing", "int32", "Health given.", "hp"),
        Column("hitgroup", "category", "Part of the body: head, chest, stomach, left_arm …"),
        Column("hitgroup_id", "int64", "The game's number of the part of the body."),
        Column("stacks", "int32", "Stacks of the modifier, at first."),
        Column("serial", "int64", "Serial number of the modifier."),
        Column("most_stacks", "int32", "The most stacks that it had."),
        Column("energy", "float32", "Energy."),
        # Economy and score.
        Column("gold", "int32", "Gold.", "gold"),
        Column("money", "int32", "Money.", "$"),
        Column("souls", "int32", "Souls.", "souls"),
        Column("minerals", "int32", "Minerals."),
        Column("vespene", "int32", "Vespene gas."),
        Column("supply", "float32", "Supply.", "supply"),
        Column("supply_made", "float32", "Supply that buildings and units provide.", "supply"),
        Column("net_worth", "int32", "Value of what the person has, in the game's currency."),
        Column("cost", "int32", "Price, in the game's currency."),
        Column("xp", "int32", "Experience.", "xp"),
        Column("kills", "int32", "Number of kills of other people."),
        Column("deaths", "int32", "Number of deaths."),
        Column("assists", "int32", "Number of assists."),
        Column("last_hits", "int32", "Number of last hits."),
        Column("denies", "int32", "Number of denies."),
        Column("apm", "float64", "Actions a minute.", "1/min"),
        Column("first_blood", "bool", "The first death of the match."),
        Column("hero_damage", "int32", "Damage to heroes, as the game counts it.", "hp"),
        # What happened.
        Column("kind", "category", "Kind of the row, a word."),
        Column("event", "category", "What happened, a word."),
        Column("change", "category", "What changed, a word."),
        Column("action", "category", "What was done, a word."),
        Column("reason", "category", "Why, a word."),
        Column("reason_id", "int64", "The game's number of the reason."),
        Column("outcome", "category", "How it ended, a word; null if it was still there at the end."),
        Column("state", "category", "State, a word."),
        Column("state_id", "int64", "The game's number of the state."),
        Column("phase", "category", "Phase, a word."),
        Column("lane", "category", "Lane: top, mid or bottom; the colours of Deadlock; null off lanes."),
        Column("lane_id", "int64", "The game's number of the lane."),
        Column("tier", "int32", "Tier, from 1."),
        Column("known_by", "category", "What the fact is known by."),
        Column("count", "int64", "How many."),
        Column("total", "float64", "The sum."),
        Column("value", "int64", "The value."),
        Column("fight", "int32", "Number of the fight, as in `fights`."),
        # What a client sent.
        Column("command", "category", "Command, in the game's own word."),
        Column("command_id", "int64", "The game's number of the command."),
        Column("command_number", "int64", "Running number of the client's command."),
        Column("queued", "bool", "It waits until earlier orders are done."),
        Column("buttons", "uint64", "Held buttons, as the game's mask of bits."),
        Column("buttons_changed", "uint64", "Buttons that changed, as the game's mask of bits."),
        Column("forward", "float32", "Movement forwards, -1 to 1."),
        Column("left", "float32", "Movement to the left, -1 to 1."),
        Column("mouse_x", "int32", "Movement of the mouse since the command before, to the right."),
        Column("mouse_y", "int32", "Movement of the mouse since the command before, downwards."),
        # Messages and bytes.
        Column("message", "category", "Name of the message; null if its number has none."),
        Column("message_id", "int64", "The format's number of the message."),
        Column("fields", "string", "The fields by name, as a JSON object."),
        Column("details", "string", "Facts without a column of their own, as a JSON object."),
        Column("data", "binary", "The bytes as the file has them."),
        Column("offset", "int64", "Byte offset in the decompressed file.", "bytes"),
        Column("bytes", "int64", "Size.", "bytes"),
        Column("flags", "int64", "Flags, as the format's mask of bits."),
        Column("index", "int32", "Index in the list."),
        Column("mode", "category", "Mode of the match, a word."),
        Column("region", "category", "Region of the server or the account."),
        Column("encoding", "category", "Encoding of the sound: steam, opus …"),
        Column("sample_rate", "int64", "Samples a second of the sound.", "1/s"),
        Column("section", "int64", "Number of the stretch of speech, as the message says."),
        Column("loudness", "float32", "Loudness of the sound, as the message says."),
        # StarCraft II.
        Column(
            "user",
            "int64",
            "User id in the events: index in the lobby's list of users; up to 1.5 the number, from 1, among the "
            "taken slots. Null for no user (16).",
        ),
        Column("unit_index", "int64", "Index of the unit; the game uses it again for later units."),
        Column("product", "category", "Unit type or upgrade that is made, in the game's own word."),
        Column("boosted", "bool", "Its building had a chrono boost meanwhile; null if it is unknown."),
        Column("group", "int64", "Number of the control group, 0 to 9; 10 is the active selection."),
        Column("remove", "category", "none, mask (units to remove), one_indices (remove) or zero_indices (keep)."),
        Column("remove_indices", "list<int64>", "Places in the old selection or group that `remove` speaks of."),
        Column("member", "category", "Name of a file in the archive; null if no known name leads to it."),
        Column("difficulty", "category", "Difficulty of a computer, in the game's words."),
        Column("units_lost", "int32", "Units lost."),
        Column("workers_lost", "int32", "Workers lost."),
        Column("minerals_lost", "int32", "Minerals that the losses had cost."),
        Column("vespene_lost", "int32", "Vespene that the losses had cost."),
        Column("minerals_killed", "int32", "Minerals that the kills had cost their owners."),
        Column("vespene_killed", "int32", "Vespene that the kills had cost their owners."),
        # CS2.
        Column("is_delta", "bool", "The command was sent as a delta of the one before."),
        Column("rounds_played", "int32", "Rounds that count and ended."),
        Column("bomb_site", "category", "Bomb site: A or B; null before the planting."),
        Column("dmg_health", "int32", "Damage to health as reported by the event; can exceed the rest.", "hp"),
        Column("dmg_armor", "int32", "Damage to armour as reported by the event."),
        Column("controls_bot", "bool", "Plays with the body of a bot: place, health and weapons are that body's."),
        Column("is_scoped", "bool", "Looks through a scope."),
        Column("ammo", "int32", "Rounds in the magazine of the weapon in the hands; null without a magazine."),
        Column("has_helmet", "bool", "Has a helmet."),
        Column("has_defuser", "bool", "Has a defuse kit."),
        Column("equipment_value", "int32", "Value of the equipment.", "$"),
        # The engine of Source 2.
        Column("frame", "int32", "Number of the outer frame in the file, from 0."),
        # Deadlock.
        Column("by_team", "int32", "Team that did it; null if unknown."),
        Column("by_side", "category", "`side` that did it; null if unknown."),
        Column("game_mode", "category", "Mode of the game; null for a number without a word."),
        Column("game_mode_id", "int64", "The game's number of the mode."),
        Column("modifier_id", "int64", "The game's number or hash of the modifier."),
        Column("unit_type_id", "int64", "The game's number or hash of the type of the unit."),
        Column("boss", "category", "Kind of the boss, a word."),
        Column("hidden_king_score", "int32", "Rounds won by the Hidden King."),
        Column("archmother_score", "int32", "Rounds won by the Archmother."),
        Column("match_seconds", "float64", "The game's time, by the server's summary.", "s"),
        Column("stat", "category", "What was counted, a word."),
        Column("items", "list<string>", "Names of the items held."),
        Column("objective_damage", "int32", "Damage to structures so far.", "hp"),
        Column("hero_healing", "int32", "Healing of heroes so far.", "hp"),
        Column("self_healing", "int32", "Healing of oneself so far.", "hp"),
        # DDNet.
        Column("clients", "list<int32>", "Slots of the clients on the server."),
        Column("protocol", "int32", "6 or 7: the network protocol of the client."),
        Column(
            "name_known_by",
            "category",
            "player_name: the name that the server assigned (18.3 and later); start_info, change_info: the name "
            "that the client asked for.",
        ),
        Column("country", "int32", "ISO 3166-1 number of the country, or -1."),
        Column("skin", "string", "Skin of the tee."),
        Column("auth_level", "int32", "Rcon level: 0 none, 1 helper, 2 moderator, 3 administrator."),
        Column("practice", "bool", "The team is in practice."),
        Column("save_uuid", "string", "UUID of the save; null without one."),
        Column("direction", "int32", "Direction of movement: -1 left, 0, 1 right."),
        # Dota 2.
        Column("owner", "category", "Unit behind it, in the game's own word: of a summon, of an illusion."),
        Column("caster", "category", "Unit that used or gave it, in the game's own word."),
        Column("is_hero", "bool", "It is a hero, or an illusion of one."),
        Column("is_illusion", "bool", "It is an illusion."),
        Column("is_building", "bool", "It is a building."),
        Column("main", "bool", "It is the hero that its player selected; false for illusions and other units."),
        Column("handle", "int64", "Handle of the entity: its index and serial number in one."),
        Column("role", "category", "Role of the player, a word."),
        Column("camp", "int32", "Index of the entity of the camp, as in `camps`."),
        Column("will_reincarnate", "bool", "The unit comes back at once (Aegis, Reincarnation): no final death."),
        Column("at_night_time", "bool", "It was night."),
        Column("is_ultimate_ability", "bool", "The ability is an ultimate."),
        Column("is_ability_toggle_on", "bool", "The ability was switched on."),
        Column("is_ability_toggle_off", "bool", "The ability was switched off."),
        Column("inflictor_is_stolen_ability", "bool", "The ability was stolen."),
        Column("uses_charges", "bool", "The ability or item uses charges."),
        Column("is_heal_save", "bool", "The heal saved its target."),
        Column("heal_from_lifesteal", "bool", "The heal is from lifesteal."),
        Column("heal_from_regen", "bool", "The heal is from regeneration."),
        Column("mana", "float32", "Mana of the hero.", "mana"),
        Column("max_mana", "float32", "The most mana that the hero can have.", "mana"),
        Column("tower_damage", "int32", "Damage to towers, as the game counts it.", "hp"),
        Column("stun_seconds", "float64", "How long enemies were stunned.", "s"),
        Column("tower_kills", "int32", "Towers destroyed."),
        Column("roshan_kills", "int32", "Roshans killed, as the game counts them: not last hits on Roshan."),
        Column("observer_wards_placed", "int32", "Observer wards placed."),
        Column("sentry_wards_placed", "int32", "Sentry wards placed."),
        Column("wards_destroyed", "int32", "Wards destroyed."),
        Column("camps_stacked", "int32", "Neutral camps stacked."),
        Column("rune_pickups", "int32", "Runes picked up."),
        Column("gpm", "float64", "Gold a minute.", "gold/min"),
        Column("xpm", "float64", "Experience a minute.", "xp/min"),
        Column("gold_earned", "int32", "All gold earned so far.", "gold"),
        Column("gold_reliable", "int32", "Gold in hand that is not lost by dying.", "gold"),
        Column("gold_unreliable", "int32", "The rest of the gold in hand.", "gold"),
        Column("gold_hero_kill", "int32", "Gold from kills of heroes so far.", "gold"),
        Column("gold_creep", "int32", "Gold from lane creeps so far.", "gold"),
        Column("gold_neutral", "int32", "Gold from neutral creeps so far.", "gold"),
        Column("gold_income", "int32", "Gold from passive income so far.", "gold"),
        Column("gold_building", "int32", "Gold from buildings so far.", "gold"),
        Column("gold_roshan", "int32", "Gold from Roshan so far.", "gold"),
        Column("gold_bounty", "int32", "Gold from bounty runes so far.", "gold"),
        Column("gold_ward", "int32", "Gold from wards so far.", "gold"),
        Column("gold_courier", "int32", "Gold from couriers so far.", "gold"),
        Column("gold_ability", "int32", "Gold from abilities so far.", "gold"),
        Column("gold_comeback", "int32", "Gold from the comeback bonus so far.", "gold"),
        Column("gold_deny", "int32", "Gold from denied creeps so far.", "gold"),
        Column("gold_other", "int32", "Gold from other sources so far.", "gold"),
        Column("gold_shared", "int32", "Gold from kills of allies so far.", "gold"),
        Column("gold_lost", "int32", "Gold lost by dying.", "gold"),
        Column("gold_lead", "int32", "Gold of one side less that of the other.", "gold"),
        Column("spent_items", "int32", "Gold spent on items so far.", "gold"),
        Column("spent_consumables", "int32", "Gold spent on consumables so far.", "gold"),
        Column("spent_support", "int32", "Gold spent on support so far.", "gold"),
        Column("spent_buybacks", "int32", "Gold spent on buybacks so far.", "gold"),
        Column("log_type", "category", "Type of the entry of the combat log; a number without a name."),
        Column("commands", "int32", "Commands that the player gave so far."),
        Column("charges", "int32", "Charges of the item."),
    )
}


@cache
def word(name: str, note: str = "", *, required: bool = False) -> Column:
    """Return a column of the vocabulary; `note` says what is particular to the table.

    Raises:
        KeyError: the vocabulary has no such word, and the name is not a role and a word.
    """
    column = WORDS.get(name)
    if column is None:
        role, _, base = name.partition("_")
        if role not in ROLES or base not in WORDS:
            raise KeyError(f"the vocabulary has no word {name!r}")
        held = WORDS[base]
        column = replace(held, name=name, doc=f"`{base}` of {ROLES[role]}. {held.doc}")
    return replace(column, doc=f"{column.doc} {note}".rstrip(), required=required) if note or required else column


def words(names: str) -> tuple[Column, ...]:
    """Return the columns of names that are separated by spaces; ``tick!`` is never null.

    Raises:
        KeyError: the vocabulary lacks one.
    """
    return tuple(word(name.rstrip("!"), required=name.endswith("!")) for name in names.split())


def conflicts(schemas: Iterable[TableSchema]) -> Iterator[str]:
    """Yield what breaks the vocabulary in tables of one game or of several: a column with another type, unit or
    meaning than its word, and a column that two tables share without a word."""
    owners: dict[str, tuple[str, Column]] = {}
    for schema in schemas:
        for column in schema.columns:
            where = f"{schema.name}.{column.name}"
            expected, by_suffix = _expected(column.name)
            if expected is None:
                table, first = owners.setdefault(column.name, (schema.name, column))
                if table != schema.name:
                    yield f"{where}: {table} has a column of that name too, so it needs a word in the vocabulary"
                elif first != column:
                    yield f"{where}: two tables of that name have different columns of that name"
            elif (column.unit != expected.unit and not by_suffix) or column.type not in (
                (expected.type, f"list<{expected.type}>") if by_suffix else (expected.type,)
            ):
                yield (f"{where}: {_form(column)}, and `{expected.name}` of the vocabulary is {_form(expected)}")
            elif not by_suffix and not column.doc.startswith(expected.doc):
                yield f"{where}: means {column.doc!r}, and in the vocabulary {expected.doc!r}"


def _expected(name: str) -> tuple[Column | None, bool]:
    """Return the word that a name is or ends with, and whether it only ends with it."""
    try:
        return word(name), False
    except KeyError:
        pass
    parts = name.split("_")
    for first in range(1, len(parts)):
        if (ending := "_".join(parts[first:])) in SUFFIXES:
            return WORDS.get(ending) or _ENDINGS[ending], True
    return None, False


def _form(column: Column) -> str:
    return f"{column.type} in {column.unit}" if column.unit else column.type


#: Endings that are no words of their own.
_ENDINGS = {"ticks": Column("ticks", "int32", "A number of ticks.", "ticks")}
