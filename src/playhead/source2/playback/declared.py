"""`DeclaredFields`: the fields that the classes of one recording have, found in its send tables."""

from __future__ import annotations

from contextlib import suppress

from playhead.errors import ReplayError
from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.schema.tree import FieldCursor

if TYPE_CHECKING:
    from playhead.source2.playback.recording import Recording


class DeclaredFields:
    """Looks up fields of classes.

    Args:
        recording: the recording; without send tables no class has a field.
    """

    def __init__(self, recording: Recording) -> None:
        self._tree = recording.schema.tree if recording.send_tables else None
        self._cursors: dict[str, FieldCursor | None] = {}

    def names(self, class_name: str) -> tuple[str, ...]:
        """Return the names of the class's own fields; none if it is not declared."""
        with suppress(ReplayError):
            if self._tree is not None:
                return self._tree.root(class_name).names
        return ()

    def has(self, class_name: str, field: str) -> bool:
        """Return whether the class declares the field."""
        if class_name not in self._cursors:
            self._cursors[class_name] = None
            with suppress(ReplayError):
                if self._tree is not None:
                    self._cursors[class_name] = FieldCursor(self._tree, self._tree.root(class_name), class_name)
        cursor = self._cursors[class_name]
        return cursor is not None and cursor.path_of(field) is not None
