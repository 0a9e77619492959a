"""The type tables of StarCraft II: packaged, patched, and those of an installed s2protocol."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from playhead.blizzard.protocol.program import Program
from playhead.blizzard.protocol.protocols import Patch, Protocols, insert
from playhead.blizzard.protocol.tables import TypePool
from playhead.runtime.beside import path_beside

if TYPE_CHECKING:
    from pathlib import Path


_PREFIX = "protocol"


def modules(package: str = "s2protocol") -> dict[int, Path]:
    """Return the modules of a package of Blizzard's by base build; empty if it is not installed."""
    import importlib.util
    from pathlib import Path

    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return {}
    found: dict[int, Path] = {}
    for place in () if spec is None else spec.submodule_search_locations or ():
        for path in (Path(place) / "versions").glob(f"{_PREFIX}*.py"):
            build = path.stem.removeprefix(_PREFIX)
            if build.isdigit():
                found.setdefault(int(build), path)
    return found


def literals(path: Path) -> dict[str, Any]:
    """Return the literals that a module assigns at its top level."""
    import ast

    found: dict[str, Any] = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                found[statement.targets[0].id] = ast.literal_eval(statement.value)
            except ValueError:
                continue
    return found


def installed_table(base_build: int, above: int, pool: TypePool) -> tuple[int, Mapping[str, Any]] | None:
    """Return build and table that are nearest to a base build and newer than `above`; None without any."""
    for build, path in sorted(modules().items(), reverse=True):
        if above < build <= base_build:
            try:
                return build, pool.add_table([build], literals(path))
            except (
                Exception
            ):  # a third party's file: if it is invalid, replays must still open with the next lower table
                continue
    return None


_INT7 = ["int", 0, 7]
_DESCRIPTION = "m_syncLobbyState.m_gameDescription"

PATCHES: tuple[Patch, ...] = (
    Patch(
        "retail 1.0 in base build 15405",
        "Retail 1.0.0 to 1.0.3 and beta 0.19 have base build 15405 like the betas before, but write cameras and "
        "the lobby as 1.1 does, and an optional bit array in control group updates.",
        15405,
        15976,
        from_build=15976,
        steps=(
            ("copy", "game", "Game.SCameraUpdateEvent", 49, 16561),
            ("optional_bits", "game", "Game.SControlGroupUpdateEvent", "m_mask", 8),
            ("copy_init_data", 16561),
        ),
    ),
    Patch(
        "beta of Heart of the Swarm, 23925",
        "No table was published. Its event numbers are those of 23260, the bodies of three events those of 24764.",
        23925,
        23925,
        steps=(
            ("copy", "game", "Game.SUserOptionsEvent", 12, 24764),
            ("copy", "game", "Game.SSelectionDeltaEvent", 28, 24764),
            ("copy", "game", "Game.SCameraUpdateEvent", 49, 24764),
        ),
    ),
    Patch(
        "beta of Heart of the Swarm, 24247",
        "No table was published. Game and message events are those of 24764.",
        24247,
        24247,
        steps=(("copy_all", "game", 24764), ("copy_all", "message", 24764)),
    ),
    Patch(
        "lobby of the betas of Heart of the Swarm",
        "No table was published. The lobby is that of 23260 with the AI builds and the co-op mode of 24764.",
        23925,
        24247,
        steps=(
            ("insert", f"{_DESCRIPTION}.m_slotDescriptions", "m_allowedAIBuilds", ["bitarray", 0, 7], None),
            ("insert", _DESCRIPTION, "m_defaultAIBuild", _INT7, "m_defaultDifficulty"),
            ("insert", _DESCRIPTION, "m_isCoopMode", ["bool"], "m_isPremadeFFA"),
            ("insert", "m_syncLobbyState.m_lobbyState.m_slots", "m_aiBuild", _INT7, "m_difficulty"),
        ),
    ),
    Patch(
        "2.0.4 to 2.0.9 in base build 24944",
        "The table has neither the camera saves nor the tracker events that 2.0.8 and 2.0.9 write; both are those "
        "of 26490.",
        24944,
        26489,
        steps=(("copy", "game", "Game.SCameraSaveEvent", 14, 26490), ("copy_all", "tracker", 26490)),
    ),
)

#: ``replay.attributes.events`` begins with a byte for its source from this build on. The corpus has no build
#: between 16939, which does not have it, and this one.
FIRST_ATTRIBUTES_WITH_SOURCE = 17326


PROTOCOLS = Protocols(path_beside(__file__, "tables.json.zlib"), PATCHES, installed_table)

known_builds = PROTOCOLS.known_builds
wire_formats = PROTOCOLS.wire_formats
distinct_builds = PROTOCOLS.distinct_builds
protocol_table = PROTOCOLS.table
event_program = PROTOCOLS.event_program
init_data_program = PROTOCOLS.init_data_program


@lru_cache(maxsize=1)
def replay_info_type() -> tuple[TypePool, int]:
    """Return the pool, and the number of the type of ``replay.info`` (betas up to 0.10) up to the map's title.

    It is the lobby of protocol 15405 with these differences, found on the 21 replays of that time: two more bits
    of game options (it is unknown which two, so all 16 are one number), the file name of the mod after its
    checksum, no ``m_isBlizzardMap``, and slots without rewards.
    """
    pool, tables = PROTOCOLS.stored

    def changed(type_: int, **fields: list[Any] | int | None) -> int:
        """Return a struct with changed or removed fields."""
        new = [
            [name, fields.get(name, inner), tag]
            for name, inner, tag in pool.fields(type_)
            if fields.get(name, inner) is not None
        ]
        return pool.add(["struct", [[n, pool.add(t) if isinstance(t, list) else t, tag] for n, t, tag in new]])

    def inner(type_: int, name: str) -> int:
        found: int = next(known for field, known, _ in pool.fields(type_) if field == name)
        return found

    state = inner(tables[15405]["init_data"], "m_syncLobbyState")
    game = inner(state, "m_gameDescription")
    game = changed(game, m_gameOptions=["int", 0, 16], m_isBlizzardMap=None)
    game = insert(pool, game, [], ["m_modFileName", pool.add(["blob", 0, 10]), -1], "m_modFileSyncChecksum")
    lobby = inner(state, "m_lobbyState")
    kind, least, width, slot = pool.types[inner(lobby, "m_slots")]
    lobby = changed(lobby, m_slots=[kind, least, width, changed(slot, m_rewards=None)])
    state = changed(state, m_gameDescription=game, m_lobbyState=lobby)
    title = ["m_title", pool.add(["blob", 0, 10]), -1]
    return pool, pool.add(["struct", [["m_syncLobbyState", state, -1], title]])


@lru_cache(maxsize=1)
def replay_info_program() -> Program:
    """Return the program for the first part of ``replay.info``: one event, number 0."""
    program = Program()
    program.add(0, "ReplayInfo", *replay_info_type())
    return program
