"""The vocabulary: every column that two tables share, in any game, with its one type, unit and meaning.

A table takes its columns by name, ``*words("tick seconds game_seconds player hero")``, and adds what is particular
to it: ``word("player", "The buyer.")``. A column of one table only is declared there, under a name that is not in
the vocabulary.

A column about a person or a thing with a role needs no entry: ``attacker_hero`` is `hero` of the attacker. A name
that ends with one of `SUFFIXES` has the type and unit of that word: ``freeze_end_tick`` is a tick. `conflicts`
lists what breaks these rules; the conformance suite and a test over all games call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from playhead.runtime.records import replace
from playhead.tables.schema import Column, TableSchema

_PEOPLE = "attacker victim assister owner caster target thrower creator".split()
#: Roles that precede a word in the name of a column, with their text in its meaning.
ROLES = {
    **{role: f"of the {role}" for role in _PEOPLE},
    "taker": "of the one who took it",
    "end": "at the end",
    "start": "at the start",
}

#: Words whose type and unit hold for every name that ends with them.
SUFFIXES = frozenset(
    "tick seconds ticks bytes player players name names side team x y z pitch yaw unit_type entity id".split()
)

#: The words, one a line: name, type, unit in brackets, meaning; an indented line continues it.
_TEXT = """\
# When.
tick int32 [ticks]: The format's own time: demo tick (Source 2; -1 for sign-on), game loop (StarCraft II), server
    tick (teehistorian).
seconds float64 [s]: `tick` divided by `ticks_per_second` of table `info`: time since the start of the recording
    as it passed for Source 2 and teehistorian, the clock that the game shows for StarCraft II.
game_seconds float64 [s]: What the game's clock shows; null where it shows nothing.
end_tick int32 [ticks]: `tick` at which it ended; null if it was still there at the end.
end_seconds float64 [s]: `seconds` at `end_tick`.
end_game_seconds float64 [s]: `game_seconds` at `end_tick`.
server_tick int32 [ticks]: Tick of the server, as the message says.
client_tick int32 [ticks]: Tick of the client, as the message says.
duration_ticks int64 [ticks]: How long it lasted, in the format's own time.
duration_seconds float64 [s]: How long it lasted.
respawn_seconds float64 [s]: Time until the respawn.
start_time timestamp: When the recording began; null if the file does not say.
end_time timestamp: When it ended; null if the file does not say.
played_at timestamp: When it was played: its start; else its end less its duration, or its end.
played_at_is category: Which of these `played_at` is: start, end_less_duration, end; null if the file has no time.
paused bool: The game was paused at that tick; `game_seconds` repeats meanwhile.
minute int32 [min]: Minute, from 0.
# Rounds and matches.
match_id int64: Number of the match on the publisher's servers.
match_num int32: Number of the match in the recording, from 1.
round_num int32: Number of the round, from 1; null outside a round.
counts bool: It counts for the match: false in warm-up, in a knife round, and in a round that a backup undid.
number int32: Number among its kind, from 1.
winner_side category: `side` that won; null if none or unknown.
winner_team int32: `team` that won; null if none or unknown.
winner_name string: Name of the team or the players that won; null if none or unknown.
# Who.
player int32: Number of the person, as in `players`; null for nobody and if unknown.
players list<int32>: Numbers of the people, as in `players`.
assister_players list<int32>: Numbers of the people who assisted, as in `players`.
name string: Name of the person or thing, for people to read.
names list<string>: Names of the people or things, for people to read.
clan string: Clan or team tag shown with the name.
text string: The text that was written; bytes that are no UTF-8 are replaced by U+FFFD.
channel category: Who could read or see it: all, team, observers, … as the format names it.
team int32: Number of the team, as the game counts; null if none or unknown.
side category: Word for the team (radiant, ct, archmother); null if it has none.
account string: Account in the platform's own notation (Steam id, toon handle).
account_id int64: Number of the account, as the game has it.
character category: Hero, race or skin that the person plays, in the game's own word.
result category: win, loss or tie; null if the file does not say.
client int32: Slot of the client on the server; the server gives it to another after a leave.
slot int32: Number of the slot.
rank int32: Rank of the person, as the game counts.
mmr int32: Matchmaking rating.
# Things with names: the game's own word, its number or hash, a title for people.
id int64: The game's number or hash of it; null without one.
hero category: Hero, in the game's own word; null if it has no name.
hero_id int64: The game's number of the hero.
unit_type category: Type of the unit, in the game's own word.
ability category: Ability, in the game's own word; null without one or if it has no name.
ability_id int64: The game's number or hash of the ability.
ability_level int32: Level of the ability.
item category: Item, in the game's own word; null without one or if it has no name.
item_id int64: The game's number or hash of the item.
weapon category: Weapon, in the game's own word; null without one or if it has no name.
weapon_id int64: The game's number or hash of the weapon.
modifier category: Modifier, in the game's own word; null if it has no name.
race category: Race: Terran, Zerg, Protoss, Random.
map string: Map name as the file has it, possibly localised.
map_english string: The map by a name that is equal in every language; null if only a translation is known.
lost_parts list<string>: Streams of events, parts of them, and other members that damage took; null if none.
version string: Version as the game writes it; null if the file does not say.
build int64: Build number that decides the encoding; null if the file does not say.
# Entities and units.
entity int32: Index of the entity; the game uses an index again after a deletion.
entity_serial int32: Serial number of the entity: with `entity` it is unique for longer.
entity_class category: Class of the entity, as the recording declares it.
entity_name string: Name of the entity; null if it has none.
unit int64: Tag of the unit: index << 18 | recycle, its identity in the recording.
units list<int64>: Tags of the units.
attacker category: Unit that attacked, in the game's own word; null for none.
victim category: Unit that was hit or died, in the game's own word; null for none.
target category: Unit or thing that was meant, in the game's own word; null for none.
inflictor category: Ability or item that did it, in the game's own word.
# Where. A game has its own unit of length; `info.units_per_metre` has its size where it is known.
x float32 [map units]: To the right on the map, which is east: world units (Source 2), cells (StarCraft II), 1/32
    of a tile (teehistorian).
