"""Tables of entity fields over time: ``entities:<class or pattern>``, on every change or at an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import ClassVar

from playhead.errors import LimitExceeded
from playhead.events import WILDCARDS
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp, class_matches
from playhead.source2.playback.collector import Collector, Jobs, Unjoinable
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.sampling import Sampler
from playhead.source2.schema.patches import aliases_of
from playhead.source2.schema.tree import FieldCursor, FieldTree
from playhead.source2.tables import PREFIX
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.tables.arrow import named, seconds_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of
from playhead.tables.vocabulary import word, words
from playhead.text.names import nearest_names

_FIXED = (
    *words("tick seconds entity entity_serial entity_class"),
    word(
        "change",
        "created, updated, entered (again in sight), left (out of sight), deleted; null in a row of an interval.",
    ),
    Column("active", "bool", "It is in sight of the recorder; otherwise its fields are the last known."),
)
#: Words of `change` by `EntityOp`; a created entity also enters, a deleted one also leaves.
_CHANGES: Mapping[int, str] = {
    EntityOp.UPDATED: "updated",
    EntityOp.CREATED_ENTERED: "created",
    EntityOp.UPDATED_ENTERED: "entered",
    EntityOp.LEFT: "left",
    EntityOp.DELETED_LEFT: "deleted",
}


def query_schema(name: str) -> TableSchema:
    """Return the columns that every table of entity fields has, as the schema of the one of that name."""
    return TableSchema.of(name, "Fields of entities over time.", *_FIXED, group="messages")


@dataclass(frozen=True, slots=True)
class FieldProjection:
    """The fields of a query, in the form that `EntityManager` takes. Equal projections share class layouts."""

    pattern: str
    fields: tuple[str, ...] | None

    def wants_field(self, name: str) -> bool:
        """Return whether the query has the field of that name."""
        if self.fields is None:
            return True
        names = (name, *aliases_of(name))
        return any(fnmatchcase(each, pattern) for each in names for pattern in self.fields)

    def __call__(self, class_name: str) -> Callable[[str], bool] | None:
        """Return the test for names of fields to keep of a class; None keeps none."""
        return self.wants_field if class_matches(class_name, self.pattern) else None


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """A selection of entities and of their fields.

    Attributes:
        pattern: class name or pattern (``CDOTA_Unit_Hero_*``).
        fields: dotted names, full names (see `Slot`), or patterns of either; None is every field.
        every: ticks between samples of all entities; None gives a row for each change instead.
    """

    pattern: str
    fields: tuple[str, ...] | None = None
    every: int | None = None

    @property
    def name(self) -> str:
        """Name of the table."""
        return PREFIX + self.pattern

    @property
    def projection(self) -> FieldProjection:
        """The fields to keep, by class."""
        return FieldProjection(self.pattern, self.fields)

    def check(self, class_names: Iterable[str], tree: FieldTree) -> None:
        """Check that the recording has these classes and fields, unless it lost its list of classes.

        Raises:
            KeyError: no class fits the pattern, or none that does has a field of a name.
        """
        known = list(class_names)
        if not known:
            return
        fitting = [name for name in known if class_matches(name, self.pattern)]
        if not fitting:
            near = nearest_names(self.pattern, known)
            raise KeyError(f"no class of this recording fits {self.pattern!r}" + (f"; {near}" if near else ""))
        for field in self.fields or ():
            if WILDCARDS & set(field):
                continue
            for class_name in fitting:
                cursor = FieldCursor(tree, tree.root(class_name), class_name)
                if any(cursor.path_of(name) is not None for name in (field, *aliases_of(field))):
                    break
            else:
                near = nearest_names(field, {name for each in fitting for name in tree.root(each).names})
                raise KeyError(
                    f"no class that fits {self.pattern!r} has a field {field!r}; "
                    f"{near or '`playhead source2 schema` lists them'}"
                )


class EntityTable(Collector):
    """Collects the rows of one query.

    A row for each change needs a playback that keeps only the fields of the query: each change of a kept field
    makes a row.
    """

    entities: ClassVar = True
    jobs: ClassVar = Jobs(anew=True)
    reports_missing: ClassVar = True

    def __init__(self, recording: Recording, query: EntityQuery) -> None:
        self._query = query
        self._rate = recording.ticks_per_second
        self._most_cells = recording.limits.cells
        self.fields = {query.pattern: query.fields or ("*",)}
        self._sampler: Sampler | None = None
        self.begin()

    def begin(self) -> None:
        query = self._query
        names = [name for name in query.fields or () if not WILDCARDS & set(name)]
        only_names = query.fields is not None and len(names) == len(query.fields)
        wanted = None if only_names else query.projection.wants_field
        self._columns = EntityColumns(names, wanted, self._most_cells)

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._manager = playback.entities
        if self._query.every is None:
            playback.entities.on_entity(self._on_entity, self._query.pattern)
        else:
            self._sampler = Sampler(playback, self._query.every)
            self._sampler.on_sample(self._take_sample)

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        self._columns.add_change(entity, self._playback.tick, op)

    def _take_sample(self, tick: int) -> None:
        if not self._columns.is_full:
            for entity in self._manager.find_all_by_class_name(self._query.pattern):
                self._columns.add_change(entity, tick, 0)

    def tables(self) -> Mapping[str, pa.Table]:
        """Return the table, with rows in time order."""
        if self._columns.is_full:  # said here: an error in a handler would be taken for one of the entities
            raise LimitExceeded(
                f"{self._query.name} has more than the limit of {self._most_cells} cells "
                f"({self._columns.rows} rows, {len(self._columns.columns)} columns): name the fields or classes, "
                "or take fewer samples"
            )
        if self._sampler is not None:
            self._sampler.finish()
        columns = self._columns.to_arrow(self._manager.pool)
        ticks, indices, serials, ops, actives, class_ids = (head.to_arrow() for head in self._columns.heads)
        used = pc.unique(class_ids).sort()
        names = array_of([self._manager.classes_by_id[number].name for number in used.to_pylist()], pa.string())
        fixed = {
            "tick": ticks,
            "seconds": seconds_of(ticks, self._rate),
            "entity": indices,
            "entity_serial": serials,
            "entity_class": pa.DictionaryArray.from_arrays(pc.index_in(class_ids, used), names),
            "change": named(ops, _CHANGES),
            "active": actives.cast(pa.bool_()),
        }
        schema = query_schema(self._query.name).arrow()
        table = pa.Table.from_arrays([fixed[f.name].cast(f.type) for f in schema], schema=schema)
        asked = [name for name in self._query.fields or () if name in columns]
        for name in [*asked, *sorted(columns.keys() - asked)]:
            column = columns[name]
            table = table.append_column(pa.field(name, column.type), column)
        return {self._query.name: table}

    def joined(self, earlier: Sequence[Mapping[str, pa.Table]]) -> Mapping[str, pa.Table]:
        found = super().joined(earlier)
        table = found[self._query.name]
        if table.num_rows * table.num_columns > self._most_cells:
            raise Unjoinable  # one process raises the error
        first = len(query_schema(self._query.name).columns)
        asked = [name for name in self._query.fields or () if name in table.column_names]
        others = sorted(set(table.column_names[first:]) - set(asked))
        return {self._query.name: table.select([*table.column_names[:first], *asked, *others])}
