"""`TableRegistry`: the tables of one package, each declared in the module that holds its schema.

The package makes a registry, and each of its modules adds its tables to it, right below their schemas:

    TABLES: TableRegistry[type[Collector]] = TableRegistry(__name__)  # in the package's __init__

    @TABLES.maker_of(WARDS)  # in any module of the package or of its sub-packages
    class Wards(Collector):

No other list names the table: the first call of `tables` imports every module of the package, which takes 30 ms of
CPU for Dota 2 with its engine. `find` imports only the modules whose docstrings begin with the table's name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from playhead.errors import FactError, ReplayError
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.typing import Any, Generic, Protocol, TypeVar
from playhead.tables.schema import TableSchema


class TableMaker(Protocol):
    """A class or an object that makes one table or several."""

    @property
    def schemas(self) -> Sequence[TableSchema]:
        """The tables it makes."""
        ...


Maker = TypeVar("Maker", bound=TableMaker)

#: Bytes at the beginning of a module that name its tables: ``Tables ``kills`` and ``damage``: …``
_TITLE = 240


def cost_of(maker: TableMaker) -> str:
    """Return the tables, by name, that a recording loses if the facts of a maker fail."""
    names = [schema.name for schema in maker.schemas]
    return f"rows of table {' and '.join(names)}" if names else "facts that need it"


def build_or_note(
    maker: TableMaker,
    build: Callable[[], Mapping[str, Any]],
    note: Callable[[ReplayError, str], object],
    reader: str | None = None,
) -> Mapping[str, Any]:
    """Return the tables of a maker; if their facts cannot be derived, note a problem and return them without rows.

    Args:
        build: returns the tables by name.
        note: called with the problem and its cost; in strict mode it raises the problem.
        reader: the words of the problem for the code that failed; by default the names of the tables.
    """
    try:
        return build()
    except Exception as error:
        names = " and ".join(schema.name for schema in maker.schemas)
        note(FactError.of(error, reader or f"table {names}"), cost_of(maker))
        return {schema.name: schema.build_rows([]) for schema in maker.schemas}


def _modules_about(package: str, table: str) -> Iterator[str]:
    """Yield the modules in a package and its sub-packages whose docstring begins with the name of a table."""
    name = f"``{table}``".encode()
    root = os.path.dirname(import_module(package).__file__ or "")
    for folder, _, files in os.walk(root) if root else ():
        inner = folder.removeprefix(root).replace(os.sep, ".")
        for file in files:
            if file.endswith(".py"):
                with open(os.path.join(folder, file), "rb") as source:
                    if name in source.read(_TITLE):
                        yield f"{package}{inner}.{file.removesuffix('.py')}"


class TableRegistry(Generic[Maker]):
    """The makers of the tables of a package, by table name.

    Args:
        package: dotted name of the package whose modules declare the tables.
        base: the registry that this one extends: a game has the tables of its engine too.
        replaces: names of tables of the base of which this package has its own.
        first: names of the tables that most callers ask for.
        last: names of the tables that few callers ask for, though they are no cheaper than others.
    """

    def __init__(
        self,
        package: str,
        base: TableRegistry[Maker] | None = None,
        replaces: Collection[str] = (),
        first: Sequence[str] = (),
        last: Collection[str] = (),
    ) -> None:
        self._package = package
        self._replaces = frozenset(replaces)
        self._first = first
        self._last = frozenset(last)
        self._base = base
        self._added: dict[str, Maker] = {}
        self._schemas: dict[str, TableSchema] = {}
        self._complete = False

    def add(self, maker: Maker) -> Maker:
        """Add a maker under the name of each of its tables, and return it.

        Raises:
            ValueError: another maker makes a table of that name.
        """
        for schema in maker.schemas:
            if schema.name in self._added:
                raise ValueError(f"table {schema.name!r} is declared twice")
            self._added[schema.name] = maker
        return maker

    def maker_of(self, *schemas: TableSchema) -> Callable[[Maker], Maker]:
        """Return a decorator of a class that makes these tables: it sets the class's `schemas` and adds it."""

        def declare(maker: Maker) -> Maker:
            maker.schemas = schemas  # type: ignore[misc]
            return self.add(maker)

        return declare

    def own(self) -> Mapping[str, Maker]:
        """Return the makers of the tables of this package, by table name, in alphabetical order."""
        if not self._complete:
            from pkgutil import walk_packages

            with GC_PAUSED:
                paths = import_module(self._package).__path__
                for name in sorted(found.name for found in walk_packages(paths, f"{self._package}.")):
                    import_module(name)
            self._added = dict(sorted(self._added.items()))
            self._complete = True
        return MappingProxyType(self._added)

    def tables(self) -> Mapping[str, Maker]:
        """Return the makers of all tables: those of the base first, then the package's own.

        Raises:
            ValueError: the package and the base declare a table of the same name.
        """
        if self._base is None:
            return self.own()
        inherited, own = self._base.tables(), self.own()
        twice = sorted((inherited.keys() & own) - self._replaces)
        if twice:
            raise ValueError(f"table {twice[0]!r} is declared twice")
        return {**inherited, **own}

    def find(self, name: str) -> Maker | None:
        """Return the maker of a table, None if there is no such table: as `tables` has it, but without importing
        other modules if the docstring of one names the table.
        """
        found = self._find_alone(name)
        if found is None and self._base is not None and name not in self._replaces:
            found = self._base._find_alone(name)
        return self.tables().get(name) if found is None else found

    def schema_alone(self, name: str) -> TableSchema | None:
        """Return the schema of a table as `find` finds it, None if there is no such table."""
        maker = self.find(name)
        return None if maker is None else next(schema for schema in maker.schemas if schema.name == name)

    def _find_alone(self, name: str) -> Maker | None:
        if not self._complete and name not in self._added:
            with GC_PAUSED:
                for module in self._modules_about(name):
                    import_module(module)
        return self._added.get(name)

    def _modules_about(self, name: str) -> Iterator[str]:
        """Yield the modules that declare a table, as far as they can be known without an import."""
        return _modules_about(self._package, name)

    def makers_of(self, names: Iterable[str]) -> list[Maker]:
        """Return the makers of these tables, each once, in the order of `tables`; as `find` finds them."""
        found = {name: maker for name in sorted(names) if (maker := self.find(name)) is not None}
        of_base = [name for name, maker in found.items() if maker is not self._added.get(name)]
        inherited = {name: found[name] for name in found if name in self._replaces or name in of_base}
        return list(dict.fromkeys((inherited | found).values()))

    def first(self) -> Mapping[str, Maker]:
        """Return the makers of the tables that most callers ask for, by name."""
        return {name: maker for name in self._first if (maker := self.find(name)) is not None}

    def usual(self) -> Mapping[str, Maker]:
        """Return the makers as `own` does, without those of the tables that few callers ask for."""
        return {name: maker for name, maker in self.own().items() if name not in self._last}

    def are_all(self, names: Collection[str]) -> bool:
        """Return whether the names are those of all tables. Who knows them all has called `tables`."""
        return self._complete and self.tables().keys() <= frozenset(names)

    def schemas(self) -> Mapping[str, TableSchema]:
        """Return the schemas of all tables, in the order of `tables`."""
        tables = self.tables()
        if self._schemas.keys() != tables.keys():
            found = {schema.name: schema for maker in dict.fromkeys(tables.values()) for schema in maker.schemas}
            self._schemas = {name: found[name] for name in tables}
        return MappingProxyType(self._schemas)

    def makers(self) -> Sequence[Maker]:
        """Return every maker once, in the order of `tables`."""
        return list(dict.fromkeys(self.tables().values()))
