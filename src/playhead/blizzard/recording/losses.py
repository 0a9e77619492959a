"""What damage took of a replay, and the reasons for empty tables and columns that follow from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.protocol.tables import MESSAGE, TRACKER
from playhead.blizzard.recording.recording import GameRecording
from playhead.blizzard.recording.streams import EVENT_STREAMS

if TYPE_CHECKING:
    from playhead.blizzard.tables.registry import GameTables

#: Members without events, with those that replace them.
_BACKUPS: Mapping[str, Sequence[str]] = {
    member_names.DETAILS: (member_names.DETAILS_BACKUP, member_names.REPLAY_INFO),
    member_names.INIT_DATA: (member_names.INIT_DATA_BACKUP,),
    member_names.GAME_ATTRIBUTES: (),
}


def losses(recording: GameRecording, others: Collection[str] = ()) -> list[str]:
    """Return the lost parts: of the streams of events, of damaged and cut files and of resumed games, whose
    tracker begins anew without the units that exist; and other members that a damaged archive no longer has.

    Args:
        recording: the recording.
        others: members that every replay of the game has, beside details, lobby and attributes.
    """
    archive, streams = recording.container.archive, recording.streams
    sound = isinstance(archive, MpqArchive) and not archive.dangling and streams.all_named
    found = []
    for name in EVENT_STREAMS.values():
        extent = streams.extents.get(name)
        if extent is None:
            damaged = not sound if name == MESSAGE else archive is None or not streams.complete
            if damaged and (name != TRACKER or streams.tracker_expected):
                found.append(f"{name} events: all")
        elif not extent.whole:
            found.append(
                f"{name} events: all" if extent.last is None else f"{name} events after loop {extent.last}"
            )
    resumed = next((each.resumed for each in streams.extents.values() if each.resumed is not None), None)
    tracked = streams.extents.get(TRACKER)
    if resumed is not None and tracked is not None and tracked.whole and tracked.born != 0:
        found.append(f"tracker events before loop {resumed}, where the game was resumed, and the units until then")
    for member in () if sound else (*_BACKUPS, *others):
        if archive is None or not any(name in archive for name in (member, *_BACKUPS.get(member, ()))):
            found.append(f"{member}: all")
    return found


def with_losses(
    reasons: Mapping[str, str],
    lost: Sequence[str],
    tables: GameTables,
    made_of: Mapping[str, str],
    columns: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """Return reasons for empty tables and columns in which the lost parts come first.

    Args:
        reasons: those of a whole file.
        lost: as `losses` returns them.
        tables: the tables of the game.
        made_of: columns and tables (``draft.*``) that are made of a stream or a member, by its name; tables that
            read a stream are known.
        columns: columns of the tables that are made of the details and the lobby, by table.
    """
    from playhead.blizzard.events import stream_of  # which facts about a file do without

    found = dict(reasons)
    if lost:
        found = {name: f"{reason}, in what is left of the file" for name, reason in found.items()}
    for part in reversed(lost):  # a lost stream counts more than a member
        what, _, extent = part.partition(" events" if " events" in part else ": ")
        readers = {
            name: each.schemas[0].column_names
            for name, each in tables.tables().items()
            if what in (each.made_of, *(stream_of(type_) for type_ in each.reads))
        }
        read = [f"{name}.*" for name in readers]
        if extent in (": all", "all"):
            taken = f"damage took all {what} events" if extent == ": all" else f"damage took {what}"
            of_readers = (f"{name}.{column}" for name, names in readers.items() for column in names)
            found = {**dict.fromkeys(of_readers, taken), **found}
            found |= dict.fromkeys((*read, *made_of.get(what, "").split()), taken)
        else:
            found = {**dict.fromkeys(read, f"damage took the {part}"), **found}
        if what in (member_names.DETAILS, member_names.INIT_DATA):
            of_members = (f"{table}.{column}" for table, names in columns.items() for column in (*names, "*"))
            found = {**dict.fromkeys(of_members, f"damage took {what}"), **found}
    return found
