"""Table ``schema``: the serializers of the recording's build."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from playhead.source2.playback.collector import Collector
from playhead.source2.playback.recording import Recording
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = TableSchema(
    name="schema",
    version=1,
    doc="One row for each field of every serializer: the classes of this build and how they are encoded.",
    columns=(
        Column("class_id", "int32", "Number of the class whose root this serializer is; null if of none."),
        Column("serializer", "category", "Name of the serializer: of the class, for a root."),
        Column("version", "int32", "Version of the serializer; the root of a class is version 0."),
        Column("index", "int32", "Number of the field in the serializer: what a field path says."),
        Column("name", "string", "Name of the field."),
        Column("type", "category", "Declared type."),
        Column("model", "category", "How a path goes through it: scalar, array, vector, table, tables or flag."),
        Column("encoder", "category", "Special encoding; null for the type's own."),
        Column("bit_count", "int32", "Bits of a quantised value; null if not declared.", "bits"),
        Column("low", "float32", "Lowest quantised value; null if not declared."),
        Column("high", "float32", "Highest quantised value; null if not declared."),
        Column("flags", "int32", "Flags of the quantisation; null if not declared."),
        Column("send_node", "category", "Dotted path of the node that the field is sent under."),
        Column("field_serializer", "category", "Serializer of the table or tables in this field; else null."),
        Column("field_serializer_version", "int32", "Its version; else null."),
        Column("polymorphic", "list<string>", "Serializers that may stand there instead."),
        Column("signed_enum", "bool", "An enumeration that is sent with a sign."),
    ),
)


class SchemaFields(Collector):
    """Table ``schema``, from the sign-on frames alone."""

    schemas: ClassVar = (SCHEMA,)
    plays: ClassVar = False

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def tables(self) -> Mapping[str, pa.Table]:
        class_ids = {name: number for number, name in self._recording.class_names.items()}
        rows = [
            (
                class_ids.get(serializer.name) if serializer.version == 0 else None,
                serializer.name,
                serializer.version,
                index,
                field.name,
                str(field.type),
                field.model.value,
                field.encoder,
                field.bit_count,
                field.low,
                field.high,
                field.flags,
                field.send_node,
                field.serializer[0] if field.serializer else None,
                field.serializer[1] if field.serializer else None,
                [name for name, _ in field.polymorphic],
                field.signed_enum,
            )
            for serializer in self._recording.send_tables
            for index, field in enumerate(serializer.fields)
        ]
        columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA.columns]
        table = SCHEMA.build(dict(zip(SCHEMA.column_names, map(list, columns), strict=True)))
        return {SCHEMA.name: table}
