"""``playhead messages``: the messages or game events of a Source 2 demo, a JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playhead import ReplayError
from playhead.cli.reading import FileArgument, Reading, StrictOption

if TYPE_CHECKING:
    from playhead.source2.replay import Source2Replay


def messages(
    file: FileArgument,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Only these; again for more. Number, name (DOTA_UM_ChatEvent, CDOTAUserMsg_ChatEvent) or pattern "
            "(DOTA_UM_*); of a game event its name.",
        ),
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="Game events instead of messages.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Stop after that many.")] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Only how often each occurs, most frequent first.")
    ] = False,
    strict: StrictOption = False,
) -> None:
    """Print the inner messages of a Source 2 demo, decoded, a JSON object a line."""
    from playhead.source2.messages.json_text import JsonWriter
    from playhead.source2.replay import Source2Replay

    as_json = JsonWriter().write
    reading = Reading([file], strict=strict)
    for replay in reading:
        if not isinstance(replay, Source2Replay):
            raise typer.BadParameter(f"{replay.name} is a {replay.format} replay, which has no such messages")
        printed = 0
        try:
            found = _events(replay, names or []) if events else _messages(replay, names or [])
            for line in islice(_counts(found) if count else map(as_json, found), limit):
                print(line)
                printed += 1
        except ReplayError as error:
            reading.failed(file, error)
            continue
        if printed != limit:  # else what follows was not asked for
            reading.problems(replay)
    reading.finish()


def _messages(replay: Source2Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    try:
        found = replay.messages(*names)
    except KeyError as error:
        raise typer.BadParameter(str(error.args[0])) from None
    clock = replay.info.clock
    for tick, number, name, _, fields, raw in found:
        seconds = clock.seconds(tick) if clock and tick >= 0 else None
        content = {"fields": fields} if fields is not None else {"raw": raw}
        yield {"tick": tick, "seconds": seconds, "message": number, "name": name, **content}


def _events(replay: Source2Replay, names: list[str]) -> Iterator[dict[str, Any]]:
    clock = replay.info.clock
    for tick, number, name, fields, server_tick in replay.game_events(*names):
        seconds = clock.seconds(tick) if clock and tick >= 0 else None
        place = {"tick": tick, "seconds": seconds, "event": name, "event_id": number}
        yield {**place, "fields": fields, "server_tick": server_tick}


def _counts(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    from collections import Counter

    def label(row: dict[str, Any]) -> str:
        number = row["message"] if "message" in row else row["event_id"]
        return str(row.get("name") or row.get("event") or number)

    counts = Counter(label(row) for row in rows)
    for name, number in counts.most_common():
        yield f"{number:>9}  {name}"
