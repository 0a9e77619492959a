"""`ClassLayouts`: what has been learnt of a recording's classes, shared by all who decode recordings of its
schema.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from playhead.source2.entities.classes import ClassInfo
from playhead.source2.schema.patches import patched
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.schema.tree import FieldTree

#: Told a class's name, which of its fields to keep: None for none, or a function told a field's name.
Projection = Callable[[str], Callable[[str], bool] | None]


class ClassLayouts:
    """The classes of one schema, as they are met.

    Args:
        tree: the serializers.
        wanted: which fields to keep; None keeps everything.
    """

    def __init__(self, tree: FieldTree, wanted: Projection | None = None) -> None:
        self._tree = tree
        self._wanted = wanted
        self._known: dict[tuple[int, str], ClassInfo] = {}

    def class_info(self, class_id: int, name: str) -> ClassInfo:
        """The class of that number and name.

        Raises:
            CorruptReplay: it has no serializer.
        """
        info = self._known.get((class_id, name))
        if info is None:
            keep: Callable[[str], bool] | bool = True
            if self._wanted is not None:
                keep = self._wanted(name) or False
            info = self._known[class_id, name] = ClassInfo(class_id, name, self._tree, keep)
        return info


@lru_cache(maxsize=4)
def shared_tree(send_tables: SendTables, build: int | None) -> FieldTree:
    """The serializers, set right for a Dota build (None: none that needs patches)."""
    return FieldTree(patched(send_tables, build))


@lru_cache(maxsize=16)
def shared_layouts(send_tables: SendTables, build: int | None, wanted: Projection | None) -> ClassLayouts:
    """Layouts for recordings of one schema and projections that are equal: what one has taught, the next need not
    learn.
    """
    return ClassLayouts(shared_tree(send_tables, build), wanted)
