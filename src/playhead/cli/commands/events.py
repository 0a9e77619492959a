"""``playhead events``: the events of a game in the order of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import count, islice, takewhile
from typing import Any

from playhead import Replay
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.known_words import choose_kinds
from playhead.cli.inputs.options import add_files, add_json, add_limit, add_player, add_strict, choose_players
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out
from playhead.cli.output.tables import shown_value
from playhead.clock import Clock
from playhead.events import Event, players_of
from playhead.text.json import to_json


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option(
        "--kind KIND,...",
        "Only these kinds, or patterns of them: chat_sent,ward_*. A note lists kinds that a format does not have.",
    )
    parser.flag("--kinds", "List the kinds that the replay can have.")
    add_player(parser, "Only events of this player, also as victim, target, assister or owner")
    parser.option("--from TIME", "Only events from this moment on: 12:30, 750s or 22500t.", dest="start")
    parser.option("--to TIME", "Only events up to this moment.", dest="end")
    add_limit(parser)
    add_json(parser, "One JSON object per line, as --format ndjson.")
    parser.option(
        "--format", "ndjson is one JSON object per line.", dest="form", choices=("text", "ndjson"), default="text"
    )
    add_strict(parser)


def run(
    files: list[str],
    *,
    kind: str | None,
    kinds: bool,
    player: str | None,
    start: str | None,
    end: str | None,
    limit: int | None,
    as_json: bool,
    form: str,
    strict: bool,
) -> None:
    """Print the events in the order of time: tick, time, kind, player, and the fields of the kind.

    The time is the game's own clock if it has one, else the recording's; the head of the column says which.
    Several files follow each other, each under its name; as JSON each event has its `file`.
    """
    asked = [part.strip() for part in (kind or "").split(",") if part.strip()]
    form = "ndjson" if as_json else form
    reading = Reading(files, strict=strict)
    for replay in reading:
        chosen = [] if kinds else choose_kinds(reading, replay, asked)
        if form == "text":
            reading.print_title(replay)
        if asked and not chosen:
            continue
        players = None if player is None or kinds else choose_players(reading, replay, player)
        if players == []:
            continue
        with reading.guard(replay):
            span = _tick(replay, start, "--from"), _tick(replay, end, "--to")
            lines = (
                _kinds(replay)
                if kinds
                else _lines(replay, chosen, players, span, limit, form, reading.file_column(replay))
            )
            for line in lines:
                print_out(line)
            reading.problems_so_far(replay)
    reading.finish()


def _tick(replay: Replay, when: str | None, option: str) -> int | None:
    """Return the tick of a moment that the user gave; it may lie outside the recording."""
    try:
        return None if when is None else replay.to_tick(when)
    except ValueError as error:
        raise UsageError(str(error), option) from None


def _kinds(replay: Replay) -> Iterator[str]:
    width = max(map(len, replay.event_kinds), default=0)
    for name, doc in replay.event_kinds.items():
        yield f"{name:<{width}}  {doc}"


def _lines(
    replay: Replay,
    asked: list[str],
    players: Collection[int] | None,
    span: tuple[int | None, int | None],
    limit: int | None,
    form: str,
    file: Mapping[str, str],
) -> Iterator[str]:
    # Ask for the clock after the first event: the pass over the events may have found it.
    start, end = span
    numbers: defaultdict[str, count[int]] = defaultdict(count)  # of the kind, as in table `events`
    events: Iterator[tuple[Event, int]] = ((each, next(numbers[each.kind])) for each in replay.events(*asked))
    if end is not None:
        events = takewhile(lambda each: each[0].tick <= end, events)
    found = (
        (each, number)
        for each, number in events
        if (start is None or each.tick >= start)
        and (players is None or any(one in players for one in players_of(each)))
    )
    unit_of = replay.presentation.feed.unit_fields(replay)
    for line, (event, number) in enumerate(islice(found, limit)):
        fields = {**_fields(event), **unit_of(event)}
        if form == "ndjson":
            yield to_json({**file, **_as_dict(event, number, fields, replay.clock)})
            continue
        if line == 0:
            yield f"{'tick':>8} {replay.clock.label if replay.clock else 'time':>14}  {'kind':<16}  player"
        yield _line(event, fields, replay)


def _as_dict(event: Event, number: int, fields: Mapping[str, Any], clock: Clock | None) -> dict[str, Any]:
    return {
        "tick": event.tick,
        "seconds": event.seconds,
        "game_seconds": None if clock is None else clock.game_seconds(event.tick),
        "kind": event.kind,
        "event_id": number,
        "player": event.player,
        "payload": fields,
    }


def _fields(event: Event) -> dict[str, Any]:
    """Return the fields of the event's kind, without the time, which has its own column."""
    return {name: value for name, value in event.payload.items() if name != "game_seconds"}


def _line(event: Event, fields: Mapping[str, Any], replay: Replay) -> str:
    clock = replay.clock
    time = (None if clock is None else clock.displayed(event.tick)) or "-"
    name = None if event.player is None else replay.name_of(event.player, event.tick)
    who = "-" if event.player is None else name or f"player {event.player}"
    shown = replay.presentation.wording.shown
    texts = (f"{field}={shown_value(shown(value))}" for field, value in fields.items() if value is not None)
    return "  ".join((f"{event.tick:>8} {time:>14}", f"{event.kind:<16}", f"{who:<16}", " ".join(texts))).rstrip()
