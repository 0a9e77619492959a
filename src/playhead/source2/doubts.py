"""Why tables without rows may have lost them: parts of a recording that are lost, or that no definition names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from playhead.source2.messages.numbers import Engine
from playhead.source2.passes import TablePasses
from playhead.source2.playback.collector import Collector
from playhead.source2.tables.request import TableRequest

_WITHOUT_COST = "nothing"


def doubts_of(replay: TablePasses) -> Mapping[str, str]:
    """Return, by table, the lost or unknown part of the recording that rows of the table may have been in.

    A problem concerns the tables that its cost names, or all. Messages of an unknown number concern the tables
    of messages that they may be.
    """
    numbers = replay.recording.numbers
    unknown = numbers.unknown()
    found: dict[str, str] = {}
    for problem in replay.problems:
        if problem.cost.startswith(_WITHOUT_COST) or (unknown and unknown in problem.what):
            continue
        named = replay.tables.keys() & set(re.findall(r"\w+", problem.cost))
        for name in named or replay.tables:
            found.setdefault(name, problem.what)
    if unknown:
        possible = numbers.possible()
        for kind in replay._registry().makers():
            names = sorted(possible[number] for number in possible.keys() & set(_messages_read(replay, kind)))
            for schema in kind.schemas if names else ():
                found[schema.name] = f"the recording has {unknown}, which may be {' or '.join(names)}"
    return found


def _messages_read(replay: TablePasses, kind: type[Collector]) -> Iterator[int]:
    """Yield the numbers of the messages that a collector is made of."""
    playback = replay.playback(None, on_problem=lambda _error, _cost: None)
    for each in replay.collectors_for(TableRequest((kind,), {}, (), None, False)):
        playback.guard.attach(each, playback)
        if each.entities:
            yield int(Engine.PACKET_ENTITIES)
        if each.string_tables != ():
            yield int(Engine.CREATE_STRING_TABLE)
    yield from playback.messages_read
