"""Why tables of StarCraft II leave columns empty in a recording (`Replay.unfilled`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.blizzard.events.tracker import (
    FIRST_CREATORS,
)
from playhead.blizzard.members.member_names import GAME_ATTRIBUTES
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.recording.recording import losses, with_losses
from playhead.model import Player
from playhead.sc2.members.players import winners
from playhead.sc2.members.setting import ARCADE, ARCHON, COOP
from playhead.sc2.recording.game import FIRST_TRACKER
from playhead.sc2.recording.recording import Sc2Recording
from playhead.sc2.tables.registry import TABLES
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    pass


#: Columns that builds before a base build lack, and what the files lack.
_SINCE: Sequence[tuple[int, str, str]] = (
    (
        15097,
        "info.end_time info.played_at info.played_at_is info.game_type info.winner_name info.winner_team "
        "periods.winner_team outcomes.result players.result players.recorded_result players.account "
        "players.region players.realm reasons.result",
        "files up to 0.10 have players and map in replay.info, without results, accounts and the time of the end",
    ),
    (17266, "slots.account", "the slots of the lobby have accounts since build 17266"),
    (24764, "players.clan players.league", "the lobby has clans and leagues since build 24764"),
    (24764, "resume_points.color resume_points.name", "the markers have names and colours since build 24764"),
    (
        26490,
        " ".join(
            f"player_series.{resource}_friendly_fire_{of}"
            for resource in ("minerals", "vespene")
            for of in ("army", "economy", "technology")
        ),
        "the game counts friendly fire since build 26490",
    ),
    (27950, "camera.reason_id", "SCameraUpdateEvent has a reason since build 27950"),
    (27950, "units.attacker_unit", "the tracker names the unit that killed another since build 27950"),
    (34784, "commands.command_number", "SCmdEvent has a number since build 34784"),
    (34784, "leaves.reason leaves.reason_id", "the event of a leaver has a reason since build 34784"),
    (54518, "slots.mmr", "the slots of the lobby have ratings since build 54518"),
    (
        FIRST_CREATORS,
        "units.creator_unit units.creator_ability units.hallucinated",
        f"before build {FIRST_CREATORS} (3.16) the tracker does not say what created a unit",
    ),
    (80949, "players.prestige", "commanders have a prestige since build 80949"),
)
#: Columns of the tracker in tables that have others too.
_TRACKED = (
    "boosts.energy boosts.target_unit_type injects.energy injects.larvae_tick injects.larvae_seconds mules.energy "
    "mules.unit mules.end_tick mules.end_seconds scans.energy outcomes.structures outcomes.structures_end_tick "
    "outcomes.structures_end_seconds player_stats.army_value player_stats.first_expansion_seconds "
    "player_stats.first_gas_seconds player_stats.first_tech_seconds player_stats.minerals_collected "
    "player_stats.minerals_killed player_stats.minerals_lost player_stats.minerals_spent "
    "player_stats.spending_quotient player_stats.supply_blocked_seconds player_stats.vespene_collected "
    "player_stats.vespene_killed player_stats.vespene_lost player_stats.vespene_spent player_stats.workers_killed "
    "player_stats.workers_lost player_stats.workers_made unit_types.form_of unit_types.minerals unit_types.supply "
    "unit_types.supply_made unit_types.unit_class unit_types.vespene"
)
#: Columns and tables that are made of the tracker or a member.
_MADE_OF = {TRACKER: f"{_TRACKED} reasons.*", GAME_ATTRIBUTES: "attributes.*"}
#: Absent from every replay.
_NOWHERE: Mapping[str, str] = {
    "info.game_word": "files have no word for the game",
    "info.start_time": "no member has the start of the recording",
    "info.units_per_metre": "a cell has no size in metres",
    "unit_grid.health": "replays record no health of units",
    **dict.fromkeys(
        ("info.winner_side", "players.side", "periods.winner_side"), "teams of StarCraft II have numbers, no words"
    ),
}

_NO_CASTER = "in no order was exactly one of the selected units able to cast it"
_NO_ENERGY = "no cast has a caster whose energy is known: several were selected, or the cast is free"
_NO_PLACE = "the tracker has no minerals and geysers of the start, so no place of resources is known"
_NO_HALL = "no player had a town hall"
_IDLE = "all rows are idle times: no building made anything"
_NO_UNIT_TARGET = "no order has a unit as its target"
_UNDECIDED = "the file has no result of any player, as if it was saved by somebody who left before the end"
_MIXED = "players of one team have different results (players.result)"
_LOCAL = "the file lists no files of the game's cache: a game without Battle.net"
_NO_ACCOUNT = "no player has an account in the file: it is of a game without Battle.net, or anonymised"
_NO_COST = "the list of types has no units of this map, and no upgrade with a cost"
#: Columns that any recording may leave empty: true whenever all rows are null. ``table.*`` is of an empty table.
_LEFT: Mapping[str, str] = {
    "bases.attacker_player": "no player destroyed a town hall",
    "bases.end_tick bases.end_seconds bases.outcome": "no town hall fell, was lifted, cancelled or handed over",
    "bases.player bases.tick bases.seconds bases.unit bases.unit_type": _NO_HALL,
    "bases.finished_tick bases.finished_seconds": "no town hall was finished",
    "bases.nth": "no player had a town hall at a known place of resources",
    "bases.base bases.is_start bases.mineral_fields bases.geysers hatcheries.base scouting.base": _NO_PLACE,
    "boosts.caster_unit injects.caster_unit scans.caster_unit": _NO_CASTER,
    "mules.caster_unit": f"the tracker names no creator of a MULE before build {FIRST_CREATORS}, and {_NO_CASTER}",
    "boosts.energy injects.energy scans.energy": _NO_ENERGY,
    "boosts.target_unit_type": "the tracker does not know the targets",
    "injects.larvae_tick injects.larvae_seconds": "no inject was followed by its larvae",
    "mules.energy": "no MULE has an order whose caster has a known energy",
    "mules.target_unit": "no MULE appeared in the loop of an order to call one to minerals",
    "mules.end_tick mules.end_seconds": "no MULE ended before the recording did",
    "casters.idle_seconds": "there are only Nexuses, whose boosts are free in this build",
    "casters.end_tick casters.end_seconds": "no Nexus, Orbital Command or Queen died",
    "hatcheries.end_tick hatcheries.end_seconds": "no finished hatchery fell",
    "hatcheries.inject_share": "no player had a queen while a hatchery stood",
    "build_order.unit": "all steps are upgrades",
    "build_order.x build_order.y": "all steps are upgrades, morphs and eggs that never hatched",
    "build_order.race": "the list of types has no unit and no upgrade of this map",
    "camera.distance": "no move changed the distance",
    "camera.pitch": "no move changed the pitch",
    "camera.yaw": "no move turned the camera",
    "camera.reason_id": "players moved the camera themselves, so no event has a reason",
    "commands.ability_id commands.ability_index": "all orders are smart commands (the right button)",
    "commands.ability_data": "no order has extra data of an ability; since build 16561 SCmdEvent has none",
    "commands.other_unit": "no order is about another unit",
    "commands.target_unit commands.target_unit_type_id commands.target_player": _NO_UNIT_TARGET,
    "commands.target_unit_type": "no order has a unit as its target whose type the tracker or a list knows",
    "commands.target_value": "no order has data as its target",
    "commands.x commands.y commands.z": "no order has a point or a unit as its target",
    "info.lost_parts": "nothing is lost",
    "info.not_recorded": "the replay has tracker events",
    "info.resumed_tick": "the game was not resumed from a replay",
    "info.start_tick": "the game begins with the recording",
    "info.map_english": "no list has the map: arcade maps, missions, and tournaments' own versions are in none",
    "info.map_hash info.region cache_files.*": _LOCAL,
    "info.map_width info.map_height": "the lobby has no size of the map",
    "info.mode": "the lobby has one player",
    "players.result players.recorded_result reasons.result": _UNDECIDED,
    "leaves.player": "only observers left",
    "pings.player": "only observers sent pings",
    "outcomes.end_tick outcomes.end_seconds": "of no team did all players leave",
    "outcomes.inferred_result outcomes.evidence": "neither structures nor the order of leaving show a winner",
    "outcomes.structures": "structures are counted in melee games only",
    "outcomes.structures_end_tick outcomes.structures_end_seconds": "no team lost its last structure",
    "player_stats.first_expansion_seconds": "no player began another town hall",
    "player_stats.first_gas_seconds": "no player began a building for vespene",
    "player_stats.first_tech_seconds": "no player began a Factory, Twilight Council, Robotics Facility, Stargate "
    "or Lair",
    "player_stats.pac_actions player_stats.pac_latency": "no camera stayed for a perception-action cycle",
    "player_stats.pac_gap_seconds": "no player has two perception-action cycles",
    "player_stats.minerals_collected player_stats.minerals_spent player_stats.vespene_collected "
    "player_stats.vespene_spent": "the map took more of what stood there at the start than was added",
    "player_stats.spending_quotient": "no sample has income and unspent resources",
    "players.account players.region players.realm slots.account": _NO_ACCOUNT,
    "players.apm": "no summary of the game with actions a minute, which replay.gamemetadata.json has since 3.4.x",
    "players.clan": "no player has a clan",
    "players.league": "no player has a league in the lobby",
    "players.mmr": "neither the lobby nor the game's own summary has a rating of a player",
    "slots.mmr": "no slot has a rating",
    "players.name reasons.name slots.name": "names were removed, as in Blizzard's packs for machine learning",
    "players.prestige": "no commander has a prestige",
    "slots.race_id": "all chose a random race",
    "production.product production.product_unit production.boosted production.follows production.overlaps "
    "production.known_by production.waiting": _IDLE,
    "production.end_tick production.end_seconds": "no product and no idle time ended",
    "production.ordered_tick production.ordered_seconds": "no product has a known order",
    "reasons.own": "all rows are of players without a look at any base of an opponent",
    "reasons.opponent": "no rule that applies compares the player with the opponents",
    "resume_points.user": "no marker names a user: they are of the game itself",
    "scouting.unit scouting.unit_type": "the tracker reported no unit at a base of an opponent",
    "unit_types.build_ticks unit_types.build_seconds": "the list has no build time of these types",
    "unit_types.form_of": "no unit was in another form of its type",
    "unit_types.race": "all rows are commands without a race",
    "unit_types.minerals unit_types.vespene unit_types.supply unit_types.supply_made "
    "unit_types.unit_class": _NO_COST,
    "units.attacker_player": "no player killed a unit",
    "units.attacker_unit": "the tracker names no unit that killed another",
    "units.creator_unit units.creator_ability": "no unit created another",
    "units.end_tick units.end_seconds units.end_x units.end_y": "no unit died",
    "bases.*": "the tracker has no town hall of a player and no minerals",
    "boosts.*": "no chrono boost was ordered, and no Nexus boosted itself",
    "commands.*": "no user gave an order",
    "inputs.*": "no user did anything",
    "injects.*": "no queen injected larvae",
    "mules.*": "no MULE was called",
    "casters.*": "no player had a finished Nexus, Orbital Command or Queen",
    "hatcheries.*": "no player had a finished hatchery",
    "unit_changes.*": "no unit changed its type or owner",
    "unit_types.*": "the file has no unit, no upgrade and no order with a known name",
    "apm.*": "no player did anything that counts as an action",
    "attributes.*": "the file has no replay.attributes.events, or it is empty",
    "build_order.*": "no player began anything",
    "creep.*": "no player had a hatchery or a creep tumour",
    "energy.*": "no player had a Nexus, an Orbital Command or a Queen",
    "engagements.*": "there was no fight: no three units or buildings fell within 224 loops and 16 cells",
    "player_series.*": "the tracker has no statistics of players",
    "positions.* unit_counts.* unit_grid.*": "no player had a unit",
    "production.*": "no player had a building that makes units or upgrades",
    "resume_points.*": "the file has no replay.resumable.events, or nobody left",
    "reasons.*": "no rule applies to a player",
    "scouting.*": "nobody saw, reached or ordered units to a base of an opponent",
    "player_stats.* event_counts.*": "the file has no events of the game",
    "sync.*": "the file has no checksums of the game's state",
}


def barred(recording: Sc2Recording, facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns and tables that a recording of this build and mode cannot fill, with the reasons.

    Args:
        recording: the recording.
        facts: `Info.details`.
    """
    base, found = recording.builds[0], dict(_NOWHERE)
    if absent := facts.get("not_recorded"):
        reason = (
            "the game wrote no tracker events before 2.0.8"
            if recording.builds[1] < FIRST_TRACKER
            else "the file has no replay.tracker.events, as in Blizzard's packs for machine learning"
        )
        found |= dict.fromkeys((*absent, *_TRACKED.split()), reason)
    for first, names, reason in _SINCE:
        found |= dict.fromkeys(names.split() if base < first else (), reason)
    if facts.get("mode") != COOP:
        of_commanders = "commander commander_level mastery_level mastery_talents prestige"
        found |= {f"players.{name}": "only missions of co-op have commanders" for name in of_commanders.split()}
    if facts.get("mode") != ARCHON:
        found["players.shared_army"] = "only in archon mode do players share an army"
    return found


