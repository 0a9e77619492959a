"""Write docs/support.md: support by build, counted on real recordings.

Usage: write_support_matrix.py CORPUS [FILE]

CORPUS is a folder with source2/, sc2/, hots/ and teehistorian/, as in the tests of real recordings. The page has
builds and counts, and no data about players.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import playhead

COMMAND = "python tools/write_support_matrix.py CORPUS"
NOTHING = "–"
#: Decoded members of a StarCraft II or Heroes of the Storm replay, by their name on the page.
MEMBERS = {
    "replay.details": "details",
    "replay.info": "info",
    "replay.initData": "initData",
    "replay.attributes.events": "attributes",
    "replay.game.events": "game events",
    "replay.message.events": "message events",
    "replay.tracker.events": "tracker events",
    "replay.sync.events": "sync",
    "replay.load.info": "load info",
    "replay.resumable.events": "resume",
    "replay.gamemetadata.json": "metadata",
}
HOTS_MEMBERS = {
    **{name: title for name, title in MEMBERS.items() if title in ("details", "initData", "attributes")},
    **{name: title for name, title in MEMBERS.items() if title.endswith(" events")},
    "replay.resumable.events": "resume",
    "replay.server.battlelobby": "battle lobby",
}
CHECKS = ("frames", "packets", "entity messages", "baselines", "full packets")

Row = Sequence[str]


def _recordings(folder: Path, *patterns: str) -> Iterator[playhead.Replay | playhead.ReplayError]:
    """Yield each opened recording, or the error that refused it."""
    for path in sorted(path for pattern in patterns for path in folder.glob(pattern)):
        try:
            yield playhead.open(path)
        except playhead.ReplayError as error:
            yield error


def _counted(counts: Counter[str]) -> str:
    """``decoded``, ``decoded 2, partial 1`` or a dash."""
    reported = {state: count for state, count in counts.items() if state != NOTHING}
    if not reported:
        return NOTHING
    if len(reported) == 1 and len(counts) == 1:
        return next(iter(reported))
    order = ("decoded", "partial", "lost")
    return ", ".join(f"{state} {reported[state]}" for state in order if state in reported)


def _states_of_members(replay: playhead.Replay, members: Mapping[str, str]) -> Mapping[str, str]:
    """Return the decoding status of each member of one replay."""
    troubled = {problem.where for problem in replay.problems}
    there = set(replay.table("members")["member"].to_pylist())
    unnamed = {
        f"replay.{row['stream']}.events" for row in replay.table("event_counts").to_pylist() if not row["is_named"]
    }
    out = {}
    for member in members:
        if "archive" in troubled and not there:
            out[member] = NOTHING if member == "replay.info" else "lost"  # only the first betas have this member
        elif member not in there:
            out[member] = NOTHING
        else:
            out[member] = "partial" if member in troubled or member in unnamed else "decoded"
    return out


def _by_version(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


def member_rows(corpus: Path, pattern: str, members: Mapping[str, str], occurrences: Occurrences) -> Iterator[Row]:
    """Yield a row for each build of a game whose replays are archives."""
    files: Counter[str] = Counter()
    states: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for replay in _recordings(corpus, pattern):
        if isinstance(replay, playhead.ReplayError):
            files["refused"] += 1
            continue
        version = replay.info.version or "unknown"
        files[version] += 1
        if replay.info.version is not None:
            occurrences.add(version, replay)
        for member, state in _states_of_members(replay, members).items():
            states[version][member][state] += 1
    for version in sorted(files, key=_by_version):
        yield version, str(files[version]), *(_counted(states[version][member]) for member in members)


def _state_of_check(check: playhead.Check | None) -> str:
    if check is None or not check.passed + check.failed:
        return NOTHING
    return "partial" if check.failed else "decoded"


def source2_rows(corpus: Path) -> Iterator[Row]:
    """Yield a row for each Source 2 demo and broadcast."""
    rows = []
    for replay in _recordings(corpus / "source2", "*.dem", "*_broadcast"):
        if isinstance(replay, playhead.ReplayError):
            # "a Dota 2 demo of the Source 1 engine (before September 2015); only Source 2 is supported"
            rows.append((f"refused: {replay.message.split(';')[0]}", *[NOTHING] * (len(CHECKS) + 2)))
            continue
        checks = {check.name: check for check in replay.verify()}
        joined = "joined_at_tick" in replay.info.details
        names = replay.table("messages", columns=["message_id", "message"]).to_pylist()
        numbers = {row["message_id"] for row in names if row["message_id"] is not None}
        named = {row["message_id"] for row in names if row["message"] is not None}
        filled = sum(
            replay.table(name).num_rows > 0
            for name, schema in replay.tables.items()
            if "game_seconds" in schema.column_names
        )
        rows.append(
            (
                f"{replay.info.game}, " + ("a broadcast" if joined else f"build {replay.info.build}"),
                *(_state_of_check(checks.get(name)) for name in CHECKS),
                f"{len(named & numbers)} of {len(numbers)}",
                f"{filled} tables" if filled else NOTHING,
            )
        )
    yield from sorted(rows)


def _states_of_teehistorian(replay: playhead.Replay) -> Mapping[str, str]:
    # A killed server leaves a truncated message, which column `end` shows.
    partial = any(problem.kind != "TruncatedReplay" for problem in replay.problems)
    messages: Counter[Any] = Counter(replay.table("messages")["message"].to_pylist())
    kinds = replay.table("net_messages")["message"].to_pylist()
    out = {"messages": "partial" if partial else "decoded"}
    for name in ("positions", "inputs", "sessions", "commands", "teams", "saves", "finishes"):
        out[name] = "decoded" if replay.table(name).num_rows else NOTHING
    out["network messages"] = NOTHING if not kinds else "partial" if None in kinds else "decoded"
    out["extra messages"] = "decoded" if messages["extra"] else NOTHING
    out["end"] = "there" if replay.info.complete else "cut"
    return out


TEEHISTORIAN = (
    *("messages", "positions", "inputs", "sessions", "commands", "teams", "saves", "finishes"),
    *("network messages", "extra messages", "end"),
)


def teehistorian_rows(corpus: Path, occurrences: Occurrences) -> Iterator[Row]:
    """Yield a row for each version of the server."""
    files: Counter[tuple[str, str]] = Counter()
    states: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for replay in _recordings(corpus / "teehistorian", "*/*.teehistorian*"):
        if isinstance(replay, playhead.ReplayError):
            files["refused", NOTHING] += 1
            continue
        version = re.sub(r" \(.*", "", replay.info.version or "unknown").split(", ")[-1]
        key = version, NOTHING if replay.info.build is None else str(replay.info.build)
        files[key] += 1
        occurrences.add(version, replay)
        for part, state in _states_of_teehistorian(replay).items():
            states[key][part][state] += 1
    for key in sorted(files, key=lambda key: _by_version(key[0])):
        cells = [_present(states[key][part]) for part in TEEHISTORIAN]
        yield *key, str(files[key]), *cells


def _present(counts: Counter[str]) -> str:
    """Return the value for those recordings that have the part."""
    reported = Counter({state: count for state, count in counts.items() if state != NOTHING})
    if not reported:
        return NOTHING
    return (
        next(iter(reported))
        if len(reported) == 1
        else ", ".join(f"{state} {count}" for state, count in sorted(reported.items()))
    )


class Occurrences:
    """The versions in which tables have rows, and columns values."""

    def __init__(self) -> None:
        self._files: Counter[str] = Counter()
        self._tables: dict[str, str] = {}
        self._columns: dict[str, dict[str, str]] = defaultdict(dict)

    def add(self, version: str, replay: playhead.Replay) -> None:
        """Count one recording."""
        for name, table in replay.read_tables().items():
            first, columns = self._tables, self._columns[name]
            if table.num_rows:
                self._files[name] += 1
                first[name] = _earlier(first.get(name), version)
            for column, values in zip(table.column_names, table.columns, strict=True):
                if column == "ability":
                    continue  # its names come from elsewhere, if they are installed
                if values.null_count < len(values):
                    columns[column] = _earlier(columns.get(column), version)
                elif column not in columns:
                    columns[column] = ""

    def rows(self) -> Iterator[Row]:
        """Yield table, first version with rows, number of files with rows, and the columns added later."""
        for name, columns in self._columns.items():
            first = self._tables.get(name, NOTHING)
            later: dict[str, list[str]] = defaultdict(list)
            for column, version in columns.items():
                if name in self._tables and version != first:
                    later[version].append(f"`{column}`")
            order = sorted(later, key=lambda version: (not version, _by_version(version)))
            reported = "; ".join(f"{version or 'never'}: {', '.join(later[version])}" for version in order)
            yield f"`{name}`", first, str(self._files[name]), reported


def _earlier(one: str | None, other: str) -> str:
    return min(filter(None, (one, other)), key=_by_version)


def _markdown(head: Iterable[str], rows: Iterable[Row]) -> str:
    names = list(head)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def page(corpus: Path) -> str:
    """Return the page in Markdown."""
    of_sc2, of_hots, of_teehistorian = Occurrences(), Occurrences(), Occurrences()
    sc2 = list(member_rows(corpus / "sc2", "*/*.[sS][cC]2[rR]eplay", MEMBERS, of_sc2))
    hots = list(member_rows(corpus / "hots", "*.StormReplay", HOTS_MEMBERS, of_hots))
    source2 = list(source2_rows(corpus))
    teehistorian = list(teehistorian_rows(corpus, of_teehistorian))
    total = sum(int(row[1]) for row in sc2)
    return f"""\
