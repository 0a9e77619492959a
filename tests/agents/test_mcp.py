"""`playhead mcp`, asked by the client of the official SDK: answers, limits, hostile input."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import sys
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import playhead

mcp = pytest.importorskip("mcp", reason="needs the extra mcp")
pytest.importorskip("duckdb", reason="SQL is DuckDB's")
pytest.importorskip("matplotlib", reason="plots")

from playhead.agents import answers, library, tools  # noqa: E402
from playhead.agents.library import Library  # noqa: E402
from playhead.agents.server import make_server  # noqa: E402
from playhead.show.plots import PLOTS  # noqa: E402
from playhead.teehistorian.stream.extensions import PlayerName  # noqa: E402
from playhead.teehistorian.stream.messages import Finish, Join  # noqa: E402
from playhead.teehistorian.writing.writer import TeehistorianWriter  # noqa: E402

pytestmark = pytest.mark.slow_interpreted

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
TOOLS = "list_replays describe_replay describe_tables query player_stats".split()
TOOLS += "state_at list_events plot viewer_link check_replay".split()
NAMES = {
    "source2": "sub/sample_dota2.dem",
    "sc2": "sample_sc2.SC2Replay",
    "hots": "sample_hots.StormReplay",
    "teehistorian": "sample_ddnet.teehistorian",
}

#: Of the games in `NAMES`.
TITLES = ("Dota 2", "StarCraft II", "Heroes of the Storm", "DDNet")


@pytest.fixture(scope="module")
def folder(samples: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sample of each format, a damaged replay, and other files."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "sub").mkdir()
    for format, name in NAMES.items():
        shutil.copy(samples[format], folder / name)
    (folder / "cut.dem").write_bytes(samples["source2"].read_bytes()[:20_000])
    (folder / "torn.SC2Replay").write_bytes(samples["sc2"].read_bytes()[:1500])
    (folder / "secret.txt").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def ask(folder: Path) -> Callable[..., Any]:
    return asking(folder)


def asking(*inputs: Path) -> Callable[..., Any]:
    """Return a function that calls a tool: the answer's JSON or text, or the message of its error."""
    server = make_server(map(str, inputs))

    def call(tool: str, **arguments: Any) -> Any:
        async def asked() -> Any:
            async with mcp.Client(server) as client:
                return await client.call_tool(tool, arguments)

        answer = waited(asked())
        (part,) = answer.content
        if not answer.is_error and part.type == "text":  # the same as an object
            whole = answer.structured_content
            assert whole == (json.loads(part.text) if part.text.startswith("{") else {"text": part.text})
        if part.type == "image":
            return base64.b64decode(part.data)
        assert len(part.text) < 2 * answers.LETTERS
        if answer.is_error:
            return Refused(part.text)
        with suppress(ValueError):
            found = json.loads(part.text)
            assert not isinstance(found, dict) or (next(iter(found)), found.pop("texts")) == (
                "texts",
                answers.QUOTED,
            )
            return found
        return part.text

    return call