y float32 [map units]: Upwards on the map, which is north (Source 2, StarCraft II), or downwards from its upper
    edge (teehistorian), in the unit of `x`.
z float32 [map units]: Height, in the unit of `x`.
cell_x int32: Cell of the game's grid, from the west.
cell_y int32: Cell of the game's grid, from the south.
place category: The map's own word for the place.
pitch float32 [°]: Vertical angle of the view; down is positive.
yaw float32 [°]: Horizontal angle of the view; 0 is east, 90 north.
velocity_x float32 [map units/s]: Velocity along `x`.
velocity_y float32 [map units/s]: Velocity along `y`.
velocity_z float32 [map units/s]: Velocity along `z`.
speed float32 [map units/s]: Length of the velocity.
distance float32 [map units]: Distance.
# Life.
alive bool: It is alive at that tick.
health int32 [hp]: Health.
max_health int32 [hp]: Health when unhurt.
armor int32: Armour at that tick.
level int32: Level of the hero.
damage int32 [hp]: Damage.
damage_taken int32 [hp]: Damage taken.
damage_type category: Kind of damage, in the game's own word.
damage_type_id int64: The game's number or mask of the kind of damage.
healing int32 [hp]: Health given.
hitgroup category: Part of the body: head, chest, stomach, left_arm …
hitgroup_id int64: The game's number of the part of the body.
stacks int32: Stacks of the modifier, at first.
serial int64: Serial number of the modifier.
most_stacks int32: The most stacks that it had.
energy float32: Energy.
# Economy and score.
gold int32 [gold]: Gold.
money int32 [$]: Money.
souls int32 [souls]: Souls.
minerals int32: Minerals.
vespene int32: Vespene gas.
supply float32 [supply]: Supply.
supply_made float32 [supply]: Supply that buildings and units provide.
net_worth int32: Value of what the person has, in the game's currency.
cost int32: Price, in the game's currency.
xp int32 [xp]: Experience.
kills int32: Number of kills of other people.
deaths int32: Number of deaths.
kill_streak int32: Kills of other people since the last death.
assists int32: Number of assists.
last_hits int32: Number of last hits.
denies int32: Number of denies.
apm float64 [1/min]: Actions a minute.
first_blood bool: The first death of the match.
hero_damage int32 [hp]: Damage to heroes, as the game counts it.
# What happened.
kind category: Kind, a word.
event category: What happened, a word.
change category: What changed, a word.
action category: What was done, a word.
reason category: Why, a word.
reason_id int64: The game's number of the reason.
outcome category: How it ended, a word; null if it was still there at the end.
state category: State, a word.
state_id int64: The game's number of the state.
phase category: Phase, a word.
lane category: Lane, a word: top, mid, bottom; the colours of Deadlock.
lane_id int64: The game's number of the lane.
tier int32: Tier, from 1.
known_by category: What the fact is known by.
count int64: How many.
total float64: The sum.
value int64: The value.
fight int32: Number of the fight, as in `fights`.
# What a client sent.
command category: Command, in the game's own word.
command_id int64: The game's number of the command.
command_number int64: Running number of the client's command.
queued bool: It waits until earlier orders are done.
buttons uint64: Held buttons, as the game's mask of bits.
buttons_changed uint64: Buttons that changed, as the game's mask of bits.
buttons_pressed uint64: Buttons that went down within the tick of the command, as the game's mask of bits.
buttons_released uint64: Buttons that came up within the tick of the command, as the game's mask of bits.
forward float32: Movement forwards, -1 to 1.
left float32: Movement to the left, -1 to 1.
mouse_x int32: Movement of the mouse since the command before, to the right.
mouse_y int32: Movement of the mouse since the command before, downwards.
# Messages and bytes.
message category: Name of the message; null if its number has none.
message_id int64: The format's number of the message.
fields string: The fields by name, as a JSON object.
details string: Facts without a column of their own, as a JSON object.
data binary: The bytes as the file has them.
offset int64 [bytes]: Byte offset in the decompressed file.
bytes int64 [bytes]: Size.
flags int64: Flags, as the format's mask of bits.
index int32: Index in the list.
mode category: Mode of the match, a word.
region category: Region of the server or the account.
confidence string: exact if the type table was published for the base build, otherwise its origin; for a newer
    build that it does not fit, the way out.
