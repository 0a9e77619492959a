"""``playhead messages``: the messages or game events of a recording, a JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.text.json import to_json


def messages(
    files: FilesArgument,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Only these; again for more. Number, name (DOTA_UM_ChatEvent, CDOTAUserMsg_ChatEvent) or pattern "
            "(DOTA_UM_*); of a game event its name; of teehistorian a class (PlayerNew, Input*).",
        ),
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="Game events instead of messages.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Stop after that many.")] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Only how often each occurs, most frequent first.")
    ] = False,
    strict: StrictOption = False,
) -> None:
    """Print the inner messages of Source 2 demos or teehistorian files, decoded, a JSON object a line; of several
    files each with its `file`."""
    reading = Reading(files, strict=strict)
    for replay in reading:
        if not reading.can(replay, "game_events" if events else "messages"):
            continue
        printed = 0
        try:
            found = _events(replay, names or []) if events else _messages(replay, names or [])
            if reading.several and count:
                print_out(f"==> {replay.name} <==")
            elif reading.several:
                found = ({"file": replay.name, **row} for row in found)
            for line in islice(_counts(found) if count else map(to_json, found), limit):
                print_out(line)
                printed += 1
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        if printed != limit:  # else what follows was not asked for
            reading.problems(replay)
    reading.finish()


def _messages(replay: Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    try:
        found = replay.messages(*names)
    except KeyError as error:
        raise typer.BadParameter(str(error.args[0])) from None
    clock = replay.info.clock
    for record in found:
        tick = record[0]
        row = {"tick": tick, "seconds": clock.seconds(tick) if clock and tick >= 0 else None}
        match record:
            case (_, number, name, _, fields, raw):  # Source 2
                content = {"fields": fields} if fields is not None else {"raw": raw}
                yield {**row, "message": number, "name": name, **content}
            case (_, message):
                fields = {field: getattr(message, field) for field in type(message).__match_args__}
                yield {**row, "name": type(message).__name__, "fields": fields}


def _events(replay: Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    clock = replay.info.clock
    for tick, number, name, fields, server_tick in replay.game_events(*names):
        seconds = clock.seconds(tick) if clock and tick >= 0 else None
        place = {"tick": tick, "seconds": seconds, "event": name, "event_id": number}
        yield {**place, "fields": fields, "server_tick": server_tick}


def _counts(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    from collections import Counter

    def label(row: dict[str, Any]) -> str:
        return str(row.get("name") or row.get("event") or row.get("message", row.get("event_id")))

    counts = Counter(label(row) for row in rows)
    for name, number in counts.most_common():
        yield f"{number:>9}  {name}"
