"""What pictures and summaries need to know of StarCraft II."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.model import Death, Highlight, Mark, Player, Presentation, ReplayLike, Series, SeriesSource

_TOWN_HALLS = (
    *("CommandCenter", "CommandCenterFlying", "OrbitalCommand", "OrbitalCommandFlying", "PlanetaryFortress"),
    *("Nexus", "Hatchery", "Lair", "Hive"),
)


def race(player: Player) -> str | None:
    """The race in English where the replay has it, otherwise in the language of who recorded it."""
    found = player.details.get("race") or player.character
    return None if found is None else str(found)


def marks(replay: ReplayLike) -> Iterator[Mark]:
    """Resources, and the town halls that players had; the rest that stands on maps is left out."""
    teams = {player.player: player.team for player in replay.players}
    for row in replay.table("units", columns=["first_type", "first_player", "x", "y"]).to_pylist():
        kind = row["first_type"] or ""
        if row["x"] is None or row["y"] is None:
            continue
        if "MineralField" in kind:
            yield Mark("minerals", row["x"], row["y"])
        elif "Geyser" in kind:
            yield Mark("vespene", row["x"], row["y"])
        elif kind in _TOWN_HALLS:
            yield Mark("town hall", row["x"], row["y"], teams.get(row["first_player"]))


def deaths(replay: ReplayLike) -> Iterator[Death]:
    """Units and structures that a player lost to somebody: those whose killer the tracker names."""
    clock = replay.info.clock
    teams = {player.player: player.team for player in replay.players if player.player is not None}
    columns = ["player", "died_tick", "died_x", "died_y", "killer_player"]
    for row in replay.table("units", columns=columns).to_pylist():
        known = row["died_tick"] is not None and row["killer_player"] is not None and row["player"] in teams
        if known and clock is not None:
            player = row["player"]
            seconds = clock.seconds(row["died_tick"])
            yield Death(seconds, row["died_x"], row["died_y"], player, teams[player], row["killer_player"])


def highlights(replay: ReplayLike) -> Iterator[Highlight]:
    """Town halls: begun, as table ``build_order`` has them, and lost."""
    teams = {player.player: player.team for player in replay.players}
    for row in replay.table("build_order", columns=["seconds", "player", "kind", "name"]).to_pylist():
        if row["kind"] == "structure" and row["name"] in _TOWN_HALLS:
            yield Highlight(row["seconds"], "began a town hall", teams.get(row["player"]))
    clock = replay.info.clock
    columns = ["unit_type", "player", "died_tick", "killer_player"]
    for row in replay.table("units", columns=columns).to_pylist():
        lost = (
            row["unit_type"] in _TOWN_HALLS and row["died_tick"] is not None and row["killer_player"] is not None
        )
        if lost and clock is not None:
            yield Highlight(clock.seconds(row["died_tick"]), "lost a town hall", teams.get(row["player"]))


_VALUE = tuple(
    f"{resource}_used_current_{part}"
    for part in ("army", "economy", "technology")
    for resource in ("minerals", "vespene")
)


def _resources(middle: str) -> tuple[str, str]:
    return f"minerals_{middle}", f"vespene_{middle}"


SERIES = (
    SeriesSource(
        "player_stats",
        {
            "minerals": ("minerals_current",),
            "vespene": ("vespene_current",),
            "minerals_rate": ("minerals_collection_rate",),
            "vespene_rate": ("vespene_collection_rate",),
            "workers": ("workers_active_count",),
            "supply_used": ("food_used",),
            "supply_made": ("food_made",),
            "army_value": _resources("used_current_army"),
            "economy_value": _resources("used_current_economy"),
            "technology_value": _resources("used_current_technology"),
            "army_lost": _resources("lost_army"),
            "army_killed": _resources("killed_army"),
        },
    ),
)

PRESENTATION = Presentation(
    economy=Series(
        "player_stats", ("minerals_collection_rate", "vespene_collection_rate"), "resources collected in a minute"
    ),
    advantage=Series("player_stats", _VALUE, "army, economy and technology (resources)"),
    series=SERIES,
    curves={
        "army value": ("army_value",),
        "unspent resources": ("minerals", "vespene"),
        "workers": ("workers",),
        "supply used": ("supply_used",),
    },
    time_label="time on the game's clock (min:s)",
    no_actions=frozenset({"camera", "update_point", "update_unit"}),
    player_facts=("race", "league", "mmr", "difficulty", "commander"),
    character=race,
    title=lambda info: " ".join(filter(None, ("StarCraft II", info.version))),
    length=("cells", 1.0),
    samples="births, deaths and fights of units",
    marks=marks,
    deaths=deaths,
    deaths_label="units and structures lost",
    highlights=highlights,
)