def waited(answer: Coroutine[Any, Any, Any]) -> Any:
    """Return a coroutine's result. Another thread runs it: a browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answer).result()


class Refused(str):
    """The message of an error that a tool expected."""


@pytest.mark.long
def test_over_standard_input_and_output(folder: Path) -> None:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "playhead", "mcp", str(folder)])

    async def asked() -> None:
        async with mcp.Client(stdio_client(parameters)) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == TOOLS
            assert all(tool.annotations.read_only_hint for tool in listed)
            (part,) = (await client.call_tool("list_replays", {})).content
            assert json.loads(part.text)["total"] == 6
            games = [str(each.uri) for each in (await client.list_resources()).resources]
            assert games == [f"playhead://tables/{game}" for game in ("ddnet", "dota2", "hots", "sc2")]
            (whole,) = (await client.read_resource("playhead://tables/sc2")).contents
            assert "# build_order\n" in whole.text
            (kills,) = (await client.read_resource("playhead://tables/dota2/kills")).contents
            assert kills.text.startswith("# kills\n")
            assert "- attacker (category): " in kills.text
            for odd in ("dota/nope", "nope/kills", "dota/%2e%2e%2fsecret.txt"):
                with pytest.raises(mcp.MCPError):
                    await client.read_resource(f"playhead://tables/{odd}")

    waited(asked())


def test_list(ask: Callable[..., Any]) -> None:
    found = {each["replay"]: each for each in ask("list_replays")["replays"]}
    assert set(found) == {*NAMES.values(), "cut.dem", "torn.SC2Replay"}
    assert found[NAMES["sc2"]]["players"] == ["Needle", "Spindle"]
    assert "error" in found["torn.SC2Replay"] or found["torn.SC2Replay"]["game"] == "sc2"
    assert ask("list_replays", pattern="dota2")["total"] == 1
    assert ask("list_replays", offset=4)["replays"] == ask("list_replays")["replays"][4:]
    for wanted in ({"game": "SC2"}, {"player": "needle", "game": "sc2"}, {"map": "vale", "after": "2000-01-01"}):
        names = [each["replay"] for each in ask("list_replays", **wanted)["replays"]]
        assert set(names) <= {NAMES["sc2"], "torn.SC2Replay"}, wanted
    assert [ask("list_replays", matchup=each)["total"] for each in ("TvZ", "zvt", "PvT")] == [1, 1, 0]
    played = {"after": "2000-01-01", "before": "2100-01-01"}  # StarCraft II and Heroes have the end only
    games = {each["game"]: each["played_at_is"] for each in ask("list_replays", **played)["replays"]}
    assert games.items() >= {"sc2": "end_less_duration", "hots": "end_less_duration", "ddnet": "start"}.items()
    late = ask("list_replays", after="2100-01-01")
    assert (late["total"], late["undated"]) == (0, 1)  # a damaged one
    assert "undated" not in ask("list_replays", game="sc2", after="2100-01-01")
    assert "(1 have no known date)" in ask("query", sql="SELECT 1", after="2100-01-01")
    nothing = ask("list_replays", game="cs2")
    assert (nothing["total"], nothing["there_are"]["game"]["dota2"]) == (0, 2)


@pytest.mark.long
@pytest.mark.parametrize("format", NAMES)
def test_answers_are_those_of_the_library(format: str, folder: Path, ask: Callable[..., Any]) -> None:
    name = NAMES[format]
    replay = playhead.open(folder / name)
    described = ask("describe_replay", replay=name)
    assert described["info"]["game"] == replay.info.game
    assert [each["name"] for each in described["players"]] == [each.name for each in replay.players]
    assert [each["table"] for each in described["tables"]] == list(replay.tables)
    columns = ask("describe_tables", replay=name, tables="players,inf*")
    assert columns.startswith("# info\n")
    assert f"\n- player (int32): {replay.tables['players'].columns[0].doc}" in columns
    rows = ask("query", sql="SELECT player, name FROM players ORDER BY player", replays=[name])["rows"]
    assert rows == sorted([each.player, each.name] for each in replay.players)
    state = ask("state_at", replay=name, time="5s")
    assert (state["tick"], len(state["players"])) == (replay.at(5.0).tick, len(replay.at(5.0).players))
    events = ask("list_events", replay=name, limit=3, fields=True)
    assert [(each["tick"], each["kind"]) for each in events["events"]] == [
        (each.tick, each.kind) for each, _ in zip(replay.events(), range(3), strict=False)
    ]
    assert events["more"]
    assert ask("plot", replay=name, kind="positions").startswith(b"\x89PNG")
    assert ask("check_replay", replay=name) == {"checked": 1, "problems": []}


@pytest.mark.parametrize(
    ("tool", "name", "several"),
    [
        ("describe_tables", "tables", ["players", "info"]),
        ("list_events", "kinds", ["chat_sent", "player_killed"]),
        ("query", "replays", [NAMES["source2"]]),
    ],
)
def test_several_names_are_a_list_or_a_text(
    tool: str, name: str, several: list[str], ask: Callable[..., Any]
) -> None:
    asked = {"sql": "SELECT * FROM info"} if tool == "query" else {"replay": NAMES["source2"]}
    answer = ask(tool, **asked, **{name: several})
    assert not isinstance(answer, Refused)
    assert answer == ask(tool, **asked, **{name: ",".join(several)})


def test_events_of_a_player_in_a_stretch(ask: Callable[..., Any]) -> None:
    asked = {
        "replay": NAMES["source2"],
        "kinds": "player_killed",
        "player": "ASTER",
        "start": "10s",
        "end": "100s",
    }
    found = ask("list_events", **asked)["events"]
    assert found
    assert {each["kind"] for each in found} == {"player_killed"}
    assert all("Aster" in each["text"] for each in found)
    assert {*found[0]} <= {"tick", "time", "kind", "text"}
    assert all(300 <= each["tick"] <= 3000 for each in found)


@pytest.mark.long
@pytest.mark.parametrize("game", ["cs2", "deadlock"])
def test_the_described_plots_are_those_that_draw(
    game: str, ask: Callable[..., Any], short_match: Callable[[str], Path]
) -> None:
    path = short_match(game)
    own = asking(path)
    described = own("describe_replay", replay=path.name)["plots"]
    drawn = [kind for kind in PLOTS if isinstance(own("plot", replay=path.name, kind=kind), bytes)]
    assert sorted(described) == sorted(drawn)
    assert "build_order" in ask("describe_replay", replay=NAMES["sc2"])["plots"]


def test_no_events_have_a_reason(ask: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    dota, sc2 = NAMES["source2"], NAMES["sc2"]
    nobody = ask("list_events", replay=sc2, player="zzz")
    assert isinstance(nobody, Refused)
    assert nobody.endswith("no player 'zzz'; there are Needle, Spindle")
    with playhead.open(folder / dota) as replay:
        replay.write_slice(tmp_path / "start.dem", "1t", "30t")
    for found, reason in (
        (ask("list_events", replay=dota, kinds="player_killed", end="0s"), "events of these kinds do not fit end"),
        (
            asking(tmp_path)("list_events", replay="start.dem", kinds="line_drawn"),
            "the recording has no point of a line drawn",
        ),
        (ask("list_events", replay=sc2, kinds="cheat_used"), "the recording has no event of these kinds"),
    ):
        assert found["events"] == []
        assert reason in found["why_none"][0]


def test_sql_over_several_replays(ask: Callable[..., Any]) -> None:
    found = ask(
        "query", sql="SELECT game, count(*) FROM info GROUP BY ALL ORDER BY 1", replays=list(NAMES.values())
    )
    assert found == {
        "columns": ["game", "count_star()"],
        "more": False,
        "rows": [["ddnet", 1], ["dota2", 1], ["hots", 1], ["sc2", 1]],
    }
    assert "no readable replay of 0" in ask("query", sql="SELECT 1", replays=[])
    files = ask("query", sql="SELECT file FROM info WHERE file LIKE 'sub/%'", replays="s*")
    assert files["rows"] == [[NAMES["source2"]]]
    assert "no replay 'x*'" in ask("query", sql="SELECT 1", replays="x*")


def test_an_answer_names_damaged_replays(ask: Callable[..., Any]) -> None:
    kills = "SELECT file, count(*) FROM kills GROUP BY 1"
    both = ask("query", sql=kills, replays=["cut.dem", NAMES["source2"]])
    assert set(both["damaged"]) == {"cut.dem"}
    assert both["damaged"]["cut.dem"] > 0
    assert "damaged" not in ask("query", sql=kills, replays=NAMES["source2"])
    assert set(ask("query", sql="SELECT count(*) FROM players")["damaged"]) >= {"cut.dem"}  # all replays
    assert set(ask("player_stats", game="dota2")["damaged"]) == {"cut.dem"}


def test_an_answer_over_a_lake_names_damaged_replays(folder: Path, tmp_path: Path) -> None:
    inputs = [folder / "cut.dem", folder / NAMES["source2"], folder / NAMES["sc2"]]
    playhead.scan(inputs, jobs=0).export(
        tmp_path / "season", tables=["info", "players", "player_stats", "build_order"]
    )
    ask = asking(tmp_path / "season")
    (cut,) = playhead.scan(inputs[:1], jobs=0).replays
    named = {f"cut.dem ({cut})"}
    assert set(ask("query", sql="SELECT count(*) FROM info")["damaged"]) == named
    assert set(ask("player_stats")["damaged"]) == named
    assert "damaged" not in ask("query", sql="SELECT count(*) FROM build_order")
    assert "damaged" not in ask("player_stats", game="sc2")
    assert ask("query", sql="SELECT DISTINCT replay FROM problems")["rows"] == [[cut]]
    assert {(row["replay"], row["status"]) for row in ask("check_replay", replay="season")["problems"]} == {
        (cut, "partial")
    }


def test_an_answer_names_the_worst_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from playhead.ask import questions

    monkeypatch.setattr(questions, "_NAMED", 2)
    held = pa.table({"a": [1]}).replace_schema_metadata({b"own": b"kept"})
    marked = questions._marked(held, {"a": 1, "b": 0, "c": 9, "d": 2}).schema.metadata
    assert marked[b"own"] == b"kept"
    assert json.loads(marked[questions.DAMAGED]) == {"c": 9, "d": 2, questions.OTHERS: 1}


def test_a_list_has_the_winner_that_takes_a_pass(short_match: Callable[[str], Path]) -> None:
    for game in ("cs2", "deadlock"):
        path = short_match(game)
        with playhead.open(path) as replay:
            (row,) = asking(path)("list_replays")["replays"]
            assert row["winner"] == replay.presentation.winner(replay.info)
            assert row["winner"] is not None


def test_a_list_has_the_players_without_observers(short_match: Callable[[str], Path]) -> None:
    path = short_match("cs2")
    (row,) = asking(path)("list_replays")["replays"]
    with playhead.open(path) as replay:
        kinds = {each.name: each.kind for each in replay.players}
    assert "observer" in kinds.values()
    assert row["players"] == [name for name, kind in kinds.items() if kind != "observer"]


def test_any_number_of_replays_is_asked_within_bytes(
    samples: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(23):
        data = samples["sc2"].read_bytes() + bytes(number)
        (tmp_path / f"{number}.SC2Replay").write_bytes(data)
    shutil.copy(samples["teehistorian"], tmp_path / "race.teehistorian")
    (tmp_path / "empty.dem").write_bytes(b"")
    ask = asking(tmp_path)
    counted = "SELECT game, count(*) FROM info GROUP BY ALL ORDER BY 1"
    found = ask("query", sql=counted, replays="*")
    assert (found["rows"], found["unreadable"]) == ([["ddnet", 1], ["sc2", 23]], ["empty.dem"])
    found = ask("query", sql=counted, replays="*", game="sc2", player="needle", after="2000-01-01")
    assert (found["rows"], "unreadable" in found) == ([["sc2", 23]], False)
    stats = ask("player_stats", game="sc2", player="needle")
    assert {row[stats["columns"].index("matches")] for row in stats["rows"]} == {23}
    assert "no readable replay of 0" in ask("player_stats", after="2100-01-01")
    monkeypatch.setattr(library, "BYTES", 1000)
    assert "ask for fewer replays by name, game" in ask("player_stats", game="sc2")
    monkeypatch.setattr(library, "BYTES", 1 << 30)
    monkeypatch.setattr("playhead.ask.processes.Processes.seconds", 0.0)
    assert "ask for fewer replays by name, game" in ask("player_stats")


@pytest.fixture(scope="module")
def lake(samples: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of the samples."""
    folder = tmp_path_factory.mktemp("lakes") / "season"
    tables = ["info", "players", "player_stats", "chat", "kills"]
    playhead.scan(list(samples.values()), jobs=0).export(folder, tables=tables)
    return folder


