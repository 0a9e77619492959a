"""``playhead events``: what happened, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from playhead import Replay, ReplayError
from playhead.cli.completion import complete_kinds
from playhead.cli.inputs.known_words import choose_kinds
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.cli.output.tables import shown_value
from playhead.clock import Clock
from playhead.events import ReplayEvent
from playhead.text.json import to_json


class Form(StrEnum):
    """How to show the events."""

    text = "text"
    ndjson = "ndjson"


def events(
    files: FilesArgument,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND,...",
            help="Only these kinds, or patterns of them: chat,ward_*. A format that has none of a kind says so.",
            autocompletion=complete_kinds,
        ),
    ] = None,
    kinds: Annotated[bool, typer.Option("--kinds", help="List the kinds that the replay can have.")] = False,
    form: Annotated[Form, typer.Option("--format", help="ndjson has a JSON object a line.")] = Form.text,
    strict: StrictOption = False,
) -> None:
    """Print what happened, in the order of time: tick, time, kind, player, and what belongs to the kind.

    The time is the one that the game shows, where it has a clock of its own, else that of the recording; the head
    of the column says which. Of several files, one after the other, each under its name; as JSON each event has
    its `file`.
    """
    asked = [part.strip() for part in (kind or "").split(",") if part.strip()]
    reading = Reading(files, strict=strict)
    for replay in reading:
        chosen = [] if kinds else choose_kinds(reading, replay, asked)
        file = {"file": replay.name} if reading.several else {}
        if file and form is Form.text:
            print_out(f"==> {replay.name} <==")
        if asked and not chosen:
            continue
        try:
            for line in _kinds(replay) if kinds else _lines(replay, chosen, form, file):
                print_out(line)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        reading.problems_so_far(replay)
    reading.finish()


def _kinds(replay: Replay) -> Iterator[str]:
    width = max(map(len, replay.event_kinds), default=0)
    for name, doc in replay.event_kinds.items():
        yield f"{name:<{width}}  {doc}"


def _lines(replay: Replay, asked: list[str], form: Form, file: Mapping[str, str]) -> Iterator[str]:
    # The clock is asked for behind the first event: the pass for the events may have found it.
    for number, event in enumerate(replay.events(*asked)):
        if form is Form.ndjson:
            yield to_json({**file, **_as_dict(event, replay.clock)})
            continue
        if number == 0:
            yield f"{'tick':>8} {replay.clock.label if replay.clock else 'time':>14}  {'kind':<16}  player"
        yield _line(event, replay)


def _as_dict(event: ReplayEvent, clock: Clock | None) -> dict[str, Any]:
    return {
        "tick": event.tick,
        "seconds": event.seconds,
        "game_seconds": None if clock is None else clock.game_seconds(event.tick),
        "kind": event.kind,
        "player": event.player,
        "payload": _fields(event),
    }


def _fields(event: ReplayEvent) -> dict[str, Any]:
    """Return what belongs to the kind; the time is shown once, before it."""
    return {name: value for name, value in event.payload.items() if name != "game_seconds"}


def _line(event: ReplayEvent, replay: Replay) -> str:
    clock = replay.clock
    time = (None if clock is None else clock.displayed(event.tick)) or "-"
    name = None if event.player is None else replay.name_of(event.player, event.tick)
    who = "-" if event.player is None else name or f"player {event.player}"
    fields = (f"{field}={shown_value(value)}" for field, value in _fields(event).items() if value is not None)
    return "  ".join((f"{event.tick:>8} {time:>14}", f"{event.kind:<16}", f"{who:<16}", " ".join(fields))).rstrip()
