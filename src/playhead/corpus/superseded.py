"""Rows of a lake that do not count: of a replay in two manifests, or of a recording that has grown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from playhead.corpus.manifest import Manifest, good_rows
from playhead.runtime.libraries import pa


def version_of(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, for comparison."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def outgrown(manifests: Iterable[Manifest]) -> frozenset[str]:
    """Return the replays of which a longer state was read later."""
    found: set[str] = set()
    for manifest in manifests:
        rows = good_rows(manifest.rows)
        if "grew_from" in rows.column_names:
            found.update(replay for some in rows["grew_from"].to_pylist() for replay in some or ())
    return frozenset(found)


def superseded(manifests: Sequence[Manifest]) -> dict[tuple[str, str], set[str]]:
    """Return the replays whose rows do not count, by manifest and table."""
    found: dict[tuple[str, str], set[str]] = {}
    if not manifests:
        return found
    old = outgrown(manifests)
    good = [good_rows(each.rows) for each in manifests]
    counts = (
        pa.concat_tables([each.select(["replay"]) for each in good])
        .group_by("replay")
        .aggregate([("replay", "count")])
    )
    twice = {row["replay"] for row in counts.to_pylist() if row["replay_count"] > 1}
    held: dict[tuple[str, str], tuple[tuple[int, ...], str]] = {}
    if not twice and not old:
        return found
    for manifest, rows in zip(manifests, good, strict=True):
        for row in rows.select(["replay", "playhead", "schemas"]).to_pylist():
            replay = row["replay"]
            if replay not in twice and replay not in old:
                continue
            rank = version_of(row["playhead"])
            for table in json.loads(row["schemas"]):
                loser = manifest.name
                if replay not in old:
                    best, owner = held.setdefault((replay, table), (rank, loser))
                    if owner == loser:
                        continue
                    if rank > best:
                        held[replay, table], loser = (rank, manifest.name), owner
                found.setdefault((loser, table), set()).add(replay)
    return found
