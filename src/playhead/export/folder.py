"""A manifest in each folder of tables names their replay: tables of two replays are never mixed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from playhead.io.atomic import whole_file
from playhead.model import ReplayLike
from playhead.text.json import valid_text
from playhead.version import __version__

#: The manifest of a folder of tables. Readers of whole folders skip names that begin with ``_``.
MANIFEST = "_playhead.json"


def other_tables(folder: Path, replay: ReplayLike, formats: Iterable[str]) -> str | None:
    """Return the other replay's tables in a folder, in words; None if this replay's tables may be written there.

    Content identifies a replay, not its name: its tables may be exported again, and others added.
    """
    held = read_manifest(folder)
    if held is not None:
        if replay.content_hash is not None and held.get("content_hash") == replay.content_hash:
            return None
        return f"the tables of {held.get('source', 'another replay')}"
    for name in replay.tables:
        for format in formats:
            if (folder / f"{name}.{format}").exists():
                return f"{name}.{format} of an unknown replay (it has no {MANIFEST})"
    inner = next((path.parent.name for path in sorted(folder.glob(f"*/{MANIFEST}"))), None)
    return None if inner is None else f"folders of replays ({inner})"


def check_is_free(folder: Path, replay: ReplayLike, formats: Iterable[str]) -> None:
    """Raise FileExistsError if a folder holds tables of another replay."""
    held = other_tables(folder, replay, formats)
    if held is not None:
        raise FileExistsError(f"{folder} holds {held}: choose another folder")


def read_manifest(folder: Path) -> Mapping[str, Any] | None:
    """Return the manifest of a folder; None without one, an empty one if it cannot be read."""
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {} if os.path.lexists(path) else None
    return found if isinstance(found, dict) else {}


def write_manifest(folder: Path, replay: ReplayLike, files: Collection[Path] = ()) -> None:
    """Record that a folder holds tables of this replay, adding `files` to those already listed."""
    held = read_manifest(folder) or {}
    listed = dict(held.get("files", {}))
    listed.update(
        {path.name: {"table": path.stem, "version": replay.schema_of(path.stem).version} for path in files}
    )
    manifest = {
        "playhead": __version__,
        "source": valid_text(Path(replay.name).name),
        "format": replay.format,
        "content_hash": replay.content_hash,
        "files": dict(sorted(listed.items())),
    }
    with whole_file(folder / MANIFEST) as path:
        path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
