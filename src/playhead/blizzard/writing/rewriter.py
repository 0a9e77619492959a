"""Rewrites a replay with some members changed, with new tables if the old ones were lost."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.mpq.writer import NewMember, rewrite_archive, write_archive
from playhead.blizzard.recording.container import Container
from playhead.errors import CorruptReplay


def rewrite_replay(
    container: Container,
    replace: Mapping[str, bytes] | None = None,
    remove: Collection[str] = (),
    *,
    drop_nameless: bool = False,
) -> bytes:
    """Return the file with members replaced (unpacked data by name) and removed.

    Unchanged members keep their stored bytes and their order. A salvaged archive gets new tables, which lead to
    the recognised members. `drop_nameless` also removes members without a known name.

    Raises:
        KeyError: there is no member of that name.
        CorruptReplay: the archive cannot be read.
        ReplayError: a member that has to be read or moved is damaged.
    """
    replace = replace or {}
    archive = container.archive
    if archive is None:
        raise CorruptReplay(
            "expected an archive to write again, found none that can be read", file=container.source.name
        )
    if isinstance(archive, MpqArchive):
        out = rewrite_archive(container.data, archive, replace, remove, drop_nameless=drop_nameless)
        place = archive.header.offset
        if place == 0 or UserData.leads_to(container.data, place):
            return out
        # The offset of the archive is damaged in the file, but known.
        return UserData.front(place, len(container.user_data)) + out[UserData.OFFSET :]
    for name in (*replace, *remove):
        if name not in archive:
            raise KeyError(name)
    own = (member_names.LISTFILE, member_names.ATTRIBUTES)  # written again
    kept = sorted(archive.names.items(), key=lambda item: item[1])
    inner = [
        NewMember(name, replace[name] if name in replace else archive.read_block(index, name, lambda _: None))
        for name, index in kept
        if name not in remove and name not in own
    ]
    version = 3 if container.header is None or container.header.build >= _FIRST_FORMAT_3 else 1
    return write_archive(inner, container.user_data, version=version)


#: First build that writes archives of format 3.
_FIRST_FORMAT_3 = 22612
