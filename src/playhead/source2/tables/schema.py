"""Table ``schema``: the serializers of the recording's build."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from playhead.runtime.libraries import pa, pc
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.recording import Recording
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.tables import TABLES
from playhead.tables.arrow import int32_array, to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of
from playhead.tables.vocabulary import word

SCHEMA = TableSchema.of(
    "schema",
    "One row for each field of every serializer: the classes of this build and how they are encoded.",
    Column("class_id", "int64", "Number of the class whose root this serializer is; null if of none."),
    Column("serializer", "category", "Name of the serializer: of the class, for a root."),
    Column("serializer_version", "int32", "Version of the serializer; the root of a class is version 0."),
    word("index", "That of the field in the serializer, as in field paths."),
    Column("field", "string", "Name of the field."),
    Column("field_type", "category", "Declared type."),
    Column("model", "category", "How a path goes through it: scalar, array, vector, table, tables or flag."),
    Column("encoder", "category", "Special encoding; null for the type's own."),
    Column("bit_count", "int32", "Bits of a quantised value; null if not declared.", "bits"),
    Column("low", "float32", "Lowest quantised value; null if not declared."),
    Column("high", "float32", "Highest quantised value; null if not declared."),
    word("flags", "Those of the quantisation; null if not declared."),
    Column("send_node", "category", "Dotted path of the node that the field is sent under."),
    Column("field_serializer", "category", "Serializer of the table or tables in this field; else null."),
    Column("field_serializer_version", "int32", "Its version; else null."),
    Column("polymorphic", "list<string>", "Serializers that may replace it."),
    Column("signed_enum", "bool", "An enumeration that is sent with a sign."),
    group="file",
)

#: Columns that are attributes of a field, of the same name.
_AS_DECLARED = "encoder bit_count low high flags send_node signed_enum".split()


@TABLES.maker_of(SCHEMA)
class SchemaFields(Collector):
    """Table ``schema``, from the sign-on frames alone."""

    plays: ClassVar = False

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def tables(self) -> Mapping[str, pa.Table]:
        return {SCHEMA.name: _MADE.table(self._recording)}


class _LatestTable:
    """The latest table, as recordings of one build have the same: a hundred thousand rows."""

    def __init__(self) -> None:
        self._made: tuple[SendTables, Mapping[int, str], pa.Table] | None = None

    def table(self, recording: Recording) -> pa.Table:
        """The table of a recording."""
        made = self._made
        if made is None or made[0] is not recording.send_tables or made[1] is not recording.class_names:
            table = _table(recording)
            self._made = made = recording.send_tables, recording.class_names, table
        return made[2]


_MADE = _LatestTable()


def _table(recording: Recording) -> pa.Table:
    class_ids = {name: number for number, name in recording.class_names.items()}
    serializers = list(recording.send_tables)
    # Serializers share most of their fields: a build has ten times as many rows as fields.
    rows = [field for serializer in serializers for field in serializer.fields]
    numbers = array("Q", map(id, rows))
    ids = pa.Array.from_buffers(pa.uint64(), len(rows), [None, pa.py_buffer(numbers)])
    known = ids.dictionary_encode()
    fields = [rows[place] for place in to_list(pc.index_in(known.dictionary, ids))]
    field_of = known.indices
    sizes = [len(serializer.fields) for serializer in serializers]
    places = array("i", range(max(sizes, default=0)))
    index_of, serializer_of = array("i"), array("i")
    for number, size in enumerate(sizes):
        index_of.extend(places[:size])
        serializer_of.extend(array("i", [number]) * size)
    row_of = int32_array(serializer_of)
    columns: dict[str, tuple[pa.Array, list[Any]]] = {
        "class_id": (row_of, [class_ids.get(each.name) if each.version == 0 else None for each in serializers]),
        "serializer": (row_of, [each.name for each in serializers]),
        "serializer_version": (row_of, [each.version for each in serializers]),
        "field": (field_of, [field.name for field in fields]),
        "field_type": (field_of, [str(field.type) for field in fields]),
        "model": (field_of, [field.model for field in fields]),
        **{name: (field_of, list(map(attrgetter(name), fields))) for name in _AS_DECLARED},
        "field_serializer": (field_of, [(field.serializer or (None, None))[0] for field in fields]),
        "field_serializer_version": (field_of, [(field.serializer or (None, None))[1] for field in fields]),
        "polymorphic": (field_of, [[name for name, _ in field.polymorphic] for field in fields]),
    }
    schema = SCHEMA.arrow()
    built = {
        name: array_of(values, schema.field(name).type).take(chosen) for name, (chosen, values) in columns.items()
    }
    return SCHEMA.build(built | {"index": int32_array(index_of)})