encoding category: Encoding of the sound: steam, opus …
sample_rate int64 [1/s]: Samples a second of the sound.
section int64: Number of the stretch of speech, as the message says.
loudness float32: Loudness of the sound, as the message says.
sound category: Name of the sound; null if only its number is known.
sound_hash int64: The game's hash of the sound event's name; null if unknown.
# Heroes of the Storm.
ability_index int64: Which command of the ability.
talent_index int64: Place of the chosen talent in the hero's tree, from 0; null if no person chose it.
# StarCraft II.
user int64: User id in the events: index in the lobby's list of users; up to 1.5 the number, from 1, among the
    taken slots. Null for no user (16).
unit_index int64: Index of the unit; the game uses it again for later units.
base int32: Number of the place of resources, from 1, clockwise from 12 o'clock; null away from resources.
clock int32: Direction from the middle of the map: the hour of a clock, 12 at the top.
product category: Unit type or upgrade that is made, in the game's own word.
boosted bool: Its building had a chrono boost meanwhile; null if it is unknown.
group int64: Number of the control group, 0 to 9; 10 is the active selection.
remove category: none, mask (units to remove), one_indices (remove) or zero_indices (keep).
remove_indices list<int64>: Places in the old selection or group that `remove` speaks of.
member category: Name of a file in the archive; null if no known name leads to it.
difficulty category: Difficulty of a computer, in the game's words.
units_lost int32: Units lost.
workers_lost int32: Workers lost.
minerals_lost int32: Minerals that the losses had cost.
vespene_lost int32: Vespene that the losses had cost.
minerals_killed int32: Minerals that the kills had cost their owners.
vespene_killed int32: Vespene that the kills had cost their owners.
# CS2.
is_delta bool: The command was sent as a delta of the one before.
rounds_played int32: Rounds that count and ended.
bomb_site category: Bomb site: A or B; null before the planting.
damage_reported int32 [hp]: Damage to health as reported by the event; can exceed the rest.
armor_damage int32: Damage to armour as reported by the event.
opponents int32: Enemies who lived at that tick.
won bool: The side won the round; null if the winner is unknown.
controls_bot bool: Plays with the body of a bot: place, health and weapons are that body's.
is_scoped bool: Looks through a scope.
ammo int32: Rounds in the magazine of the weapon in the hands; null without a magazine.
has_helmet bool: Has a helmet.
has_defuser bool: Has a defuse kit.
crosshair_pitch float32 [°]: How far the crosshair was below the head; negative is above.
crosshair_yaw float32 [°]: How far the crosshair was left of the head; negative is right.
crosshair_angle float32 [°]: Angle from the crosshair to the head.
equipment_value int32 [$]: Value of the equipment.
# The engine of Source 2.
frame int32: Number of the outer frame in the file, from 0.
# Deadlock.
by_team int32: Team that did it; null if unknown.
by_side category: `side` that did it; null if unknown.
game_mode category: Mode of the game; null for a number without a word.
game_mode_id int64: The game's number of the mode.
modifier_id int64: The game's number or hash of the modifier.
unit_type_id int64: The game's number or hash of the type of the unit.
boss category: Kind of the boss, a word.
hidden_king_score int32: Rounds won by the Hidden King.
archmother_score int32: Rounds won by the Archmother.
match_seconds float64 [s]: The game's time, by the server's summary.
stat category: What was counted, a word.
items list<string>: Names of the items held.
objective_damage int32 [hp]: Damage to structures so far.
hero_healing int32 [hp]: Healing of heroes so far.
self_healing int32 [hp]: Healing of oneself so far.
# DDNet.
clients list<int32>: Slots of the clients on the server.
protocol int32: 6 or 7: the network protocol of the client.
name_known_by category: player_name: the name that the server assigned (18.3 and later); start_info, change_info:
    the name that the client asked for.
