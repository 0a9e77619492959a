"""The jobs of other Python packages for `all.py`; as `jobs.py`, but without importing playhead."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from jobs import Paths, main

JOBS: dict[str, Callable[[Paths], Callable[[], Any]]] = {}


def job(make: Callable[[Paths], Callable[[], Any]]) -> Callable[[Paths], Callable[[], Any]]:
    """Register a job under the name of its function."""
    JOBS[make.__name__] = make
    return make


def _quiet() -> None:
    import logging
    import warnings

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


@job
def gem_parse(paths: Paths) -> Callable[[], Any]:
    """gem-dota's parse: entities, string tables, user messages."""
    from gem.parser import ReplayParser

    return lambda: ReplayParser(paths[0]).parse() and None


@job
def demoparser(paths: Paths) -> Callable[[], Any]:
    """demoparser2: position and health of all players at every tick."""
    from demoparser2 import DemoParser

    return lambda: {"rows": len(DemoParser(paths[0]).parse_ticks(["X", "Y", "health"]))}


@job
def demoparser_ticks(paths: Paths) -> Callable[[], Any]:
    """demoparser2: eight properties of all players at every tick."""
    from demoparser2 import DemoParser

    names = ["X", "Y", "Z", "health", "armor_value", "team_num", "pitch", "yaw"]
    return lambda: {"rows": len(DemoParser(paths[0]).parse_ticks(names))}


def _boon(path: str, *names: str) -> Callable[[], Any]:
    os.environ["BOON_TICK_SEGMENTS"] = "1"  # one thread
    from boon import Demo

    def run() -> dict[str, int]:
        demo = Demo(path, preload=False)
        demo.load(*names)
        return {"rows": sum(len(getattr(demo, name)) for name in names)}

    return run


@job
def boon_players(paths: Paths) -> Callable[[], Any]:
    """boon 0.10: all columns of all players at every tick."""
    return _boon(paths[0], "player_ticks")


@job
def boon_fights(paths: Paths) -> Callable[[], Any]:
    """boon 0.10: kills, damage and purchases."""
    return _boon(paths[0], "kills", "damage", "item_purchases")


@job
def awpy_fights(paths: Paths) -> Callable[[], Any]:
    """awpy 3: kills, damages and rounds."""
    from awpy import Demo

    def run() -> dict[str, int]:
        demo = Demo(paths[0])
        return {"rows": len(demo.kills) + len(demo.damages) + len(demo.rounds)}

    return run


#: Properties that awpy has under the name of their field; those of our table that it knows come first.
_RAW = (
    *("m_bInBombZone", "m_bInBuyZone", "m_bIsDefusing", "m_bIsScoped", "m_bIsWalking", "m_fFlags"),
    *("m_flFlashDuration", "m_pItemServices.m_bHasDefuser", "m_pItemServices.m_bHasHelmet"),
    *("m_pMovementServices.m_bDucked", "m_pMovementServices.m_nButtonDownMaskPrev"),
    *("m_unCurrentEquipmentValue", "m_unRoundStartEquipmentValue", "m_unFreezetimeEndEquipmentValue"),
    *("m_angEyeAngles", "m_lifeState", "m_iShotsFired", "m_flFlashMaxAlpha", "m_iScore", "m_iMVPs", "m_iPing"),
    *("m_bPawnIsAlive", "m_pWeaponServices.m_hActiveWeapon", "m_pInGameMoneyServices.m_iStartAccount"),
    *("m_pInGameMoneyServices.m_iCashSpentThisRound", "m_pActionTrackingServices.m_matchStats.m_iKills"),
    "m_szClan",
)


@job
def awpy_columns(paths: Paths) -> Callable[[], Any]:
    """awpy 3: 40 columns of all players at every tick."""
    from awpy import Demo

    named = "X Y Z velocity_x velocity_y velocity_z health armor team_num name money".split()
    return lambda: {"rows": len(Demo(paths[0]).ticks([*named, *_RAW]))}


@job
def sc2reader(paths: Paths) -> Callable[[], Any]:
    """sc2reader's typed events, kept by its replay object."""
    import sc2reader as package

    _quiet()
    return lambda: {"events": sum(len(package.load_replay(path, load_level=4).events) for path in paths)}


@job
def sc2reader_loop(paths: Paths) -> Callable[[], Any]:
    """A loop over replays as its users write it; rejected files count with their time."""
    import sc2reader as package

    _quiet()

    def run() -> dict[str, int]:
        refused = 0
        for path in paths:
            try:
                package.load_replay(path, load_level=4)
            except Exception:
                refused += 1
        return {"refused": refused}

    return run


@job
def gem_batch(paths: Paths) -> Callable[[], Any]:
    """gem-dota's batch over several matches, in one process."""
    import gem

    _quiet()
    return lambda: {"matches": sum(each.ok for each in gem.parse_many(list(paths), workers=1, progress=False))}


@job
def awpy(paths: Paths) -> Callable[[], Any]:
    """awpy 3 over several demos: its table of ticks, kills, damages, rounds, players."""
    from awpy import Demo

    _quiet()

    def run() -> dict[str, int]:
        refused = rows = 0
        for path in paths:
            try:
                demo = Demo(path)
                demo.load("kills", "damages", "rounds", "players")
                rows += len(demo.ticks())
            except Exception:
                refused += 1
        return {"refused": refused, "rows": rows}

    return run


@job
def sc2reader_reads(paths: Paths) -> Callable[[], Any]:
    """Print the positions of the files that sc2reader reads."""
    import sc2reader as package

    _quiet()

    def run() -> dict[str, list[int]]:
        found = []
        for number, path in enumerate(paths):
            try:
                package.load_replay(path, load_level=4)
            except Exception:
                continue
            found.append(number)
        return {"read": found}

    return run


@job
def s2protocol(paths: Paths) -> Callable[[], Any]:
    """Blizzard's s2protocol: all events as dicts; unknown builds are read with its latest tables."""
    import mpyq
    from s2protocol import versions

    def events(path: str) -> int:
        archive = mpyq.MPQArchive(path)
        header = versions.latest().decode_replay_header(archive.header["user_data_header"]["content"])
        try:
            protocol = versions.build(header["m_version"]["m_baseBuild"])
        except ImportError:  # newer than the package
            protocol = versions.latest()
        streams = ("game", "message", "tracker")
        return sum(
            sum(1 for _ in getattr(protocol, f"decode_replay_{name}_events")(data))
            for name in streams
            if (data := archive.read_file(f"replay.{name}.events"))
        )

    _quiet()
    return lambda: {"events": sum(map(events, paths))}


@job
def spawningtool(paths: Paths) -> Callable[[], Any]:
    """spawningtool's summary: build orders, units, abilities. Rejected files count with their time."""
    import contextlib
    import io

    from spawningtool import parser

    _quiet()

    def run() -> dict[str, int]:
        refused = 0
        for path in paths:
            with contextlib.redirect_stdout(io.StringIO()):
                try:
                    parser.parse_replay(path)
                except Exception:
                    refused += 1
        return {"refused": refused}

    return run


@job
def teehistorian_py(paths: Paths) -> Callable[[], Any]:
    """teehistorian-py: every message as an object, without ticks."""
    from pathlib import Path

    import teehistorian_py as package

    data = Path(paths[0]).read_bytes()
    return lambda: {"messages": sum(1 for _ in package.Teehistorian(data))}


if __name__ == "__main__":
    main(JOBS)
