"""``playhead lake publish``: a lake as a data set without names, split by replay."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import Parser, UsageError, bounded
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.inputs.options import add_json, add_output
from playhead.cli.output.standard import print_json, print_note, print_out
from playhead.text.names import counted


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    add_output(parser, "Folder to write.")
    parser.option(
        "--key FILE",
        "Pseudonyms of a key: a person has one in all matches. Keep the file secret. Without it, people "
        "have other pseudonyms in each match.",
        type=Path,
    )
    parser.option("--train SHARE", "Share of the replays for training.", type=bounded(float, 0.0), default=0.8)
    parser.option("--validation SHARE", "Share for validation.", type=bounded(float, 0.0), default=0.1)
    parser.option("--seed N", "Divide the replays in another way.", type=int, default=0)
    add_json(parser, "Print one JSON object.")


def run(
    lake: str, *, output: Path, key: Path | None, train: float, validation: float, seed: int, as_json: bool
) -> None:
    """Write a lake as a data set without names for others.

    It has one schema a folder, and is split by replay.

    The folder has Parquet files, a JSON schema of each table, and a README by which the viewer of Hugging Face
    finds them.
    """
    from playhead.corpus import open_lake
    from playhead.corpus.care.publish import publish_lake

    secret = None if key is None else key.read_bytes()
    if secret is not None and len(secret) < 16:
        raise UsageError(f"{key} has {len(secret)} bytes; a key has at least 16", "--key")
    said = (lambda line: None) if as_json else print_note
    with lake_errors():
        opened = open_lake(lake)
        done = publish_lake(opened, output, key=secret, train=train, validation=validation, seed=seed, said=said)
    rows = {f"{game}/{table}": count for (game, table), count in done.rows.items()}
    for warning in done.warnings:
        print_note(f"warning: {warning}")
    if as_json:
        counts = {"replays": done.replays, "failed": done.failed, "rows": rows, "bytes": done.bytes}
        print_json(counts | {"warnings": done.warnings})
        return
    parts = ", ".join(f"{count} {part}" for part, count in done.replays.items())
    failed = "".join(f"; {count} failed: {reason}" for reason, count in done.failed.items())
    print_out(f"{counted(sum(done.replays.values()), 'replay')}: {parts}{failed}")
    print_out(f"{counted(len(rows), 'table')}, {done.bytes / 1e6:.1f} MB in {output}")