country int32: ISO 3166-1 number of the country, or -1.
skin string: Skin of the tee or of the hero, in the game's own word.
auth_level int32: Rcon level: 0 none, 1 helper, 2 moderator, 3 administrator.
practice bool: The team is in practice.
save_uuid string: UUID of the save; null without one.
direction int32: Direction of movement: -1 left, 0, 1 right.
# Dota 2.
owner category: Unit behind it, in the game's own word: of a summon, of an illusion.
caster category: Unit that used or gave it, in the game's own word.
is_hero bool: It is a hero, or an illusion of one.
is_illusion bool: It is an illusion.
is_building bool: It is a building.
main bool: It is the hero that its player selected; false for illusions and other units.
handle int64: Handle of the entity: its index and serial number in one.
role category: Role of the player, a word.
camp int32: Index of the entity of the camp, as in `camps`.
will_reincarnate bool: The unit comes back at once (Aegis, Reincarnation): no final death.
at_night_time bool: It was night.
is_ultimate_ability bool: The ability is an ultimate.
is_ability_toggle_on bool: The ability was switched on.
is_ability_toggle_off bool: The ability was switched off.
inflictor_is_stolen_ability bool: The ability was stolen.
uses_charges bool: The ability or item uses charges.
is_heal_save bool: The heal saved its target.
heal_from_lifesteal bool: The heal is from lifesteal.
heal_from_regen bool: The heal is from regeneration.
mana float32 [mana]: Mana of the hero.
max_mana float32 [mana]: The most mana that the hero can have.
tower_damage int32 [hp]: Damage to towers, as the game counts it.
stun_seconds float64 [s]: How long enemies were stunned.
slow_seconds float64 [s]: How long enemies were slowed.
tower_kills int32: Towers destroyed.
roshan_kills int32: Roshans killed, as the game counts them: not last hits on Roshan.
observer_wards_placed int32: Observer wards placed.
sentry_wards_placed int32: Sentry wards placed.
wards_destroyed int32: Wards destroyed.
camps_stacked int32: Neutral camps stacked.
creeps_stacked int32: Creeps in neutral camps when they were stacked.
rune_pickups int32: Runes picked up.
gpm float64 [gold/min]: Gold a minute.
xpm float64 [xp/min]: Experience a minute.
gold_earned int32 [gold]: All gold earned so far.
gold_reliable int32 [gold]: Gold in hand that is not lost by dying.
gold_unreliable int32 [gold]: The rest of the gold in hand.
gold_hero_kill int32 [gold]: Gold from kills of heroes so far.
gold_creep int32 [gold]: Gold from lane creeps so far.
gold_neutral int32 [gold]: Gold from neutral creeps so far.
gold_income int32 [gold]: Gold from passive income so far.
gold_building int32 [gold]: Gold from buildings so far.
gold_roshan int32 [gold]: Gold from Roshan so far.
gold_bounty int32 [gold]: Gold from bounty runes so far.
gold_ward int32 [gold]: Gold from wards so far.
gold_courier int32 [gold]: Gold from couriers so far.
gold_ability int32 [gold]: Gold from abilities so far.
gold_comeback int32 [gold]: Gold from the comeback bonus so far.
gold_deny int32 [gold]: Gold from denied creeps so far.
gold_other int32 [gold]: Gold from other sources so far.
gold_shared int32 [gold]: Gold from kills of allies so far.
gold_lost int32 [gold]: Gold lost by dying.
gold_lead int32 [gold]: Gold of one side less that of the other.
xp_lead int32 [xp]: Experience of one side less that of the other.
spent_items int32 [gold]: Gold spent on items so far.
spent_consumables int32 [gold]: Gold spent on consumables so far.
spent_support int32 [gold]: Gold spent on support so far.
spent_buybacks int32 [gold]: Gold spent on buybacks so far.
log_type category: Type of the entry of the combat log; a number without a name.
commands int32: Commands that the player gave so far.
charges int32: Charges of the item.
"""


class _Words(Mapping[str, Column]):
    """The columns of a text, by name; each is made when it is first read, for a table reads few of them."""

    def __init__(self, text: str) -> None:
        lines = text.replace("\n    ", " ").splitlines()
        self._lines = {line.partition(" ")[0]: line for line in lines if not line.startswith("#")}
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        made = self._made.get(name)
        if made is None:
            form, _, doc = self._lines[name].partition(": ")
            _, type_, *unit = form.split(" ", 2)
            made = self._made[name] = Column(name, type_, doc, unit[0][1:-1] if unit else "")
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


#: Every column that tables share, by name.
WORDS = _Words(_TEXT)


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
        column = replace(held, name=name, doc=f"`{base}` {ROLES[role]}.")
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


def expected(name: str) -> Column | None:
    """Return the word that a name is, or that it ends with; None for neither."""
    return _expected(name)[0]


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
