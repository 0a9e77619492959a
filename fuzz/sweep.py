"""Change a written match in every single way that an update of its game could, and compare all its tables.

    python fuzz/sweep.py cs2|deadlock|dota2|sc2|hots|teehistorian [--step N] [--only WORDS] [--seconds S]

Each change is made alone. A table may differ from that of the unchanged match only if a problem or `unfilled` says
so, or if a sound recording may lack what was taken (`ABSENT` of the game's module has the reasons); in strict mode
only a `ReplayError` may be raised.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import pyarrow as pa
import targets  # noqa: F401

import playhead

#: Bytes of the address space: a change that needs more is a failure.
_MEMORY = 4 << 30
#: A change: what it is called, and the changed bytes; None if the writers cannot write that.
Change = tuple[str, Callable[[], bytes | None]]


class Read(NamedTuple):
    """What a recording gives."""

    tables: Mapping[str, pa.Table]
    unfilled: Mapping[str, str]
    problems: tuple[playhead.Problem, ...]


def read(data: bytes) -> Read:
    """Read everything, leniently."""
    with playhead.open(data) as replay:
        tables = dict(replay.read_tables(None))
        for name, table in tables.items():
            table.validate(full=True)
            assert table.column_names == list(replay.tables[name].column_names)
        assert len(list(replay.events())) == tables["events"].num_rows or replay.problems
        assert isinstance(replay.players, tuple)
        # Its rows are those of other tables; here it has one for each kind of events.
        tables["events"] = _by_kind(tables["events"])
        tables["info"] = tables["info"].drop_columns(["details"])  # what the file itself says
        return Read(tables, dict(replay.unfilled), replay.problems)


def _by_kind(events: pa.Table) -> pa.Table:
    counts = Counter(events["kind"].to_pylist())
    return pa.table({"kind": sorted(counts), "rows": [counts[kind] for kind in sorted(counts)]})


def silent(before: Read, after: Read, *, values: bool) -> Iterator[str]:
    """Yield each loss that nothing announces: rows, values that became null and, with `values`, other values."""
    if set(after.problems) - set(before.problems):
        return
    said = {name for name, reason in after.unfilled.items() if before.unfilled.get(name) != reason}
    for name, table in before.tables.items():
        now = after.tables[name]
        if name in said:
            continue
        if now.num_rows != table.num_rows:
            yield f"{name}: {table.num_rows} -> {now.num_rows}"
            continue
        changed = [
            each
            for each in table.column_names
            if f"{name}.{each}" not in said
            and (now[each].null_count > table[each].null_count or (values and not _equal(table[each], now[each])))
        ]
        if changed:
            yield f"{name}: values of {' '.join(changed)}"


def _equal(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    if pa.types.is_dictionary(one.type):
        one, other = one.cast(one.type.value_type), other.cast(one.type.value_type)
    return bool(one.equals(other)) or str(one.to_pylist()) == str(other.to_pylist())  # NaN


def strictly(data: bytes) -> None:
    """Read everything in strict mode."""
    try:
        with playhead.open(data, strict=True) as replay:
            replay.read_tables(None)
            replay.problems  # noqa: B018
    except playhead.ReplayError:
        pass


def sweep(
    sound: bytes, changes: Iterator[Change], seconds: float, excused: frozenset[str], absent: Mapping[str, str]
) -> Counter[str]:
    """Try all changes; print each failure, and each loss that a sound recording may have, with the reason."""
    before, counts, end = read(sound), Counter[str](), time.monotonic() + seconds
    before = before._replace(tables={k: v for k, v in before.tables.items() if k not in excused})
    counts["tables"] = len(before.tables)
    for what, make in changes:
        if time.monotonic() > end:
            print("out of time before", what)
            break
        try:
            data = make()
        except Exception as error:  # the writers cannot write that
            data = None
            counts[f"not written: {type(error).__name__}"] += 1
        if data is None:
            continue
        if data == sound:
            counts["without effect"] += 1
            continue
        counts["changes"] += 1
        try:
            after = read(data)
            lost = list(silent(before, after, values="renamed" in what))
            if lost or after.problems:
                strictly(data)
        except playhead.ReplayError:
            counts["refused"] += 1
            continue
        except Exception as error:
            lost = [f"{type(error).__name__}: {str(error)[:150]}"]
        else:
            reason = next((absent[each] for each in absent if fnmatchcase(what, each)), None)
            if lost and reason is not None:
                counts["may be absent"] += 1
                print(what, "| may be absent:", reason, flush=True)
                continue
        counts["failures"] += bool(lost)
        if lost:
            print(what, "|", "; ".join(lost), flush=True)
    return counts


_MODULES = {
    **dict.fromkeys(("cs2", "deadlock", "dota2"), "sweep_source2"),
    "teehistorian": "sweep_teehistorian",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    module = _MODULES.get(options.game, "sweep_blizzard")
    made = __import__(module)
    sound = made.sound(options.game)
    chosen = (
        each
        for number, each in enumerate(made.changes(options.game))
        if all(word in each[0] for word in options.only.split()) and number % options.step == options.start
    )
    counts = sweep(sound, chosen, options.seconds, made.EXCUSED, getattr(made, "ABSENT", {}))
    print(options.game, dict(counts))
    return counts["failures"] > 0


if __name__ == "__main__":
    sys.exit(main())
