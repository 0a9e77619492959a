"""`publish_lake`: a lake as a data set for others: without names, one schema a folder, split by replay."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playhead.corpus.reading.lake import Lake
from playhead.corpus.reading.replays import shares
from playhead.corpus.writing.decode import GOOD
from playhead.runtime.libraries import pa, pc, pq
from playhead.runtime.records import dataclass
from playhead.tables.arrow import plain_text
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.text.json import to_json

#: Columns that are left out: free text, bytes, JSON that may have names, and what else people write themselves.
LEFT_OUT = frozenset(
    "text details fields payload raw data parameters save subject subject_details arguments custom_name "
    "convar_value auth_key source file copies".split()
)
#: Columns of text in words of the game or of the file; every other column of free text gets pseudonyms.
GAME_WORDS = frozenset(
    "format game game_word version map map_hash code sha256 field key convar entity_name entity_names "
    "target_entity_name phrase message_uuid save_uuid connection_uuid ddnet_version_text confidence lost_types "
    "added_types banned_heroes items inventory backpack stash loadout teleport neutral_items upgraded_from "
    "polymorphic not_recorded lost_parts map_english talents scores".split()
)
#: Numbers by which a publisher's server names people and matches.
_NUMBERS = ("account_id", "match_id")
_DAY = 86_400_000_000
_ROWS = 1 << 16
#: What rounding leaves of a share of 0.
_NO_SHARE = 1e-9


@dataclass(frozen=True, slots=True)
class Published:
    """What was written.

    Attributes:
        replays: number of replays in each part.
        failed: number of inputs that are not in it, by reason.
        rows: by game and table.
        bytes: size of all data files.
        warnings: parts that got no replay, or less than half of their share.
    """

    replays: Mapping[str, int]
    failed: Mapping[str, int]
    rows: Mapping[tuple[str, str], int]
    bytes: int
    warnings: tuple[str, ...]


class NamesForOthers:
    """Makes pseudonyms: those of a match, which differ from match to match, or those of a key."""

    def __init__(self, key: bytes | None) -> None:
        self._by_match = key is None
        self._key = secrets.token_bytes(32) if key is None else key

    def _digest(self, replay: str, kind: str, text: str) -> bytes:
        scope = replay if self._by_match else ""
        return hmac.new(
            self._key, f"{scope}\0{kind}\0{text}".encode(errors="surrogatepass"), hashlib.sha256
        ).digest()

    def replay(self, replay: str) -> str:
        """Return the pseudonym of a replay, whose SHA-256 would lead to a public file and its names."""
        return hmac.new(self._key, replay.encode(), hashlib.sha256).hexdigest()

    def text(self, replay: str, kind: str, text: str) -> str:
        """Return the pseudonym of a name or an account; several names in one text have one each."""
        parts = (self._digest(replay, kind, part) for part in text.split(", "))
        return ", ".join(f"{kind.capitalize()}{b32encode(part).decode()[:8]}" for part in parts)

    def number(self, replay: str, kind: str, number: int) -> int:
        """Return the pseudonym of a number, with 48 bits; 0 stays."""
        return int.from_bytes(self._digest(replay, kind, str(number))[:6], "big") if number else 0


def publish_lake(
    lake: Lake,
    target: str | os.PathLike[str],
    *,
    key: bytes | None = None,
    train: float = 0.8,
    validation: float = 0.1,
    seed: int = 0,
    said: Callable[[str], object] = lambda line: None,
) -> Published:
    """Write a lake as a data set: ``data/GAME/TABLE/PART.parquet`` with ``schema.json``, and a README that the
    viewer of Hugging Face reads.

    Args:
        lake: the lake.
        target: an empty or new folder.
        key: makes the pseudonyms: equal people have equal ones in every match and in every set with this key.
            Without it, people have other pseudonyms in each match.
        train, validation: shares of the replays; the rest is for tests.
        seed: of the division; a replay stays in its part when others are added.
        said: is called with the name of each table.

    Raises:
        FileExistsError: the folder is not empty.
        ValueError: the shares are not between 0 and 1.
    """
    folder = Path(target)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder}: the folder is not empty")
    parts = shares({"train": train, "validation": validation}, seed)
    inputs = lake.inputs.select(["replay", "game", "status"]).to_pylist()
    good = {row["replay"]: row["game"] or "unknown" for row in inputs if row["status"] in GOOD}
    part_of = {replay: next(name for name, has in parts.items() if has(replay)) for replay in good}
    names = NamesForOthers(key)
    rows: dict[tuple[str, str], int] = {}
    configs: list[dict[str, Any]] = []
    for game in sorted(set(good.values())):
        own = lake.filter(replay=[replay for replay, of in good.items() if of == game])
        for table in own.tables:
            place = folder / "data" / game / table
            written = _write_table(own, table, place, part_of, names)
            if sum(written.values()):
                rows[game, table] = sum(written.values())
                files = [
                    {"split": part, "path": f"data/{game}/{table}/{part}.parquet"}
                    for part in parts
                    if written.get(part)
                ]
                configs.append({"config_name": f"{game}_{table}", "data_files": files})
                said(f"{game}/{table}: {rows[game, table]} rows")
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    held = Counter(part_of.values())
    counts = {part: held[part] for part in parts}
    wanted = {"train": train, "validation": validation, "test": 1 - train - validation}
    found = Published(counts, lake.reasons(), rows, size, tuple(small_parts(counts, wanted)))
    readme = _readme(found, configs, by_match=key is None)
    (folder / "README.md").write_text(readme, encoding="utf-8", newline="\n")
    return found


def small_parts(counts: Mapping[str, int], wanted: Mapping[str, float]) -> Iterator[str]:
    """Yield a warning for each part that has no replay, or less than half of its share. A replay falls into a part
    by its hash, so with few replays parts are uneven."""
    total = sum(counts.values())
    for part, count in counts.items():
        share = wanted[part] * total
        if wanted[part] > _NO_SHARE and (not count or count < share / 2):
            yield (
                f"{part} has {count} of {total} replays, {wanted[part]:.0%} would be {share:.1f}: "
                "another seed divides them in another way"
            )


def _write_table(
    lake: Lake, table: str, place: Path, part_of: Mapping[str, str], names: NamesForOthers
) -> Counter[str]:
    """Write a table, one file for each part; return the rows of each."""
    held = _published(lake.schema(table))
    schema = plain_text(held)
    personal = {field.name for field in held if is_personal(field.name, field.type)}
    written: Counter[str] = Counter()
    with ExitStack() as stack:
        writers: dict[str, pq.ParquetWriter] = {}
        for batch in lake.batches(table):
            for part, rows in _divided(pa.Table.from_batches([batch]), part_of):
                if part not in writers:
                    place.mkdir(parents=True, exist_ok=True)
                    writer = pq.ParquetWriter(place / f"{part}.parquet", schema, compression="zstd")
                    writers[part] = stack.enter_context(writer)
                writers[part].write_table(_anonymous(rows, schema, personal, names), row_group_size=_ROWS)
                written[part] += rows.num_rows
    if written:
        text = to_json(json_schema(table, schema)) + "\n"
        (place / "schema.json").write_text(text, encoding="utf-8", newline="\n")
    return written


def _divided(rows: pa.Table, part_of: Mapping[str, str]) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each part."""
    replays = rows[REPLAY.name].to_pylist()
    places: dict[str, list[int]] = {}
    for place, replay in enumerate(replays):
        if replay in part_of:
            places.setdefault(part_of[replay], []).append(place)
    for part, held in places.items():
        yield part, rows.take(array_of(held, pa.int64()))


