"""``playhead lake compact``: small files merged into large ones."""

from __future__ import annotations

from playhead.cli.arguments import Parser, bounded
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.output.standard import print_out


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.option("--size MB", "Target size of a data file.", type=bounded(int, 1), default=128)
    parser.option(
        "--keep HOURS",
        "Keep files of earlier versions for this long: for readers that still use them, and to open the lake as "
        "it was.",
        type=bounded(int, 0),
        default=168,
    )


def run(lake: str, *, size: int, keep: int) -> None:
    """Merge small files, and remove those left over."""
    from playhead.corpus import compact

    with lake_errors():
        done = compact(lake, target=size << 20, keep_hours=keep)
    print_out(f"{done.files_before} data files merged into {done.files_after}; {done.removed} files removed")
