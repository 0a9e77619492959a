"""`Document`: one file with a whole replay in the shape of another tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playhead.export.files import FORMATS
from playhead.export.folder import check_is_free, write_manifest
from playhead.io.atomic import whole_file
from playhead.runtime.records import NamedTuple
from playhead.text.json import to_json


class Document(NamedTuple):
    """One export form that a game brings.

    Attributes:
        file: name of the file.
        doc: a sentence that describes it.
        build: returns the content, as a JSON value, from the replay.
    """

    file: str
    doc: str
    build: Callable[[Any], Any]


def write_document(replay: Any, folder: Path, document: Document) -> list[Path]:
    """Write a document of a replay into a folder; return its path. A manifest names the replay.

    Raises:
        FileExistsError: the folder holds tables of another replay.
        OSError: the folder or file cannot be written.
        ReplayError: in strict mode, the first problem.
    """
    check_is_free(folder, replay, FORMATS)
    text = to_json(document.build(replay))
    path = folder / document.file
    with whole_file(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
    write_manifest(folder, replay)
    return [path]
