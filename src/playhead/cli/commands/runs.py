"""``playhead runs``: who reached the finish, in which time, and one of those runs as a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_err, print_out
from playhead.cli.output.tables import print_columns
from playhead.clock import format_seconds
from playhead.text.json import to_json

if TYPE_CHECKING:
    import pyarrow as pa

#: ``version_minor`` from which servers record finishes (DDNet 18.3).
_FINISHES_FROM = 8


def runs(
    files: FilesArgument,
    run: Annotated[
        int | None, typer.Option("--run", metavar="N", help="The run of which the files are; see its column.")
    ] = None,
    session: Annotated[
        int | None, typer.Option("--session", metavar="N", help="Only runs of this session; whose --arrays are.")
    ] = None,
    cut: Annotated[
        Path | None, typer.Option("--slice", metavar="OUT", help="Write the run as a recording of its own.")
    ] = None,
    arrays: Annotated[
        Path | None,
        typer.Option("--arrays", metavar="OUT", help="Write state and input on every tick (.parquet or .csv)."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="OUT", help="Write the paths for plots (.parquet or .csv).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, with all facts.")] = False,
    strict: StrictOption = False,
) -> None:
    """List finished runs by session: start, finish, time, team, load and save, practice. DDNet 18.3 and later."""
    wanted = [out for out in (cut, arrays, trace) if out is not None]
    if bool(wanted) != (run is not None):
        raise typer.BadParameter("a run and what to write of it belong together", param_hint="--run")
    lines = [["file", "run", "start", "finish", "time", "team", "session", "name", "what else"]]
    reading = Reading(files, strict=strict)
    if wanted and reading.several:
        raise typer.BadParameter("name the one file that the run is in", param_hint="--run")
    for replay in reading:
        if not reading.can(replay, "runs"):
            continue
        try:
            if run is not None:
                _write(replay, run, session, cut, arrays, trace)
                for out in wanted:
                    print_out(out)
            else:
                found = [one for one in replay.runs() if session is None or session in one["sessions"]]
                if not found:
                    print_err(f"playhead: note: {replay.name}: {_why_none(replay, session)}")
                for one in found if as_json else ():
                    print_out(to_json({"file": replay.name, **one}))
                lines += (_line(replay, one) for one in found)
        except KeyError as error:
            raise typer.BadParameter(error.args[0], param_hint="--run/--session") from None
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--run") from None
        reading.problems(replay)
    if run is None and not as_json and len(lines) > 1:
        print_columns(lines)
    reading.finish()


def _why_none(replay: Replay, session: int | None) -> str:
    """Return why there is no run to list: old servers record no finishes, which is not the same as none."""
    minor = replay.info.details.get("version_minor")
    if minor is None or int(minor) < _FINISHES_FROM:
        return "the server recorded no finishes: it is older than DDNet 18.3"
    return "nobody finished" if session is None else f"session {session} finished no run"


def _line(replay: Replay, run: dict[str, Any]) -> list[str]:
    facts = {
        "loaded": run["loaded"],
        f"saved {_time(run['saved_tick'])}": run["saved_tick"] is not None,
        "practice": run["practice"],
        f"{run['swaps']} swaps": run["swaps"],
        f"{run['rcon_commands']} rcon": run["rcon_commands"],
    }
    return [
        Path(replay.name).name,
        str(run["run"]),
        _time(run["first_tick"]),
        _time(run["tick"]),
        f"{run['time']:.2f} s",
        "-" if run["team"] is None else str(run["team"]),
        _all(run["sessions"]),
        _all(run["names"]),
        ", ".join(fact for fact, holds in facts.items() if holds) or "-",
    ]


def _all(values: Iterable[object]) -> str:
    return ", ".join("-" if value is None else str(value) for value in values)


def _time(tick: int | None) -> str:
    from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

    return "-" if tick is None else format_seconds(tick / TICKS_PER_SECOND)


def _write(
    replay: Replay, run: int, session: int | None, cut: Path | None, arrays: Path | None, trace: Path | None
) -> None:
    import pyarrow as pa

    if cut is not None:
        replay.write_run(cut, run)
    if arrays is not None:
        _write_table(arrays, pa.table(replay.run_arrays(run, session)))
    if trace is not None:
        _write_table(trace, replay.run_trace(run))


def _write_table(path: Path, table: pa.Table) -> None:
    from playhead.io.atomic import whole_file

    with whole_file(path) as temporary:
        if path.suffix == ".csv":
            from pyarrow import csv

            csv.write_csv(table, temporary)
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary)