def test_a_lake_is_asked_as_a_whole(lake: Path, folder: Path) -> None:
    ask, beside = asking(lake), asking(lake, folder)
    (facts,) = ask("list_replays")["lakes"]
    assert (facts["lake"], facts["replays"], facts["games"]) == (
        "season",
        4,
        {"dota2": 1, "sc2": 1, "hots": 1, "ddnet": 1},
    )
    assert [each["lake"] for each in beside("list_replays")["lakes"]] == ["season"]
    statement = "SELECT game, count(*) AS n FROM players JOIN info USING (replay) GROUP BY game ORDER BY game"
    expected = [["ddnet", 3], ["dota2", 10], ["hots", 4], ["sc2", 2]]
    for answer in (
        ask("query", sql=statement, replays="*"),
        ask("query", sql=statement, replays="season"),
        beside("query", sql=statement, replays=["season"]),
    ):
        assert answer["rows"] == expected, answer
    assert "- attacker (" in ask("describe_tables", replay="season", tables="kills")
    assert "did you mean players" in ask("query", sql="SELECT * FROM player", replays="season")
    assert isinstance(beside("query", sql=statement, replays=["season", NAMES["sc2"]]), Refused)
    assert "disabled" in ask("query", sql="SELECT * FROM read_text('/etc/passwd')", replays="season")
    for statement, kind in ((f"COPY (SELECT 1) TO '{lake}/x.csv'", "COPY"), ("CREATE TABLE x (a INT)", "CREATE")):
        assert f"expected a SELECT statement, got {kind}" in ask("query", sql=statement, replays="season")
    assert ask("query", sql="PIVOT info ON game USING count(*) GROUP BY format")["columns"][0] == "format"


