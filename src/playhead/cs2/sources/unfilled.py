"""The tables of facts that a recording cannot fill, or fills in part, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playhead.cs2.sources.null_reasons import NULL_REASONS, REMOVED_FIELDS
from playhead.source2.playback.recording import NO_CLASSES, DeclaredFields, Recording

_OF_EVENTS = ("kills", "damage", "shots", "hostages", "other_deaths")
#: Classes without which a table has no rows, beside those whose fields its collector reads.
_CLASSES = {"smokes": ("CSmokeGrenadeProjectile",)}
_NO_LIST = (
    "the recording has no list of game events (svc_GameEventList), and no known list has its events, so they have "
    "numbers without names"
)
_ONE_VIEW = "a player recorded: other players have rows only while the server sent them to that player"

_OWN_COMMANDS = (
    "a player recorded: commands are the recorder's own (frames DEM_UserCmd), and those that the server sent to it"
)


def _missing(declared: Declared, fields: Mapping[str, Sequence[str]]) -> str:
    """Return the fields that the recording does not declare, as a reason; empty if it declares all."""
    found = [
        f"{field} of {'any class' if each == 'C*' else each}{_why_removed(field)}"
        for each, names in fields.items()
        for field in declared.missing(each, names)
    ]
    return f"the recording does not declare {', '.join(found)}" if found else ""


def _why_removed(field: str) -> str:
    reason = REMOVED_FIELDS.get(field)
    return f" ({reason})" if reason else ""


def unfilled_tables(
    recording: Recording,
    reads: Mapping[str, Mapping[str, Sequence[str]]],
    columns: Mapping[str, Mapping[str, Sequence[str]]],
) -> dict[str, str]:
    """Return the reason by name of table, and of a column that is null in all rows.

    Args:
        recording: the recording.
        reads: by name of table, the fields that it is made of, by class or pattern of classes.
        columns: the same by name of column, ``table.column``.
    """
    if not recording.send_tables:
        return dict.fromkeys(reads, NO_CLASSES)
    found = dict(NULL_REASONS)
    declared = Declared(recording)
    for name, fields in reads.items():
        wanted = (*fields, *_CLASSES.get(name, ()))
        absent = [each for each in wanted if "*" not in each and not declared.has_class(each)]
        if absent:
            found[name] = f"the recording does not declare class {absent[0]}"
        elif missing := _missing(declared, fields):
            found[name] = f"{missing}: columns made of it are null"
    for name, fields in columns.items():
        sent = ", ".join(field for names in fields.values() for field in names)
        found[name] = (
            _missing(declared, fields)
            or NULL_REASONS.get(name)
            or f"no row has a value{f' of {sent}' if sent else ''}"
        )
    if recording.event_list is None:
        borrowed = recording.borrowed_events
        if borrowed is None:
            found.update(dict.fromkeys(_OF_EVENTS, _NO_LIST))
        else:
            found["game_events"] = (
                "the recording has no list of game events (svc_GameEventList): names are those of build "
                f"{borrowed.build}, which has all its events with the same types of values"
            )
    if recording.server_info.get("is_hltv") is False:
        for name in ("player_series", "positions"):
            found.setdefault(name, _ONE_VIEW)
        found.setdefault("inputs", _OWN_COMMANDS)
    return found


class Declared(DeclaredFields):
    """The classes and fields of a recording."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self._classes = frozenset(recording.class_names.values())

    def has_class(self, name: str) -> bool:
        """Return whether the recording declares a class."""
        return name in self._classes

    def has_together(self, *fields: str) -> bool:
        """Return whether a class has all these fields."""
        return any(all(self.has(each, field) for field in fields) for each in self._classes)

    def missing(self, class_name: str, fields: Sequence[str]) -> Iterator[str]:
        """Yield the fields that the class does not declare, or no class that the pattern ``C*`` matches."""
        classes = sorted(self._classes) if class_name == "C*" else [class_name]
        for field in fields:
            if "~" in field or "*" in field:  # one of several of a name; a pattern
                continue
            if not any(self.has(each, field.replace("?", "0")) for each in classes):
                yield field
