"""Measure complete and correct data recovered from damaged replays.

    python tools/measure_sc2_damage.py FOLDER

Each replay of the folder is damaged in memory: without its details (and their backup), without details and
lobby, without its header, and with one bad sector in the middle of its game events, if they have sectors.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.model import Player
from playhead.sc2.replay import Sc2Replay

DETAILS = (member_names.DETAILS, member_names.DETAILS_BACKUP)
LOBBY = (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP)
FIELDS = ("player", "name", "kind", "team", "race", "result", "account", "user")


def open_sc2(data: bytes) -> Sc2Replay:
    replay = playhead.open(data)
    assert isinstance(replay, Sc2Replay)
    return replay


def without(replay: Sc2Replay, names: Collection[str]) -> Sc2Replay | None:
    """Return the replay without some members; None if it has none of them or cannot be rewritten."""
    there = [
        name
        for name in names
        if replay.recording.container.archive is not None and name in replay.recording.container.archive
    ]
    try:
        return open_sc2(rewrite_replay(replay.recording.container, {}, there)) if there else None
    except playhead.ReplayError:
        return None


def without_header(replay: Sc2Replay) -> Sc2Replay | None:
    archive = replay.recording.container.archive
    if replay.recording.container.header is None or archive is None or archive.header.offset < 200:
        return None
    data = bytearray(replay.recording.container.data)
    data[16 : archive.header.offset] = bytes(archive.header.offset - 16)
    return open_sc2(bytes(data))


def with_bad_sector(replay: Sc2Replay, seed: int) -> Sc2Replay | None:
    """Return the replay with one bit changed in a sector of its game events; None if they have no sectors."""
    archive = replay.recording.container.archive
    if not isinstance(archive, MpqArchive) or member_names.GAME_EVENTS not in archive:
        return None
    block = archive.blocks[archive.names[member_names.GAME_EVENTS]]
    sectors = -(-block.unpacked_size // archive.header.sector_size)
    if block.single_unit or sectors < 3:
        return None
    place = archive.header.offset + block.offset
    number = random.Random(seed).randrange(1, sectors - 1)
    data = bytearray(replay.recording.container.data)
    begin, end = (
        int.from_bytes(data[place + 4 * index : place + 4 * index + 4], "little") for index in (number, number + 1)
    )
    data[place + (begin + end) // 2] ^= 4
    return open_sc2(bytes(data))


def fact(player: Player, field: str) -> object:
    return getattr(player, field, None) if field in Player.__dataclass_fields__ else player.details.get(field)


def compare_players(whole: Sc2Replay, hurt: Sc2Replay, found: Counter[str]) -> None:
    found["replays"] += 1
    if len(whole.players) != len(hurt.players):
        found["another number of players"] += 1
        return
    for ours, theirs in zip(hurt.players, whole.players, strict=True):
        found["players"] += 1
        for field in FIELDS:
            mine, right = fact(ours, field), fact(theirs, field)
            found[f"{field} {'right' if mine == right else 'missing' if mine is None else 'wrong'}"] += 1


def compare_headers(whole: Sc2Replay, hurt: Sc2Replay, found: Counter[str]) -> None:
    found["replays"] += 1
    low, high = hurt.info.details.get("build_range") or (hurt.recording.builds[0], hurt.recording.builds[0])
    found["builds told by metadata" if hurt.info.build else "builds inferred"] += 1
    found["the range has the build" if low <= whole.recording.builds[0] <= high else "another build"] += 1
    found["commands equal"] += hurt.table("commands").num_rows == whole.table("commands").num_rows
    found["clock equal"] += hurt.recording.loops_per_second == whole.recording.loops_per_second
    found["complete equal"] += hurt.info.complete == whole.info.complete


def compare_events(whole: Sc2Replay, hurt: Sc2Replay, found: Counter[str]) -> None:
    found["replays"] += 1
    before, now = whole.recording.stream("game"), hurt.recording.stream("game")
    assert before is not None
    assert now is not None
    found["events"] += len(before)
    found["events kept"] += len(now)
    found["complete"] += hurt.info.complete
    gap = hurt.info.details.get("gaps", {}).get("game")
    if gap is None:
        return
    found["resumed"] += 1
    tail = sum(tick >= gap["next_tick"] for tick in now.tick.to_pylist())
    same = now.number[-tail:].equals(before.number[-tail:]) and now.user[-tail:].equals(before.user[-tail:])
    found["events behind the gap equal but for a constant in their loops"] += same and (
        len(
            {
                mine - right
                for mine, right in zip(now.tick[-tail:].to_pylist(), before.tick[-tail:].to_pylist(), strict=True)
            }
        )
        == 1
    )
    found["loops late in all"] += now.tick[-1].as_py() - before.tick[-1].as_py()


def main(folder: Path) -> None:
    experiments: dict[str, tuple[Callable[[Sc2Replay], Sc2Replay | None], Callable[..., None]]] = {
        "without details": (lambda replay: without(replay, DETAILS), compare_players),
        "without details and lobby": (lambda replay: without(replay, (*DETAILS, *LOBBY)), compare_players),
        "without header": (without_header, compare_headers),
        "with a bad sector": (lambda replay: with_bad_sector(replay, 1), compare_events),
    }
    found: dict[str, Counter[str]] = {name: Counter() for name in experiments}
    for path in sorted(folder.rglob("*.SC2Replay")):
        for name, (damage, compare) in experiments.items():
            whole = open_sc2(path.read_bytes())
            if whole.recording.container.header is None or (whole.recording.details is None and "details" in name):
                continue
            hurt = damage(whole)
            if hurt is not None:
                compare(whole, hurt, found[name])
                said = [(problem.where, problem.what) for problem in hurt.problems]
                found[name]["problems said twice"] += len(said) - len(set(said))
    for name, counts in found.items():
        print(name)
        for what, count in counts.items():
            print(f"{count:>9}  {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
