"""The formats whose samples ``playhead sample`` writes together, and those that it writes by name."""

from __future__ import annotations

from playhead.registry import Format, list_formats

#: Formats whose sample is written if `--game` names it.
BY_NAME = ("hots",)


def plain_formats() -> list[Format]:
    """Return the formats whose samples are written together."""
    return [known for known in list_formats() if known.name not in BY_NAME]


def format_of(name: str) -> Format:
    """Return a format by its name, which is one of `BY_NAME`."""
    return next(known for known in list_formats() if known.name == name)
