"""Anonymised recordings of StarCraft II."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.bits import ByteReader, ByteWriter
from playhead.blizzard.encoding.blob_offsets import Patches
from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import CONTROL_COMPUTER
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.writing.anonymize import Anonymized, ReplayAnonymizer, Step
from playhead.sc2.members.replay_info import info_blobs, read_replay_info
from playhead.sc2.members.resumable import has_marker_names
from playhead.sc2.recording.recording import Sc2Recording


class _Anonymizer(ReplayAnonymizer):
    def more_steps(self) -> Mapping[str, Step]:
        return {
            member_names.REPLAY_INFO: self.info,
            member_names.RESUMABLE: self.markers,
            member_names.METADATA: self._names.blob,
        }

    def info(self, data: bytes) -> bytes:
        info = read_replay_info(data)
        users = {user.name for user in info.users}
        computers = any(slot.control == CONTROL_COMPUTER for slot in info.slots)
        patches = Patches(data)
        for place in info_blobs(data):
            text = decode_text(place.data)
            if place.path == ("tail", "name") and (text in users or not computers):
                patches.set_blob(place, self._names.name(text).encode())
            else:
                self._patch(patches, place)
        return patches.apply()

    def markers(self, data: bytes) -> bytes:
        if not has_marker_names(self._builds[1]):
            return data
        reader, out = ByteReader(data), ByteWriter()
        while reader.remaining():
            out.write_bytes(reader.read_bytes(10))
            name = self._names.name(decode_text(reader.read_bytes(reader.read_u16()))).encode()
            out.write_u16(len(name))
            out.write_bytes(name)
        return out.to_bytes()


def anonymize(recording: Sc2Recording, *, salt: bytes | None = None, keep_chat: bool = False) -> Anonymized:
    """Return a replay with pseudonyms instead of names, as `ReplayAnonymizer` explains."""
    return _Anonymizer(recording, salt=salt, keep_chat=keep_chat).run()