def _published(schema: pa.Schema) -> pa.Schema:
    """Return the columns that are published."""
    return pa.schema(
        [field for field in schema if field.name not in LEFT_OUT and not pa.types.is_binary(field.type)],
        schema.metadata,
    )


def is_personal(name: str, type_: pa.DataType) -> bool:
    """Return whether a column of text may name people: it is no category, and not in words of the game."""
    text = type_.value_type if pa.types.is_list(type_) else type_
    return pa.types.is_string(text) and name not in GAME_WORDS and name != REPLAY.name


def _anonymous(rows: pa.Table, schema: pa.Schema, personal: Collection[str], names: NamesForOthers) -> pa.Table:
    """Return rows with pseudonyms, and times to the day."""
    replays = rows[REPLAY.name].to_pylist()
    columns = []
    for field in schema:
        column = rows[field.name]
        if field.name == REPLAY.name:
            known = {replay: names.replay(replay) for replay in set(replays)}
            column = array_of([known[replay] for replay in replays], field.type)
        elif pa.types.is_timestamp(field.type):
            days = pc.divide(column.cast(pa.int64()), scalar_of(_DAY, pa.int64()))
            column = pc.multiply(days, scalar_of(_DAY, pa.int64())).cast(field.type)
        elif field.name.endswith(_NUMBERS):
            kind = field.name.rpartition("_")[0].rpartition("_")[2]
            values = zip(replays, column.to_pylist(), strict=True)
            held = [None if value is None else names.number(replay, kind, value) for replay, value in values]
            column = array_of(held, field.type)
        elif field.name in personal:
            kind = next((kind for kind in ("account", "clan", "skin") if field.name.endswith(kind)), "player")
            column = array_of(_pseudonyms(replays, column.to_pylist(), kind, names), field.type)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _pseudonyms(replays: Sequence[str], values: Sequence[Any], kind: str, names: NamesForOthers) -> list[Any]:
    known: dict[tuple[str, str], str] = {}

    def made(replay: str, text: str) -> str:
        if (replay, text) not in known:
            known[replay, text] = names.text(replay, kind, text) if text else text
        return known[replay, text]

    return [
        None if value is None
        else [made(replay, each) for each in value] if isinstance(value, list)
        else made(replay, value)
        for replay, value in zip(replays, values, strict=True)
    ]  # fmt: skip


