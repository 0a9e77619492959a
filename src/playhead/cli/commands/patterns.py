"""``playhead patterns``: how players of a DDNet recording press, aim and move, in figures."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.cli.output.tables import print_columns
from playhead.text.json import to_json


class Format(StrEnum):
    """How to show the figures."""

    table = "table"
    json = "json"


def patterns(
    files: FilesArgument,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Whose inputs; without it, a line for every session."),
    ] = None,
    client: Annotated[
        int | None, typer.Option("--client", metavar="ID", help="Only the sessions in this slot of the server.")
    ] = None,
    session: Annotated[
        int | None,
        typer.Option("--session", metavar="N", help="Only this session, as table sessions numbers them."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TIME",
            help="First tick to look at: 14:03 or 1:14:03 from the beginning, 843s (seconds), or 42150t (ticks).",
        ),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="The last, in the same ways; both ends by default.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="json has all figures, with histograms and lists for plots.")
    ] = Format.table,
    strict: StrictOption = False,
) -> None:
    """Show periods and jitter of clicks, turns of the aim, delays and shared input sequences. No verdicts."""
    reading = Reading(files, strict=strict)
    for replay in reading:
        if not reading.can(replay, "patterns"):
            continue
        try:
            reports = _reports(replay, player, client, session, start, end)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        except KeyError as error:
            reading.note(replay, error.args[0], param_hint="--player/--client/--session")
            continue
        if reading.several and form is Format.table:
            print_out(f"==> {replay.name} <==")
        if form is Format.json:
            for report in reports:
                print_out(to_json({"file": replay.name, **report}))
        elif player is None and client is None and session is None:
            _print_overview(reports)
        else:
            for number, report in enumerate(reports):
                print(end="\n" if number else "")
                _print_report(report)
        reading.problems(replay)
    reading.finish()


def _reports(
    replay: Replay, player: str | None, client: int | None, session: int | None, start: str | None, end: str | None
) -> list[dict[str, Any]]:
    try:
        return replay.patterns(player, client=client, session=session, start=start, end=end)
    except ValueError as error:
        if isinstance(error, ReplayError):
            raise
        raise typer.BadParameter(str(error), param_hint="--from/--to") from None


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _print_overview(reports: list[dict[str, Any]]) -> None:
    head = [
        "player",
        "session",
        "client",
        "seconds",
        "inputs",
        "fire",
        "hook",
        "jump",
        "fire period",
        "deviation",
        "turn p95",
        "snaps",
    ]
    lines = [head]
    for report in reports:
        presses = report["presses"]
        period = presses["fire"]["period"]
        lines.append(
            [
                " / ".join(report["names"]) or "-",
                str(report["session"]),
                str(report["client"]),
                _number(report["seconds"]),
                str(report["inputs"]),
                *(str(presses[button]["presses"]) for button in ("fire", "hook", "jump")),
                _number(period["median"]),
                _number(period["deviation"]),
                _number(report["aim"]["turn"]["p95"]),
                str(report["aim"]["snaps"]),
            ]
        )
    print_columns(lines)
    print_out("periods in ticks of 20 ms (median, standard deviation), turns in degrees a tick")


def _print_report(report: dict[str, Any]) -> None:
    print_out(
        f"{' / '.join(report['names']) or '-'}: {report['inputs']} inputs in {_number(report['seconds'])} s, "
        f"session {report['session']}, client {report['client']}"
    )
    keys = ("count", "median", "mean", "deviation", "p5", "p95", "least", "greatest")
    measured = [
        *((f"{button} period", presses["period"]) for button, presses in report["presses"].items()),
        *((f"{button} held", presses["held"]) for button, presses in report["presses"].items()),
        ("aim turn", report["aim"]["turn"]),
        *((f"{name} delay", effect["delay"]) for name, effect in report["effects"].items()),
    ]
    rows = [[label, *(_number(figures[key]) for key in keys)] for label, figures in measured]
    print_out()
    print_columns([["", *keys], *rows])
    print_out("periods, times held and delays in ticks of 20 ms; turns in degrees a tick")
    for name, effect in report["effects"].items():
        print_out(f"{name}: {effect['without_effect']} presses without a movement within a second")
    for button, presses in report["presses"].items():
        for stretch in presses["most_regular_stretches"][:3]:
            print_out(
                f"{button}: ticks {stretch['first_tick']} to {stretch['last_tick']}: "
                f"{stretch['presses']} presses, period {_number(stretch['period_mean'])}, "
                f"deviation {_number(stretch['period_deviation'])}"
            )
    aim = report["aim"]
    print_out(
        f"aim: {aim['snaps']} snaps, {aim['snaps_with_press']} of them on the tick of a hook or shot, "
        f"{aim['snaps_taken_back']} taken back"
    )
    for same in report["same_inputs"][:10]:
        print_out(
            f"same inputs: ticks {same['first_tick']} to {same['last_tick']} as {same['other_name']!r} "
            f"(session {same['other_session']}), {same['ticks_later']} ticks later: {same['inputs']} inputs, "
            f"{same['different_aims']} different aims"
        )
    if not report["same_inputs"]:
        print_out("same inputs: none in another player's")
