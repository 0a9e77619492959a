"""Anonymised recordings of Heroes of the Storm."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.blizzard.encoding.writers import tagged
from playhead.blizzard.members import member_names
from playhead.blizzard.writing.anonymize import Anonymized, ReplayAnonymizer, Step, is_handle
from playhead.hots.members.players import TEXTS_OF_SLOT
from playhead.hots.recording.recording import HotsRecording


class _Anonymizer(ReplayAnonymizer):
    words = frozenset(TEXTS_OF_SLOT)

    def more_steps(self) -> Mapping[str, Step]:
        return {member_names.TRACKER_EVENTS: self.tracker}

    def tracker(self, data: bytes) -> bytes:
        """Replace accounts, which are whole texts of the statistic ``PlayerInit``. Other texts are words of the
        game, even if a player is called so."""
        for old, new in self._names.made.items():
            if is_handle(old):
                data = data.replace(tagged(old.encode()), tagged(new.encode()))
        return data


def anonymize(recording: HotsRecording, *, salt: bytes | None = None, keep_chat: bool = False) -> Anonymized:
    """Return a replay with pseudonyms instead of names, as `ReplayAnonymizer` explains."""
    return _Anonymizer(recording, salt=salt, keep_chat=keep_chat).run()
