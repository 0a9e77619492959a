"""Measure the events recovered from damaged StarCraft II replays.

    python benchmarks/sc2_damage.py                       # the synthetic sample
    python benchmarks/sc2_damage.py ../shared/corpus/sc2 --every 30 --places 12

Damages are: files cut, bits flipped and bytes zeroed at evenly spaced places, the header lost, the details
damaged. An event counts as kept if loop, user and event equal those of the undamaged file, counted from the
first event on, and from the last one backwards if reading resumed after a gap.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import playhead

STREAMS = ("game_events", "message_events", "tracker_events")


def cut(data: bytes, place: int) -> bytes:
    return data[:place]


def flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes((data[place] ^ 0x10,)) + data[place + 1 :]


def zero(data: bytes, place: int) -> bytes:
    return (data[:place] + bytes(64) + data[place + 64 :])[: len(data)]


def lose_header(data: bytes, place: int) -> bytes:
    return bytes(512) + data[512:]


def hurt_details(data: bytes, place: int) -> bytes:
    """Zero the first member: the details, or their predecessor in betas."""
    start = 1024 + (208 + 1024 if data[1036:1038] == b"\x03\0" else 44) + 40
    return data[:start] + bytes(64) + data[start + 64 :]


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "cut": cut,
    "flip": flip,
    "zero": zero,
    "header": lose_header,
    "details": hurt_details,
}
#: Damages that are independent of the place.
ONCE = ("header", "details")

Row = tuple[Any, ...]


def events_of(replay: playhead.Replay) -> list[list[Row]]:
    """Return loop, user and kind of the events of each stream."""
    found = replay.read_tables(STREAMS)
    out = []
    for name in STREAMS:
        table = found[name]
        columns = [table.column(c).to_pylist() for c in ("tick", "user", "event") if c in table.column_names]
        out.append(list(zip(*columns, strict=True)))
    return out


def kept(mine: list[Row], whole: list[Row]) -> tuple[int, int, int]:
    """Return the number of correct events from the front and from the back, and the delay of those at the back.

    After a gap, loops are counted back from the end, which may delay them.
    """

    def same(a: list[Row], b: list[Row]) -> int:
        return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))

    front = same(mine, whole)
    if front in (len(mine), len(whole)):
        return front, 0, 0
    late = mine[-1][0] - whole[-1][0]
    shifted = [(tick - late, *rest) for tick, *rest in mine[front:][::-1]]
    return front, same(shifted, whole[front:][::-1]), late


def people(players: Sequence[playhead.Player]) -> list[tuple[object, ...]]:
    """Return the players' identities, without names of computers, which only the details have."""
    return [(p.player, p.kind, p.team, None if p.kind == "computer" else p.name) for p in players]


def measure(data: bytes, places: int, counts: dict[str, Counter[str]]) -> None:
    """Add the results of each damage of one file to `counts`."""
    whole = playhead.open(data)
    events, info, players = events_of(whole), whole.info, whole.players
    total = sum(map(len, events))
    for (kind, damage), number in itertools.product(DAMAGES.items(), range(places)):
        if number and kind in ONCE:
            continue
        place = (2 * number + 1) * len(data) // (2 * places)
        count = counts[kind]
        count["files"] += 1
        count["events in them"] += total
        try:
            hurt = playhead.open(damage(data, place))
            mine = events_of(hurt)
            after, named = hurt.info, hurt.players
        except playhead.ReplayError:
            count["nothing to read"] += 1
            continue
        found = [kept(a, b) for a, b in zip(mine, events, strict=True)]
        right = sum(front + back for front, back, _ in found)
        count["events kept"] += right
        count["of these behind a gap and late"] += sum(back for _, back, late in found if late)
        count["late by loops at most"] = max(count["late by loops at most"], *(late for *_, late in found))
        count["wrong events"] += sum(map(len, mine)) - right
        count["players as before"] += people(named) == people(players)
        count["names of computers as before"] += [p.name for p in named] == [p.name for p in players]
        count["seconds as before"] += after.ticks_per_second == info.ticks_per_second
        count["version as before"] += after.version == info.version
        if right < total:
            count["with events gone"] += 1
            count["of these complete says yes"] += after.complete
            count["of these no problem"] += not hurt.problems
        # Two different costs for one place would describe one loss twice.
        costs: dict[tuple[object, ...], set[str]] = {
            (problem.where, problem.offset, problem.what): set() for problem in hurt.problems
        }
        for problem in hurt.problems:
            costs[problem.where, problem.offset, problem.what].add(problem.cost)
        count["problems twice"] += any(len(each) > 1 for each in costs.values())


def inputs(arguments: argparse.Namespace) -> Iterator[bytes]:
    if arguments.folder is None:
        sys.path.append(str(Path(__file__).resolve().parents[1]))
        from tests.samples.sc2.replay import sample_bytes

        yield sample_bytes()
        return
    for path in sorted(arguments.folder.rglob("*.SC2Replay"))[:: arguments.every]:
        yield path.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--every", type=int, default=30, metavar="N", help="take every Nth file")
    parser.add_argument("--places", type=int, default=12, metavar="N", help="damage each file at N places")
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in DAMAGES}
    files = 0
    for data in inputs(arguments):
        files += 1
        measure(data, arguments.places, counts)
    names = list(dict.fromkeys(itertools.chain.from_iterable(counts.values())))
    print(f"{files} files, {arguments.places} places each")
    print("| | " + " | ".join(DAMAGES) + " |\n|---|" + "---:|" * len(DAMAGES))
    for name in names:
        print(f"| {name} | " + " | ".join(f"{counts[kind][name]:,}" for kind in DAMAGES) + " |")


if __name__ == "__main__":
    main()