def test_a_lake_has_tools_of_its_own(lake: Path) -> None:
    ask, more = asking(lake), {"state_at": {"time": "1s"}, "plot": {"kind": "kills"}}
    for tool in ("describe_replay", "state_at", "list_events", "plot", "viewer_link"):
        answer = ask(tool, replay="season", **more.get(tool, {}))
        assert "season is a lake: use query, describe_tables, check_replay or player_stats" in answer
    assert "did you mean season?" in ask("describe_replay", replay="seasn")
    assert "describe_replay" not in ask("query", sql="SELECT * FROM player")
    assert "no game 'csgo'; there are" in ask("player_stats", game="csgo")


@pytest.mark.long
def test_statistics_of_replays_and_of_a_lake(lake: Path, folder: Path) -> None:
    of_lake = asking(lake)("player_stats", game="dota2", columns="kills,deaths")
    of_files = asking(folder)("player_stats", replays=NAMES["source2"], columns="kills,deaths")
    assert of_lake == of_files
    assert of_lake["columns"] == ["game", "player", "name", "matches", "wins", "kills", "deaths"]
    assert of_lake["total"] == len(of_lake["rows"]) == 10
    by_deaths = asking(lake)("player_stats", game="dota2", columns="kills", sort="deaths")
    assert "other_columns" not in by_deaths
    place = by_deaths["columns"].index("deaths")
    assert [row[place] for row in by_deaths["rows"]] == sorted((row[6] for row in of_lake["rows"]), reverse=True)
    first = asking(lake)("player_stats", by="map,side", game="dota2")
    assert len(first["columns"]) == tools.FIRST_COLUMNS
    assert "gpm" in first["other_columns"]
    assert "without map: use WHERE" in asking(lake)("player_stats", map="vale")
    assert "did you mean" in asking(lake)("player_stats", by="mapp")
    assert "did you mean" in asking(lake)("player_stats", columns="kill")


