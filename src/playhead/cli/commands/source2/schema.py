"""``playhead source2 schema``: the classes and fields of a Source 2 build, and what changed between two."""

from __future__ import annotations

from typing import Any

from playhead import Replay
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import add_json
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out

_ENCODING = ("encoder", "bit_count", "low", "high", "flags", "signed_enum")


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "files", metavar="FILE [OTHER]", nargs="+", help="One Source 2 demo to list, or two to compare."
    )
    parser.option(
        "--grep TEXT", "Only fields whose class, name or type contains this text, in any case.", default=""
    )
    add_json(parser, "Print one JSON object: fields by name, or those removed, added and changed.")


def run(files: list[str], *, grep: str, as_json: bool) -> None:
    """List classes and fields, or the changes between two."""
    if len(files) > 2:
        raise UsageError("give one file to list or two to compare")
    reading = Reading(files, strict=False, one_each=True, as_json=as_json)
    listed = []
    for replay in reading:
        if not reading.can(replay, "schema"):
            continue
        with reading.guard(replay):
            listed.append(_fields(replay, grep))
            reading.problems(replay)
    if as_json and len(listed) == len(files):
        print_json(listed[0] if len(files) == 1 else dict(zip(_SIGNS, _changed(*listed), strict=True)))
    elif len(files) == 1 and listed:
        for name, text in listed[0].items():
            print_out(f"{name}  {text}")
    elif len(listed) == 2:
        for line in _changes(*listed):
            print_out(line)
    reading.finish()


def _fields(replay: Replay, grep: str) -> dict[str, str]:
    """Return type and encoding by ``Class.field``, or ``Class@version.field`` for versions other than 0."""
    out = {}
    for row in replay.table("schema").to_pylist():
        version = f"@{row['serializer_version']}" if row["serializer_version"] else ""
        name = f"{row['serializer']}{version}.{row['field']}"
        text = _describe(row)
        if grep.casefold() in f"{name}\n{text}".casefold():
            out[name] = text
    return out


def _describe(row: dict[str, Any]) -> str:
    encoding = [f"{key}={row[key]}" for key in _ENCODING if row[key] is not None and row[key] is not False]
    holds = [f"-> {row['field_serializer']}"] if row["field_serializer"] else []
    return " ".join([row["field_type"], *holds, *encoding])


#: Kinds of changes, and the signs before their lines.
_SIGNS = {"removed": "-", "added": "+", "changed": "~"}


def _changed(before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], ...]:
    """Return the fields of each of `_SIGNS`."""
    return (
        {name: text for name, text in before.items() if name not in after},
        {name: text for name, text in after.items() if name not in before},
        {
            name: f"{text}  =>  {after[name]}"
            for name, text in before.items()
            if name in after and after[name] != text
        },
    )


def _changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    found = zip(_SIGNS.values(), _changed(before, after), strict=True)
    return [f"{sign} {name}  {text}" for sign, fields in found for name, text in fields.items()]
