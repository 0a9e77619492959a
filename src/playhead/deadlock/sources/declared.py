"""`DeclaredFields`: the name that a field has in one recording, found in its send tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from playhead.errors import ReplayError
from playhead.source2.schema.tree import FieldCursor, FieldTree

if TYPE_CHECKING:
    from playhead.source2.playback.recording import Recording

#: Components in whose fields a build may put the fields of a player or hero.
COMPONENTS = ("m_PlayerDataGlobal.", "m_CCitadelHeroComponent.", "m_CCitadelAbilityComponent.")


class DeclaredFields:
    """Looks up fields of classes under any of their names.

    Args:
        recording: the recording.
    """

    def __init__(self, recording: Recording) -> None:
        self._tree = FieldTree(recording.send_tables) if recording.send_tables else None
        self._cursors: dict[str, FieldCursor | None] = {}

    def name(self, class_name: str, *names: str) -> str | None:
        """Return the first of these names, bare or in a component, that the class declares; None without one."""
        cursor = self._cursor(class_name)
        if cursor is not None:
            for name in self._tried(names):
                if cursor.path_of(name) is not None:
                    return name
        return None

    def _cursor(self, class_name: str) -> FieldCursor | None:
        if class_name not in self._cursors:
            found = None
            if self._tree is not None:
                try:
                    found = FieldCursor(self._tree, self._tree.root(class_name), class_name)
                except ReplayError:
                    found = None
            self._cursors[class_name] = found
        return self._cursors[class_name]

    @staticmethod
    def _tried(names: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            yield name
            for prefix in COMPONENTS:
                yield prefix + name
