"""The events that a replay lost, or that its build's type table does not read, in words for `Info.details`."""

from __future__ import annotations

from playhead.sc2.members import member_names
from playhead.sc2.protocol.tables import TRACKER, known_builds
from playhead.sc2.recording.recording import Sc2Recording
from playhead.sc2.recording.streams import EVENT_STREAMS

_WAY_OUT = "update playhead, or pip install -U s2protocol, whose newer tables playhead uses"


def losses(recording: Sc2Recording) -> list[str]:
    """Return the lost parts of the streams of events: of damaged and cut files, and of resumed games, whose
    tracker begins anew without the units that exist."""
    archive, streams = recording.container.archive, recording.streams
    found = []
    for member, name in EVENT_STREAMS.items():
        extent = streams.extents.get(name)
        expected = name != TRACKER or streams.tracker_expected
        if extent is None:
            damaged = archive is None or not streams.complete
            if expected and damaged and member != member_names.MESSAGE_EVENTS:
                found.append(f"{name} events: all")
        elif not extent.whole:
            found.append(
                f"{name} events: all" if extent.last is None else f"{name} events after loop {extent.last}"
            )
    resumed = next((each.resumed for each in streams.extents.values() if each.resumed is not None), None)
    tracked = streams.extents.get(TRACKER)
    if resumed is not None and tracked is not None and tracked.whole and tracked.born != 0:
        found.append(f"tracker events before loop {resumed}, where the game was resumed, and the units until then")
    return found


def confidence(recording: Sc2Recording, table: str) -> str:
    """Return the confidence in the type table, with the way out if it is of another build and does not fit."""
    base = recording.builds[0]
    fits = all(each.whole for each in recording.streams.extents.values())
    if fits or base <= known_builds()[-1] or table.startswith(("exact", "published")):
        return table
    return f"{table}, which does not fit build {base}: {_WAY_OUT}"