def reasons_of(
    recording: Sc2Recording, facts: Mapping[str, Any], schemas: Mapping[str, TableSchema]
) -> dict[str, str]:
    """Return the reasons by table and column.

    Args:
        recording: the recording.
        facts: `Info.details`.
        schemas: of the tables.
    """
    if recording.container.archive is None:
        lost = "the archive is lost (see the problems)"
        rows = {f"{table}.{name}": lost for table in ("info", "periods") for name in schemas[table].column_names}
        return {**rows, **_NOWHERE, **{f"{name}.*": lost for name in schemas}}
    found = {name: reason for names, reason in _LEFT.items() for name in names.split()}
    found |= _of_players(recording.players, facts.get("mode"))
    found["commands.ability"] = _of_abilities(recording)
    columns = {name: schemas[name].column_names for name in ("info", "players", "periods")}
    return with_losses(found, losses(recording), TABLES, _MADE_OF, columns) | barred(recording, facts)


def _of_players(players: Sequence[Player], mode: str | None) -> dict[str, str]:
    """Return the reasons that depend on who played."""
    decided = any(player.result is not None for player in players)
    mixed = decided and len(winners(players)) < sum(player.result == "win" for player in players)
    no_team = "no team, or several, or a team without names won by the file"
    won = _MIXED if mixed else no_team if decided else _UNDECIDED
    inferred = "the file has the result" if decided else "the game shows no probable winner (table outcomes)"
    computers = any(player.kind == "computer" for player in players)
    difficulty = "the lobby has no difficulty of the computers" if computers else "no computer plays"
    own = mode in (ARCADE, COOP)
    races = "maps of their own and missions have no matchup" if own else "the race of a player is unknown"
    return {
        **dict.fromkeys(
            ("info.inferred_winner_name", "info.inferred_winner_team", "info.winner_evidence"), inferred
        ),
        **dict.fromkeys(("players.difficulty", "slots.difficulty"), difficulty),
        **dict.fromkeys(("info.winner_name", "info.winner_team", "periods.winner_team"), won),
        "outcomes.result": _MIXED if mixed else _UNDECIDED,
        "info.matchup": races,
    }


def _of_abilities(recording: Sc2Recording) -> str:
    """Return why no order has a name."""
    names = recording.ability_names
    if names is not None and names.modded:
        return "the map has data of its own, so the build's list of abilities does not fit"
    if names is None or not names.abilities:
        return f"there is no list of the abilities of build {recording.builds[1]}"
    return "no order has an ability that the build's list names"
