"""``playhead events``: what happened, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.reading import FileArgument, Reading, StrictOption
from playhead.cli.table_view import shown_value
from playhead.clock import format_seconds
from playhead.events import ReplayEvent
from playhead.json_text import to_json


class Form(StrEnum):
    """How to show the events."""

    text = "text"
    ndjson = "ndjson"


def events(
    file: FileArgument,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND,...", help="Only these kinds, or patterns of them: chat,ward_*."),
    ] = None,
    kinds: Annotated[bool, typer.Option("--kinds", help="List the kinds that this replay can have.")] = False,
    form: Annotated[Form, typer.Option("--format", help="ndjson has a JSON object a line.")] = Form.text,
    strict: StrictOption = False,
) -> None:
    """Print what happened, in the order of time: tick, time, kind, player, and what belongs to the kind."""
    asked = [part.strip() for part in (kind or "").split(",") if part.strip()]
    reading = Reading([file], strict=strict)
    for replay in reading:
        try:
            for line in _kinds(replay) if kinds else _lines(replay, asked, form):
                print(line)
        except KeyError as error:
            raise typer.BadParameter(error.args[0], param_hint="--kind") from None
        except ReplayError as error:
            reading.failed(file, error)
            continue
        reading.problems_so_far(replay)
    reading.finish()


def _kinds(replay: Replay) -> Iterator[str]:
    width = max(map(len, replay.event_kinds), default=0)
    for name, doc in replay.event_kinds.items():
        yield f"{name:<{width}}  {doc}"


def _lines(replay: Replay, asked: list[str], form: Form) -> Iterator[str]:
    if form is Form.ndjson:
        for event in replay.events(*asked):
            when = {"tick": event.tick, "seconds": event.seconds}
            yield to_json({**when, "kind": event.kind, "player": event.player, "payload": event.payload})
        return
    for event in replay.events(*asked):
        yield _line(event, None if event.player is None else replay.name_of(event.player, event.tick))


def _line(event: ReplayEvent, name: str | None) -> str:
    time = "-" if event.seconds is None else format_seconds(event.seconds)
    who = "-" if event.player is None else name or f"player {event.player}"
    fields = (f"{name}={shown_value(value)}" for name, value in event.payload.items() if value is not None)
    return "  ".join((f"{event.tick:>8} {time:>8}", f"{event.kind:<16}", f"{who:<16}", " ".join(fields))).rstrip()