#: Types of JSON.
_TYPES = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_integer, "integer"),
    (pa.types.is_floating, "number"),
)


def json_schema(table: str, schema: pa.Schema) -> dict[str, Any]:
    """Return the JSON Schema of the rows of a table, with the meaning and the unit of each column."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": table,
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _property(field) for field in schema},
        "required": schema.names,
    }


def _property(field: pa.Field) -> dict[str, Any]:
    about = {name.decode(): text.decode() for name, text in (field.metadata or {}).items()}
    found: dict[str, Any] = {"description": about.get("doc", "")}
    if about.get("unit"):
        found["unit"] = about["unit"]
    if pa.types.is_list(field.type):
        return found | {"type": ["array", "null"], "items": {"type": [_type(field.type.value_type), "null"]}}
    if pa.types.is_timestamp(field.type):
        found["format"] = "date-time"
    return found | {"type": [_type(field.type), "null"]}


def _type(type_: pa.DataType) -> str:
    return next((name for test, name in _TYPES if test(type_)), "string")


def _readme(found: Published, configs: Sequence[Mapping[str, Any]], *, by_match: bool) -> str:
    """Return the card of the data set, with a configuration for each table of each game."""
    total = sum(found.replays.values())
    parts = ", ".join(f"{count} {part}" for part, count in found.replays.items())
    failed = ", ".join(f"{count} {reason}" for reason, count in found.failed.items()) or "none"
    lines = ["---", "configs:"]
    for config in configs:
        lines += [f"- config_name: {config['config_name']}", "  data_files:"]
        for file in config["data_files"]:
            lines += [f"  - split: {file['split']}", f"    path: {file['path']}"]
    who = (
        "of a match: a person has another one in each" if by_match else "of a key: a person has one in all matches"
    )
    lines += [
        "---",
        "",
        "# Tables of game replays",
        "",
        f"{total} replays ({parts}); inputs that could not be read: {failed}. The parts divide replays: all",
        "rows of a replay are in one part. Written by playhead, which documents every table.",
        "",
        f"Names, clans and accounts are pseudonyms {who}. Column `replay` is a pseudonym too, as",
        "the hash of a public file leads to its names. Times are cut to the day. Chat, file names, bytes and JSON",
        "texts are left out.",
        "",
        *(f"**Few replays:** {warning}.\n" for warning in found.warnings),
        "| table | rows | columns |",
        "|---|---|---|",
    ]
    for (game, table), rows in found.rows.items():
        lines.append(f"| {game}_{table} | {rows} | [schema](data/{game}/{table}/schema.json) |")
    return "\n".join(lines) + "\n"