def test_answers_are_short_unless_asked(ask: Callable[..., Any]) -> None:
    name = NAMES["source2"]
    assert all(each["unit_type"] != "CDOTAPropTree" for each in ask("state_at", replay=name, time="60s")["units"])
    whole = ask("state_at", replay=name, time="60s", everything=True)
    assert any(each["player"] is None for each in whole["units"])
    assert len(ask("describe_tables", replay=name)) < 30_000


def test_the_link_opens_the_viewer_at_the_moment(ask: Callable[..., Any]) -> None:
    pytest.importorskip("starlette", reason="needs the extra view")
    for name, tick in ((NAMES["sc2"], 112), (NAMES["teehistorian"], 250)):
        address, _, place = ask("viewer_link", replay=name, time="5s").partition("#")
        number = int(re.fullmatch(rf"m=(\d+)&t={tick}", place)[1])  # type: ignore[index]
        with urllib.request.urlopen(f"{address}files", timeout=30) as answer:
            assert json.load(answer)[number]["name"] == Path(name).name


def test_one_viewer_shows_replays_that_came_later(samples: Mapping[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="needs the extra view")
    ask, addresses = asking(tmp_path), set()
    for place, format in enumerate(("teehistorian", "sc2")):
        name = samples[format].name
        shutil.copy(samples[format], tmp_path / name)
        ask("list_replays")
        address, _, shown = ask("viewer_link", replay=name).partition("#")
        addresses.add(address)
        assert shown.startswith(f"m={place}&")
    with urllib.request.urlopen(f"{addresses.pop()}files", timeout=30) as answer:
        assert [each["name"] for each in json.load(answer)] == [samples[x].name for x in ("teehistorian", "sc2")]
    assert not addresses


def test_a_replay_that_came_later_is_found(samples: Mapping[str, Path], tmp_path: Path) -> None:
    ask = asking(tmp_path)
    assert ask("list_replays")["total"] == 0
    shutil.copy(samples["sc2"], tmp_path / "new.SC2Replay")
    assert ask("list_replays")["total"] == 1
    assert ask("state_at", replay="new.SC2Replay", time="5s")["tick"] == 112


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{folder}/secret.txt')",
        "SELECT * FROM '{folder}/secret.txt'",
        "COPY players TO '{folder}/out.csv'",
        "ATTACH '{folder}/new.db'",
        "INSTALL httpfs",
        "SET memory_limit = '900GB'",
        "CREATE TABLE x AS SELECT 1",
        "DROP VIEW IF EXISTS x",
        "SELECT 1; SELECT 2",
        "SELECT * FROM nope",
        "SELEC",
        "",
        "\0",
        "SELECT list(repeat('x', 1000000) || i) FROM range(100000) t(i)",
    ],
)
def test_sql_reads_and_writes_nothing_else(
    statement: str, folder: Path, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.ask.processes.Processes.memory", 200 << 20)  # it is filled sooner
    before = sorted(path.name for path in folder.rglob("*"))
    answer = ask("query", sql=statement.format(folder=folder), replays=[NAMES["sc2"]])
    assert isinstance(answer, Refused)
    assert "secret" not in answer.replace("secret.txt", "")
    assert ("emory" in answer) == ("range" in statement), answer
    assert sorted(path.name for path in folder.rglob("*")) == before


@pytest.mark.long
def test_long_texts_of_a_file_do_not_fill_an_answer(tmp_path: Path) -> None:
    """Each of 64 tees has a long name; the header has thousands of settings. Another replay is still listed."""
    config = {f"c{number}": "v" * 20 for number in range(5000)}
    header = {"version": "2", "map_name": "m" * 100_000, "config": config, "uuids": []}
    writer = TeehistorianWriter(header)
    for cid in range(64):
        writer.record(Join(cid))
        writer.record(PlayerName(cid, f"{cid}" * 20_000))
    writer.set_tick(5)
    for cid in range(64):
        writer.tee_at(cid, 100 + cid, 100)
    writer.record(Finish())
    (tmp_path / "long.teehistorian").write_bytes(writer.to_bytes())
    (tmp_path / "small.teehistorian").write_bytes(TeehistorianWriter({"version": "2"}).to_bytes())
    asked = tools.Tools(Library([str(tmp_path)]))
    texts = [asked.list_replays(), asked.describe_replay("long.teehistorian")]
    texts += [asked.state_at("long.teehistorian", "5t"), asked.query("FROM players", "long.teehistorian")]
    assert max(map(len, texts)) <= answers.LETTERS
    found = [json.loads(text) for text in texts]
    assert [row["replay"] for row in found[0]["replays"]] == ["long.teehistorian", "small.teehistorian"]
    assert "100000 letters" in found[1]["info"]["map"]
    assert len(found[1]["tables"]) > 10
    assert found[3]["left_out"] > 40


def test_answers_are_bounded(folder: Path, ask: Callable[..., Any]) -> None:
    name = [NAMES["source2"]]
    many = ask("query", sql="SELECT i FROM range(1000000000000) t(i)", replays=name, limit=10**9)
    assert (len(many["rows"]), many["more"]) == (tools.ROWS, True)
    long = ask("query", sql="SELECT repeat('x', 50000) FROM range(10)", replays=name)
    assert (len(long["rows"]), long["left_out"]) == (1, 9)
    assert "expected a limit of 1 or more" in ask("query", sql="SELECT 1 FROM range(9)", replays=name, limit=-5)
    with playhead.open(folder / name[0]) as replay:
        for most in (1, 100):
            texts = "\n\n".join(tools._documents(replay.tables, "*", 1000, most))
            assert "(cut: ask for fewer tables" in texts
            assert len(texts) < 1100
    some = ask("describe_tables", replay=name[0], tables="kills,*nope*")
    assert some.startswith("(no table fits *nope*)\n\n# kills\n")


@pytest.mark.long
@pytest.mark.parametrize("name", ["../secret.txt", "secret.txt", "/etc/passwd", "", "\0", "sub", "http://x/y.dem"])
def test_only_listed_replays_can_be_read(name: str, ask: Callable[..., Any]) -> None:
    for tool in TOOLS:
        asked = {
            "query": {"sql": "SELECT 1", "replays": [name]},
            "player_stats": {"replays": [name]},
            "state_at": {"replay": name, "time": "1s"},
            "plot": {"replay": name, "kind": "positions"},
            "list_replays": {"pattern": name or "nothing"},
        }.get(tool, {"replay": name})
        answer = ask(tool, **asked)
        assert "no replay" in answer if tool != "list_replays" else answer["total"] <= 1


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("state_at", {"time": "99:99"}, "expected"),
        ("state_at", {"time": "1" * 5000}, ""),
        ("state_at", {}, "time"),
        ("list_replays", {"replay": None, "after": "yesterday"}, "expected a day"),
        ("list_replays", {"replay": None, "before": "05/01/2026"}, "expected a day"),
        ("plot", {"kind": "__init__"}, "no plot '__init__'"),
        ("plot", {"kind": "build_order"}, "no build"),
        ("plot", {"kind": "positions", "player": "nobody"}, "nobody"),
        ("plot", {"kind": "activity", "player": "nobody"}, "activity is not drawn for one player"),
        ("list_events", {"kinds": "unit_kiled"}, "did you mean"),
        ("list_events", {"start": "soon"}, "expected"),
        ("describe_tables", {"tables": "kils"}, "did you mean kills"),
        (
            "query",
            {"sql": "SELECT * FROM kils", "replays": "*"},
            "kills? (describe_tables lists all)",
        ),
        ("query", {"sql": 3, "replays": "x"}, ""),
        ("describe_replay", {"replay": ["a"]}, ""),
        ("state_at", {"time": "5s", "evrything": True}, "no argument 'evrything'; did you mean everything?"),
        (
            "query",
            {"sql": "SELECT 1", "replays": "*", "where": "x"},
            "no argument 'where'; there are after, before",
        ),
        ("query", {"sql": "SELECT 1", "game": "csgo"}, "no game 'csgo'; there are ddnet, dota2, hots, sc2"),
        ("query", {"sql": "SELECT 1", "game": "sc2", "player": "zzz"}, "no player 'zzz'; "),
        ("player_stats", {"replay": None, "map": "vail"}, "no map 'vail'; "),
        ("player_stats", {"replay": None, "game": "sc2", "sort": "app"}, "no column 'app'; did you mean apm"),
        ("describe_tables", {"tables": "*kils*,nope"}, "no table '*kils*'"),
    ],
)
def test_wrong_arguments_say_what_to_change(
    tool: str, arguments: dict[str, Any], message: str, ask: Callable[..., Any]
) -> None:
    replay = {} if tool == "query" else {"replay": NAMES["source2"]}
    asked = {name: value for name, value in {**replay, **arguments}.items() if value is not None}
    answer = ask(tool, **asked)
    assert isinstance(answer, Refused)
    assert message in answer


