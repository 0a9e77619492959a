"""A griffe extension that shows the fields of classes made by `playhead.runtime.records.dataclass`."""

from __future__ import annotations

from typing import Any

import griffe

_DECORATORS = {
    "playhead.runtime.records.dataclass",
    "playhead.teehistorian.network.records.named",
    "playhead.teehistorian.network.records.numbered",
    "playhead.teehistorian.stream.extensions._extension",
}


class Records(griffe.Extension):
    """Treats the names of `playhead.runtime.records` as those of `dataclasses`, as type checkers do."""

    def on_module_members(self, *, mod: griffe.Module, **_kwargs: Any) -> None:
        """Rename the imports of a module."""
        for name in ("dataclass", "field"):
            member = mod.members.get(name)
            if isinstance(member, griffe.Alias) and member.target_path == f"playhead.runtime.records.{name}":
                member.target_path = f"dataclasses.{name}"

    def on_class_instance(self, *, cls: griffe.Class, **_kwargs: Any) -> None:
        """Add griffe's label for dataclasses to a class."""
        if any(each.callable_path in _DECORATORS for each in cls.decorators):
            cls.labels.add("dataclass")
