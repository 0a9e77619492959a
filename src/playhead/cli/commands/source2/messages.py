"""``playhead source2 messages``: the messages or game events of a recording, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from playhead import Replay
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import add_files, add_json, add_limit, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.text.json import to_json


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option(
        "--name NAME",
        "Only these (repeat for several): a number, a name (DOTA_UM_ChatEvent, CDOTAUserMsg_ChatEvent), a "
        "pattern (DOTA_UM_*), a game event, or a class of teehistorian (PlayerNew, Input*).",
        dest="names",
        action="append",
    )
    parser.flag("--events", "Print game events instead of messages.")
    add_limit(parser)
    add_json(parser, "Print JSON lines, as always; with --count an object.")
    parser.flag("--count", "Only count each name, most frequent first.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    names: list[str] | None,
    events: bool,
    limit: int | None,
    as_json: bool,
    count: bool,
    strict: bool,
) -> None:
    """Print messages as JSON lines (Source 2, teehistorian).

    For several files each object has its `file`.
    """
    reading = Reading(files, strict=strict, as_json=as_json or not count)
    for replay in reading:
        if not reading.can(replay, "game_events" if events else "messages"):
            continue
        printed = 0
        with reading.guard(replay):
            found = _events(replay, names or []) if events else _messages(replay, names or [])
            if count:
                _print_counts(reading, replay, found, limit, as_json=as_json)
            else:
                found = ({"file": replay.name, **row} for row in found)
            for line in islice(() if count else map(to_json, found), limit):
                print_out(line)
                printed += 1
            if printed != limit:  # else the rest was not requested
                reading.problems(replay)
    reading.finish()


def _messages(replay: Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    try:
        found = replay.messages(*names)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None
    clock = replay.info.clock
    for record in found:
        tick = record[0]
        row = {"tick": tick, "seconds": clock.seconds(tick) if clock and tick >= 0 else None}
        match record:
            case (_, number, name, _, fields, raw):  # Source 2
                content = {"fields": fields} if fields is not None else {"data": raw}
                yield {**row, "message": name, "message_id": number, **content}
            case (_, message):
                fields = {field: getattr(message, field) for field in type(message).__match_args__}
                yield {**row, "message": type(message).__name__, "fields": fields}


def _events(replay: Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    clock = replay.info.clock
    for tick, number, name, fields, server_tick in replay.game_events(*names):
        seconds = clock.seconds(tick) if clock and tick >= 0 else None
        place = {"tick": tick, "seconds": seconds, "event": name, "descriptor_id": number}
        yield {**place, "fields": fields, "server_tick": server_tick}


def _print_counts(
    reading: Reading, replay: Replay, rows: Iterable[dict[str, Any]], limit: int | None, *, as_json: bool
) -> None:
    from collections import Counter

    def label(row: dict[str, Any]) -> str:
        name = row.get("message") or row.get("event")
        return str(name or row.get("message_id", row.get("descriptor_id")))

    counts = Counter(map(label, rows)).most_common(limit)
    if as_json:
        print_json({"file": replay.name, "counts": dict(counts)})
        return
    reading.print_title(replay)
    for name, number in counts:
        print_out(f"{number:>9}  {name}")