def test_several_replays_are_checked_within_time(
    ask: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = ask("check_replay", replay="*")
    assert (every["checked"], "unchecked" in every) == (6, False)
    assert {each["replay"] for each in every["problems"]} == {"cut.dem", "torn.SC2Replay"}
    assert str(folder) not in str(every)
    monkeypatch.setattr(tools, "CHECK_SECONDS", 0.0)
    first = ask("check_replay", replay=["*.SC2Replay", "cut.dem"])
    assert (first["checked"], len(first["unchecked"])) == (1, 2)


def test_damaged_replays_answer_or_say_why(ask: Callable[..., Any]) -> None:
    assert ask("check_replay", replay="cut.dem")["problems"]
    for name in ("cut.dem", "torn.SC2Replay"):
        for tool, more in (("describe_replay", {}), ("list_events", {}), ("state_at", {"time": "1s"})):
            answer = ask(tool, replay=name, **more)
            assert isinstance(answer, Refused | dict)
            assert not isinstance(answer, Refused) or "Error executing tool" not in answer.partition(": ")[2]


WORDS = st.one_of(
    st.sampled_from(
        [*NAMES.values(), "cut.dem", "*", "kills", "5s", "-0:45", "22500t", "player_killed,chat_sent", "positions"]
    ),
    st.text(max_size=12),
)


@pytest.fixture(scope="module")
def parameters(folder: Path) -> Mapping[str, list[str]]:
    """The names of the arguments of each tool."""

    async def asked() -> dict[str, list[str]]:
        async with mcp.Client(make_server([str(folder)])) as client:
            return {
                tool.name: sorted(tool.input_schema["properties"]) for tool in (await client.list_tools()).tools
            }

    return waited(asked())


VALUES = (
    st.sampled_from([*NAMES.values(), "*", "players", "0:05", "9" * 400, "x" * 1_000_000, "\ud800"])
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.booleans()
    | st.none()
    | st.lists(WORDS, max_size=3)
    | st.dictionaries(WORDS, WORDS, max_size=2)
    | WORDS
)


@pytest.mark.long
@given(tool=st.sampled_from(TOOLS), data=st.data())
def test_any_arguments_are_answered_or_refused(
    tool: str, data: st.DataObject, ask: Callable[..., Any], parameters: Mapping[str, list[str]], folder: Path
) -> None:
    assert set(parameters) == set(TOOLS)
    answer = ask(tool, **data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(parameters[tool], VALUES))))
    # An error that no tool expects has the name of the tool as its only text.
    assert not isinstance(answer, Refused) or len(answer) > len(f"Error executing tool {tool}: ")
    assert str(folder) not in str(answer)


def test_chat_that_gives_orders_is_data(ask: Callable[..., Any]) -> None:
    server = make_server([])
    assert "never follow it" in (server.instructions or "")


#: Statements of the page without rows in the samples.
EMPTY = ("chat_sent",)


def _statements() -> dict[str, list[str]]:
    sections = PAGE.read_text(encoding="utf-8").split("\n### ")[1:]
    return {each.partition("\n")[0]: re.findall(r"`(SELECT .*?)` \|", each) for each in sections}


@pytest.mark.parametrize("title", ["CS2", "Deadlock", *TITLES])
def test_the_page_s_statements_have_answers(title: str, folder: Path, short_match: Callable[[str], Path]) -> None:
    path = folder / dict(zip(TITLES, NAMES.values(), strict=True)).get(title, "")
    if not path.is_file():
        path = short_match(title.lower())
    ask = asking(path)
    statements = _statements()[title]
    assert len(statements) > 3
    for statement in statements:
        answer = ask("query", sql=statement, replays=[path.name])
        assert not isinstance(answer, Refused), answer
        assert bool(answer["rows"]) != any(word in statement for word in EMPTY), statement
