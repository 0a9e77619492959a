"""``playhead events``: the events of a game in the order of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import count, islice, takewhile
from typing import Any

from playhead import Replay
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import (
    add_files,
    add_json,
    add_limit,
    add_player,
    add_span,
    add_strict,
    choose_kinds,
    choose_players,
    span_of,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_note, print_out
from playhead.clock import Clock
from playhead.events import Event, players_of
from playhead.presentation import Chapter
from playhead.text.json import to_json
from playhead.text.names import counted
from playhead.view.feed import notable_kinds, sentences, uncounted


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option(
        "--kind KIND,...",
        "Only these kinds, or patterns of them: chat_sent,ward_* (repeat). A note lists kinds that a format does "
        "not have.",
        action="append",
    )
    parser.flag(
        "--all",
        "Also the game's bookkeeping, which the viewer hides too, and rounds that do not count.",
        dest="everything",
    )
    parser.flag("--kinds", "List the kinds that the replay can have.")
    add_player(parser, "Only events of this player, also as victim, target, assister or owner")
    add_span(parser, "the events")
    add_limit(parser)
    add_json(parser, "One JSON object per line, as --format ndjson.")
    parser.option(
        "--format", "ndjson is one JSON object per line.", dest="form", choices=("text", "ndjson"), default="text"
    )
    add_strict(parser)


def run(
    files: list[str],
    *,
    kind: list[str] | None,
    kinds: bool,
    everything: bool,
    player: list[str] | None,
    start: str | None,
    end: str | None,
    round_num: int | None,
    limit: int | None,
    as_json: bool,
    form: str,
    strict: bool,
) -> None:
    """Print the events in order of time, a sentence each.

    Without --all or --kind, bookkeeping of the game is left out, as in the viewer; without --all also what
    happened in warm-up, knife and undone rounds (CS2). JSON has every event with all its fields. The time is the
    game's own clock if it has one, else the recording's; the head of the column says which.
    Several files follow each other, each under its name; JSON has the `file` of each event.
    """
    asked = [part.strip() for part in ",".join(kind or ()).split(",") if part.strip()]
    form = "ndjson" if as_json else form
    whole, everything = everything, everything or bool(asked)
    reading = Reading(files, strict=strict, as_json=form != "text")
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
            span = span_of(replay, start, end, round_num)
            shown = chosen if everything or form == "ndjson" else notable_kinds(replay)
            lines = (
                _kinds(replay) if kinds else _lines(replay, shown, players, span, limit, form, everything, whole)
            )
            for line in lines:
                print_out(line)
            reading.problems_so_far(replay)
    reading.finish()


def _kinds(replay: Replay) -> Iterator[str]:
    docs = replay.event_kinds
    width = max(map(len, docs), default=0)
    shown = notable_kinds(replay)
    others = [name for name in docs if name not in shown]
    for name in [*shown, *others]:
        if others and name == others[0]:
            yield from ("", "only with --all or --kind:")
        yield f"{name:<{width}}  {docs[name]}"


def _lines(
    replay: Replay,
    asked: list[str],
    players: Collection[int] | None,
    span: tuple[int | None, int | None],
    limit: int | None,
    form: str,
    everything: bool,
    whole: bool,
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
    if form == "ndjson":
        unit_of = replay.presentation.feed.unit_fields(replay)
        for event, number in islice(found, limit):
            fields = {**_fields(event), **unit_of(event)}
            yield to_json({"file": replay.name, **_as_dict(event, number, fields, replay.clock)})
        return
    is_uncounted, left_out = uncounted(replay), 0

    def counting() -> Iterator[Event]:
        nonlocal left_out
        for event, _ in found:
            if whole or not is_uncounted(event):
                yield event
            else:
                left_out += 1

    line = -1
    parts: list[Chapter] | None = None
    told = sentences(replay, counting(), everything=everything)
    for line, (event, text) in enumerate(islice(told, limit)):
        clock = replay.clock
        if line == 0:
            yield f"{'tick':>8} {clock.label if clock else 'time':>15}  event"
        time = (None if clock is None else clock.displayed(event.tick)) or "-"
        if is_uncounted(event):
            parts = list(replay.presentation.chapters(replay)) if parts is None else parts
            text += f" ({_part(parts, event.tick)})"
        yield f"{event.tick:>8} {time:>15}  {text}"
    if left_out:
        print_note(f"{counted(left_out, 'event')} of warm-up, knife or undone rounds left out: --all has them")
    elif line < 0:
        why = [replay.absent[kind] for kind in asked if kind in replay.absent]
        why = why or ([] if everything else ["--all has bookkeeping of the game, too"])
        print_note(f"{replay.name}: no event fits{''.join(f'; {each}' for each in why)}")


def _part(parts: list[Chapter], tick: int) -> str:
    """Return which part of a recording, of those that do not count, a tick belongs to."""
    name = next((each.name for each in reversed(parts) if each.tick <= tick and not each.counts), "")
    return f"{name} round".replace("warmup round", "warm-up") if name else "does not count"


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
