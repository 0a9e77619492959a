"""`KnownClasses`: the classes of a recording by number or by name, each created on access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from playhead.runtime.cached import cached_property
from playhead.runtime.typing import TypeVar
from playhead.source2.entities.classes import ClassInfo, ClassLayouts

_Key = TypeVar("_Key")


class KnownClasses(Mapping[_Key, ClassInfo]):
    """The classes of a recording. A Dota 2 recording declares some 1,600 and uses some hundreds.

    Args:
        layouts: creates the classes.
        names: class names, by number.
        numbers_of: returns the class numbers by key, given `names`; called on first access.

    Raises:
        KeyError: there is no such class.
        CorruptReplay: the class has no serializer.
    """

    def __init__(
        self,
        layouts: ClassLayouts,
        names: Mapping[int, str],
        numbers_of: Callable[[Mapping[int, str]], Mapping[_Key, int]],
    ) -> None:
        self._layouts = layouts
        self._names = names
        self._numbers_of = numbers_of

    @cached_property
    def _numbers(self) -> Mapping[_Key, int]:
        return self._numbers_of(self._names)

    def __getitem__(self, key: _Key) -> ClassInfo:
        number = self._numbers[key]
        return self._layouts.class_info(number, self._names[number])

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} classes>"


def by_id(names: Mapping[int, str]) -> Mapping[int, int]:
    """Return the class numbers, by number."""
    return {number: number for number in names}


def by_name(names: Mapping[int, str]) -> Mapping[str, int]:
    """Return the class numbers, by name."""
    return {name: number for number, name in names.items()}
