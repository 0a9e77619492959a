"""Plans assign inputs to shards and are saved before any work, so that a resumed run has the same shards.

A plan is a Parquet file with a row per input. Later runs keep the unfinished shards of earlier plans and make new
shards only of inputs that are in no plan.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from playhead.corpus.identity import Item, Seen, is_of_path, make_seen
from playhead.corpus.manifest import read_small
from playhead.corpus.request import Request
from playhead.corpus.shards import Shard, make_shard
from playhead.io.store import Store
from playhead.runtime.libraries import pa, pq
from playhead.tables.schema import Column, TableSchema
from playhead.text.json import valid_text

FOLDER = "_plans"

PLAN = TableSchema.of(
    "plan",
    "One row for each input.",
    Column("shard", "string", "Name of its shard."),
    Column("id", "string", "Its `Item.id`."),
    Column("file", "string", "Its name."),
    Column("size", "int64", "As stored.", "bytes"),
    Column("changed", "int64", "Time of the last change; 0 if unknown.", "ns"),
    Column("wanted", "string", "Requested tables, with commas; empty for the default."),
)

#: Greatest number of bytes and of inputs of a shard; a shard has at least one input.
SHARD_BYTES = 64 << 20
SHARD_INPUTS = 256


def cut(
    items: Iterable[Item],
    request: Request,
    gone: Collection[str] = (),
    *,
    most_bytes: int = SHARD_BYTES,
    most_inputs: int = SHARD_INPUTS,
) -> Iterator[Shard]:
    """Cut inputs into shards, in the order of their ids. They have equal numbers of inputs where their bytes allow
    it: one process writes a shard, and a small last one would leave the others idle."""
    members: list[Item] = []
    size = 0
    ordered = sorted(items, key=lambda each: each.id)
    count = max(1, -(-len(ordered) // most_inputs))
    for item in ordered:
        if members and (size + item.size > most_bytes or len(members) >= -(-len(ordered) // count)):
            yield make_shard(members, request, gone)
            members, size = [], 0
        members.append(item)
        size += item.size
    if members:
        yield make_shard(members, request, gone)


def make_plan(
    store: Store,
    items: Collection[Item],
    request: Request,
    done: Collection[str],
    gone: Collection[str] = (),
    *,
    most_bytes: int = SHARD_BYTES,
    most_inputs: int = SHARD_INPUTS,
) -> list[Shard]:
    """Return the shards to run for these inputs, and save new ones as a plan.

    Args:
        items: the inputs to read; none that the lake has.
        done: names of the manifests of the lake.
        gone: names of manifests that compactions replaced; these names must not be used again.
    """
    wanted = {item.id: item for item in items}
    shards = []
    for planned in read_plans(store, request.key).values():
        members = [wanted.get(each.id) for each in planned.items]
        if planned.name in done or planned.name in gone or None in members:
            continue
        shards.append(Shard(planned.name, tuple(each for each in members if each is not None)))
        for each in planned.items:
            del wanted[each.id]
    new = list(cut(wanted.values(), request, gone, most_bytes=most_bytes, most_inputs=most_inputs))
    if new:
        save_plan(store, new, request)
    return shards + new


def save_plan(store: Store, shards: Collection[Shard], request: Request) -> None:
    """Save shards as a plan, whose name is made of theirs."""
    rows = [
        {
            "shard": shard.name,
            "id": item.id,
            "file": valid_text(item.file),
            "size": item.size,
            "changed": item.changed,
            "wanted": request.wanted,
        }
        for shard in shards
        for item in shard.items
    ]
    digest = hashlib.sha256("\n".join(shard.name for shard in shards).encode()).hexdigest()[:20]
    table = PLAN.build_rows(rows)
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", write_page_checksum=True)
    store.put(f"{FOLDER}/{request.key}-{digest}.parquet", out.getvalue())


def _rows(store: Store, start: str) -> Iterator[Mapping[str, Any]]:
    for each in store.files(FOLDER):
        name = each.name.rpartition("/")[2]
        if name.startswith(start) and name.endswith(".parquet"):
            yield from read_plan(store, each.name)


def read_plan(store: Store, name: str) -> list[dict[str, Any]]:
    """Return the rows of a plan.

    Raises:
        ValueError: it is damaged.
    """
    try:
        table = read_small(store.get(name))
        table = table.select(PLAN.arrow().names).cast(pa.schema([(each.name, each.type) for each in PLAN.arrow()]))
        rows: list[dict[str, Any]] = table.to_pylist()
        if any(row[column] is None for row in rows for column in ("shard", "id", "file")):
            raise ValueError("a row without shard, id or file")
    except (pa.ArrowException, KeyError, OSError, ValueError) as error:
        raise ValueError(f"{store.path(name)}: damaged plan ({error}); playhead lake check repairs it") from error
    return rows


def read_plans(store: Store, key: str) -> dict[str, Shard]:
    """Return the shards of all plans for one request, by name."""
    members: dict[str, list[Item]] = {}
    for row in _rows(store, f"{key}-"):
        item = Item(row["id"], row["file"], row["size"], changed=row["changed"])
        held = members.setdefault(row["shard"], [])
        if item.id not in {each.id for each in held[-1:]}:
            held.append(item)
    return {name: Shard(name, tuple(items)) for name, items in members.items()}


def known_hashes(store: Store) -> dict[Seen, str]:
    """Return the ids in earlier plans by facts of the file, so that unchanged files are not hashed again."""
    found = {}
    for row in _rows(store, ""):
        if row["changed"] and not is_of_path(row["id"]):
            found[make_seen(row["file"], row["size"], row["changed"])] = row["id"]
    return found


def planned_ids(store: Store) -> dict[str, list[str]]:
    """Return the inputs of each shard of all plans that are not damaged."""
    found: dict[str, list[str]] = {}
    for each in store.files(FOLDER):
        with suppress(ValueError):
            for row in read_plan(store, each.name):
                found.setdefault(row["shard"], []).append(row["id"])
    return found
