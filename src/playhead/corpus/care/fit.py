"""`misfits_of`: whether Parquet files, of whatever program, fit the vocabulary of columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playhead.runtime.libraries import pa, pq
from playhead.tables.combined import FILE, REPLAY
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import conflicts, expected

#: The first columns of every table of a lake.
_IDENTITY = (REPLAY.name, FILE.name)


def misfits_of(folder: str | Path) -> Iterator[tuple[str, str]]:
    """Yield what does not fit in the Parquet files of a folder and its folders: the file, and what is wrong.

    A column whose name is a word has the word's type, and its unit and meaning if the file says them. Text may be
    a category or not. Two tables that share a column share its type. A file's table is the one that its metadata
    name, or else the folder that it is in, without parts of the form ``game=sc2``.

    Raises:
        FileNotFoundError: the folder has no Parquet file.
    """
    files = sorted(path for path in Path(folder).rglob("*.parquet") if not _hidden(path, Path(folder)))
    if not files:
        raise FileNotFoundError(f"{folder}: there is no Parquet file")
    seen: dict[TableSchema, str] = {}
    for path in files:
        name = str(path.relative_to(folder))
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowInvalid, OSError) as error:
            yield name, f"cannot be read: {error}"
            continue
        found = _described(schema, path, Path(folder))
        if found not in seen:
            seen[found] = name
            yield from ((name, text) for text in conflicts([found]))
    firsts = list(seen)
    own = {text for each in firsts for text in conflicts([each])}
    yield from (("", text) for text in conflicts(firsts) if text not in own)


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in path.relative_to(folder).parts)


def _described(schema: pa.Schema, path: Path, folder: Path) -> TableSchema:
    """Return the columns of a file as a schema of tables."""
    meta = schema.metadata or {}
    folders = [part for part in path.relative_to(folder).parts[:-1] if "=" not in part]
    table = meta.get(b"playhead.table", (folders[-1] if folders else path.stem).encode()).decode()
    return TableSchema.of(table, "", *(_column(each) for each in schema if each.name not in _IDENTITY))


def _column(field: pa.Field) -> Column:
    about = {name.decode(): text.decode() for name, text in (field.metadata or {}).items()}
    word = expected(field.name)
    type_ = _type(field.type)
    if word is not None and type_.replace("string", "category") == word.type:
        type_ = word.type
    doc = about.get("doc") or ("" if word is None else word.doc)
    unit = about.get("unit") or ("" if word is None else word.unit)
    return Column(field.name, type_, doc, unit)


def _type(type_: pa.DataType) -> str:
    """Return a type of Arrow in the words of schemas."""
    if pa.types.is_dictionary(type_):
        return "category"
    if pa.types.is_timestamp(type_):
        return "timestamp"
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return f"list<{_type(type_.value_type)}>"
    names = {"double": "float64", "float": "float32", "large_string": "string", "string_view": "string"}
    return names.get(str(type_), str(type_))