# Support by build

<!-- Written by `{COMMAND}`; edits are lost. -->

These are counts over real recordings, by `{COMMAND}`. *decoded*: every byte of that part was read, and
`Replay.problems` is empty for it. *partial*: it has an entry in `Replay.problems`, or a part without a name.
*lost*: nothing was readable, because the file is damaged. *{NOTHING}*: our recordings do not have it. A number
is the number of files, if not all of them.

## Source 2

The checks are those of `playhead verify`: entity messages and baselines end with 0 to 7 bits left, full packets
equal the state after the packets before them. *Named* is the number of kinds of messages in the recording that
have a name. *Facts* is the number of tables of game facts that have rows.
For builds that are newer, see [the day after a patch](source2.md#the-day-after-a-patch).

{_markdown(("recording", *CHECKS, "named", "facts"), source2)}

## StarCraft II

{total} replays of {len(sc2)} versions.

{_markdown(("version", "files", *MEMBERS.values()), sc2)}

### Since when each table has rows

With the number of files. The last column lists columns that have a value only since a later version, or in none of
these files.

{_markdown(("table", "since", "files", "columns since"), of_sc2.rows())}

## Heroes of the Storm

{sum(int(row[1]) for row in hots)} replays of {len(hots)} versions. Of the battle lobby only BattleTags and parties
are read.

{_markdown(("version", "files", *HOTS_MEMBERS.values()), hots)}

### Since when each table of these replays has rows

{_markdown(("table", "since", "files", "columns since"), of_hots.rows())}

## DDNet teehistorian

Each version of the server records only the features it knows; the cells count occurrences in our recordings.

{_markdown(("server", "version_minor", "files", *TEEHISTORIAN), teehistorian)}

### Since when each table has rows, of these versions

{_markdown(("table", "since", "files", "columns since"), of_teehistorian.rows())}
"""


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    target = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parents[1] / "docs/support.md")
    target.write_text(page(Path(sys.argv[1])), encoding="utf-8")


if __name__ == "__main__":
    main()
