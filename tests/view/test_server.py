"""The server: who may ask, and that its answers are those of the library."""

from __future__ import annotations

import bisect
import gc
import io
import re
import socket
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from tests.cli.in_process import run as run_playhead

import playhead
from playhead.runtime.heap import settle
from playhead.view.feed import event_rows, notable_kinds
from playhead.view.match import Match
from playhead.web.shelf import Shelf, open_match
from playhead.web.viewer import _ANSWERS, _PLAIN, POLICY, make_app

TOKEN = "secret"
FORMATS = ("source2", "sc2", "teehistorian")


def client_of(*paths: Path) -> TestClient:
    return TestClient(make_app(Shelf([str(path) for path in paths]), TOKEN), base_url="http://127.0.0.1:8000")


@pytest.fixture(params=FORMATS)
def asked(request: pytest.FixtureRequest, samples: dict[str, Path]) -> tuple[TestClient, playhead.Replay]:
    path = samples[request.param]
    return client_of(path), playhead.open(path)


def get(client: TestClient, what: str, **query: Any) -> Any:
    answer = client.get(f"/{TOKEN}/m/0/{what}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("command", ["view", "serve"])
def test_a_port_that_is_taken_is_an_error(command: str, samples: dict[str, Path], tmp_path: Path) -> None:
    target = str(samples["teehistorian"]) if command == "view" else str(tmp_path / "lake")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        options = ["--no-browser"] if command == "view" else []
        done = run_playhead(command, target, "--port", str(listener.getsockname()[1]), *options)
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "Address already in use" in done.stderr


def test_every_request_has_a_method() -> None:
    assert all(callable(getattr(Match, name)) for name in _PLAIN - _ANSWERS.keys())


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (f"/{TOKEN}/", {}, 200),
        (f"/{TOKEN}/files", {}, 200),
        ("/", {}, 404),
        ("/wrong/", {}, 404),
        ("/wrong/files", {}, 404),
        ("/wrong/m/0/summary", {}, 404),
        (f"/{TOKEN}/../pyproject.toml", {}, 404),
        (f"/{TOKEN}/server.py", {}, 404),
        (f"/{TOKEN}/files", {"host": "evil.example"}, 403),
        (f"/{TOKEN}/files", {"host": "evil.example:8000"}, 403),
        (f"/{TOKEN}/files", {"host": "127.0.0.1.evil.example"}, 403),
        (f"/{TOKEN}/files", {"origin": "http://evil.example"}, 403),
        (f"/{TOKEN}/files", {"origin": "null"}, 403),
        (f"/{TOKEN}/files", {"origin": "http://127.0.0.1:8000"}, 200),
        (f"/{TOKEN}/files", {"sec-fetch-site": "cross-site"}, 403),
        (f"/{TOKEN}/m/0/summary", {"sec-fetch-site": "cross-site"}, 403),
        (f"/{TOKEN}/m/7/summary", {}, 400),
        (f"/{TOKEN}/m/0/nothing", {}, 404),
    ],
)
def test_who_may_ask(samples: dict[str, Path], path: str, headers: Mapping[str, str], status: int) -> None:
    answer = client_of(samples["sc2"]).get(path, headers=dict(headers))
    assert answer.status_code == status
    if path.startswith(f"/{TOKEN}"):
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_every_answer_is_shut_in(samples: dict[str, Path]) -> None:
    client = client_of(samples["sc2"])
    for path in ("", "page.js", "page.css", "files", "m/0/summary", "m/0/state?stretch=0"):
        headers = client.get(f"/{TOKEN}/{path}").headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_the_page_names_no_other_host() -> None:
    static = Path(playhead.__file__).parent / "view" / "static"
    page = (static / "index.html").read_text()
    assert "http" not in page
    assert sum(path.stat().st_size for path in static.glob("page.*")) < 500_000


def test_the_summary_is_that_of_the_replay(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    found = get(client, "summary")
    assert found["format"] == replay.format
    assert found["map"] == (None if replay.info.map == "start" else replay.info.map)
    assert found["last_tick"] == replay.info.duration_ticks
    assert [player["name"] for player in found["players"]] == [player.name for player in replay.players]
    assert [table["name"] for table in found["tables"]] == list(replay.tables)
    assert set(found["notable"]) <= replay.event_kinds.keys()


def test_events_are_those_of_the_replay(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    kinds = get(client, "summary")["notable"]
    found = get(client, "events", kinds=",".join(kinds))
    columns, events = found["columns"], list(replay.events(*kinds))
    shown = list(zip(columns["tick"], columns["kind"], columns["text"], strict=True))
    assert len(shown) + found["hidden"] == len(events) > 5
    rest = iter(events)  # the events of the replay in order; two samples have some bookkeeping
    for tick, kind, text in shown:
        event = next(each for each in rest if (each.tick, each.kind) == (tick, kind))
        if "text" in event.payload:
            assert str(event.payload["text"]) in text
    assert not found["hidden"] or replay.format in ("sc2", "teehistorian")


def test_a_range_of_a_table(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    ticks = replay.table("events")["tick"].to_pylist()
    first, last = ticks[len(ticks) // 4], ticks[len(ticks) // 2]
    part = [tick for tick in ticks if first <= tick <= last]
    query = {"name": "events", "from": first, "to": last}
    page = get(client, "table", **query)
    assert page["total"] == len(part) < len(ticks)
    assert [row[page["columns"].index("tick")] for row in page["rows"]] == part[:200]
    lines = client.get(f"/{TOKEN}/m/0/download", params={**query, "format": "csv"}).text.splitlines()
    assert len(lines) == len(part) + 1
    assert get(client, "table", name="info", **{"from": 0, "to": 1})["total"] == 1  # it has no ticks


def test_a_moment_is_that_of_the_replay(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    last = replay.info.duration_ticks
    assert last is not None
    for tick in (0, last // 3, last):
        found, moment = get(client, "moment", tick=tick), replay.at(tick)
        assert [row["name"] for row in found["players"]] == [row["name"] for row in moment.players]
        assert found["displayed"] == moment.displayed
        assert found["resources"] == {str(number): dict(held) for number, held in moment.resources.items()}
    assert client.get(f"/{TOKEN}/m/0/moment", params={"tick": last + 100}).status_code == 400


def test_pages_of_a_table(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    table = replay.table("events")
    found = get(client, "table", name="events", sort="tick", descending=1)
    assert found["total"] == table.num_rows
    assert [row[0] for row in found["rows"]] == sorted(table["tick"].to_pylist(), reverse=True)[:200]
    rest = get(client, "table", name="events", offset=max(0, table.num_rows - 5))
    assert [row[0] for row in rest["rows"]] == table["tick"].to_pylist()[-5:]
    kind = table["kind"].to_pylist()[0]
    assert get(client, "table", name="events", search=kind)["total"] >= table["kind"].to_pylist().count(kind)
    assert get(client, "table", name="events", search="100% no_such' OR 1=1 --")["total"] == 0
    for query in ({"name": "no_such"}, {"name": "events", "sort": 'tick" DESC; --'}):
        assert client.get(f"/{TOKEN}/m/0/table", params=query).status_code == 400


@pytest.mark.long
def test_sql(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    found = get(client, "sql", q="SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind")
    kinds = replay.table("events")["kind"].to_pylist()
    assert found["rows"] == [[kind, kinds.count(kind)] for kind in sorted(set(kinds))]
    answer = client.get(f"/{TOKEN}/m/0/sql", params={"q": "SELECT nothing FROM events"})
    assert answer.status_code == 400
    assert "nothing" in answer.json()["error"]


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_text('{}')",
        "SELECT * FROM glob('{}')",
        "COPY players TO '{}'",
        "ATTACH '{}'",
        "SET enable_external_access = true",
    ],
)
def test_sql_of_the_page_reaches_no_file(
    asked: tuple[TestClient, playhead.Replay], tmp_path: Path, text: str
) -> None:
    path = tmp_path / "secret"
    path.write_text("text")
    answer = asked[0].get(f"/{TOKEN}/m/0/sql", params={"q": text.format(path)})
    assert answer.status_code == 400
    assert re.search("disabled by configuration|locked|expected a SELECT statement", answer.text)
    assert path.read_text() == "text"


@pytest.mark.long
def test_downloads(asked: tuple[TestClient, playhead.Replay]) -> None:
    client, replay = asked
    path = f"/{TOKEN}/m/0/download"
    answer = client.get(path, params={"name": "players", "format": "parquet"})
    assert "attachment" in answer.headers["Content-Disposition"]
    assert pa.parquet.read_table(io.BytesIO(answer.content)).equals(replay.table("players"))
    answer = client.get(path, params={"q": "SELECT tick FROM events", "format": "csv"})
    assert (
        pa.csv.read_csv(io.BytesIO(answer.content))["tick"].to_pylist()
        == replay.table("events")["tick"].to_pylist()
    )
    assert client.get(path, params={"name": "players", "format": "exe"}).status_code == 400


def test_a_field_and_its_history(samples: dict[str, Path]) -> None:
    client, replay = client_of(samples["source2"]), playhead.open(samples["source2"])
    hero = replay.at(1800).units[100]
    found = get(client, "thing", tick=1800, id=str(hero.handle))
    assert found["fields"]["m_iHealth"] == hero["m_iHealth"]
    history = get(client, "history", tick=1800, id=str(hero.handle), field="m_iHealth")
    changes = history["changes"]
    assert len(changes) > 3
    for change in (changes[0], changes[-1], changes[len(changes) // 2]):
        before, now = (replay.at(tick).units[100]["m_iHealth"] for tick in (change["tick"] - 1, change["tick"]))
        assert change["value"] == now
        assert before != now or change is changes[0]
        assert change["why"]["offset"] > 0
    assert client.get(f"/{TOKEN}/m/0/thing", params={"tick": 1, "id": "none"}).status_code == 400


def test_curves_are_the_columns_of_the_tables(samples: dict[str, Path]) -> None:
    client, replay = client_of(samples["source2"]), playhead.open(samples["source2"])
    lines = get(client, "curve", name="economy")["lines"]
    table = replay.table("player_series", every="10s").to_pylist()
    for line in lines:
        own = [(row["tick"], row["net_worth"]) for row in table if row["player"] == line["player"]]
        assert list(zip(line["tick"], line["value"], strict=True)) == own
    assert len(lines) == 10
    assert client.get(f"/{TOKEN}/m/0/curve", params={"name": "none"}).status_code == 400


@pytest.mark.parametrize(
    ("name", "curve", "fields"),
    [
        ("sc2", "army value", ["army_value"]),
        ("sc2", "unspent resources", ["minerals", "vespene"]),
        ("source2", "experience", ["xp"]),
    ],
)
def test_curves_are_fields_of_the_series_for_learning(
    samples: dict[str, Path], name: str, curve: str, fields: list[str]
) -> None:
    client, replay = client_of(samples[name]), playhead.open(samples[name])
    rate = replay.info.ticks_per_second
    assert rate is not None
    lines = {line["player"]: line for line in get(client, "curve", name=f"series:{curve}")["lines"]}
    series = playhead.scan(samples[name], jobs=0).series(every="10s", fields=fields).read_all().to_pylist()
    assert {row["player"] for row in series} == lines.keys()
    for row in series:
        line = lines[row["player"]]
        place = bisect.bisect_right(line["tick"], row["seconds"] * rate + 0.5) - 1
        assert line["value"][place] == sum(row[field] for field in fields)


def test_a_folder_is_a_list(samples: dict[str, Path], tmp_path: Path) -> None:
    folder = samples["sc2"].parent
    (folder / "notes.txt").write_text("no replay")
    client = client_of(folder)
    assert {entry["name"] for entry in client.get(f"/{TOKEN}/files").json()} == {
        path.name for path in samples.values()
    }


def test_a_broken_recording_shows_what_there_is(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "cut.dem"
    path.write_bytes(samples["source2"].read_bytes()[:400_000])
    client = client_of(path)
    summary = get(client, "summary")
    assert summary["complete"] is False
    assert get(client, "problems")
    assert client.get(f"/{TOKEN}/m/0/state", params={"stretch": 1}).status_code == 200
    nothing = tmp_path / "nothing.dem"
    nothing.write_bytes(b"PBDEMS2\0")
    answer = client_of(nothing).get(f"/{TOKEN}/m/0/summary")
    assert answer.status_code in (200, 422)


def test_of_the_tables_that_were_opened_the_last_are_kept(
    samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.view.match.TABLE_BYTES", 1)
    match = open_match(str(samples["source2"]))
    first = match.table("kills")
    assert set(match.whole.tables_so_far) == {"kills"}
    match.table("players")
    assert set(match.whole.tables_so_far) == {"players"}
    assert match.table("kills") == first
    monkeypatch.setattr("playhead.view.match.TABLE_BYTES", 1 << 30)
    match.table("players")
    assert set(match.whole.tables_so_far) == {"kills", "players"}


@pytest.mark.parametrize("format", FORMATS)
def test_players_are_the_same_however_one_comes_to_a_tick(samples: dict[str, Path], format: str) -> None:
    match, replay = open_match(str(samples[format])), playhead.open(samples[format])
    last = match.last_tick
    for tick in (0, 1, 5, last // 2, last // 2 + 3, last // 3, last // 3, last):
        found, wanted = match.moment(tick), replay.at(tick)
        assert found["tick"] == wanted.tick == tick
        assert found["displayed"] == wanted.displayed
        shown = replay.presentation.wording.shown
        assert found["players"] == [{name: shown(value) for name, value in row.items()} for row in wanted.players]
        is_army = replay.presentation.stage.is_army
        assert found["units"] == [
            {**{name: shown(value) for name, value in row.items()}, "army": is_army(row["unit_type"])}
            for row in wanted.unit_counts[:200]
        ]


def test_only_the_server_collects_large_states(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection takes longer than a seek; a report seeks 120 times."""
    collected: list[Match] = []
    matches = [*(open_match(samples[name]) for name in FORMATS), Match(playhead.open(samples["source2"]))]
    for match in matches:
        monkeypatch.setattr("playhead.view.match.gc.collect", partial(collected.append, match))
        for tick in (40, 30, 20):
            match.moment(tick)
    assert [match.moments.format for match in collected] == ["source2"] * 2
    assert matches[-1] not in collected


@pytest.mark.long
def test_what_a_pass_leaves_is_collected(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    settled: list[bool] = []

    def once() -> None:
        gc.unfreeze()
        settle()
        settled.append(gc.get_freeze_count() > 0)
        gc.unfreeze()

    monkeypatch.setattr("playhead.web.viewer.settle", once)
    client = client_of(samples["sc2"])
    for what in ("state?stretch=0", "moment?tick=0", "jumps", "story"):
        assert client.get(f"/{TOKEN}/m/0/{what}").status_code == 200
    assert settled == [True, True]


def test_a_file_that_is_no_recording_starts_no_server(tmp_path: Path) -> None:
    notes = tmp_path / "notes.dem"
    notes.write_text("no replay")
    for path, word in ((tmp_path / "nothere.dem", "no such file"), (notes, "not a replay")):
        done = run_playhead("view", "--no-browser", str(path))
        assert done.returncode == 2
        assert word in done.stderr
        assert str(path) in done.stderr
        assert "http" not in done.stdout


def test_work_that_nobody_waits_for_is_not_begun(
    samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    async def gone(_request: Request) -> bool:
        return True

    def state(_match: Match, number: int) -> bytes:
        begun.append(number)
        return b""

    monkeypatch.setattr(Match, "state", state)
    client = client_of(samples["sc2"])
    path = f"/{TOKEN}/m/0/state?stretch=0"
    assert client.get(path).status_code == 200
    monkeypatch.setattr(Request, "is_disconnected", gone)
    assert client.get(path).status_code == 499
    assert begun == [0]


def test_many_events_are_thinned_to_the_end_of_the_recording(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    kinds = tuple(notable_kinds(replay))
    whole = event_rows(replay, kinds)
    assert whole["every"] == {}
    counts = Counter(whole["columns"]["kind"])
    assert whole["counts"] == counts
    most = len(whole["columns"]["tick"]) // 2
    found = event_rows(replay, kinds, most)
    columns = found["columns"]
    assert most // 2 < len(columns["tick"]) <= most
    assert columns["tick"] == sorted(columns["tick"])
    assert found["every"]
    assert (found["counts"], found["jumps"]) == (whole["counts"], whole["jumps"])
    for kind, count in counts.items():
        own = [row for row in zip(*whole["columns"].values(), strict=True) if row[1] == kind]
        kept = [row for row in zip(*columns.values(), strict=True) if row[1] == kind]
        assert kept == own[:: found["every"].get(kind, 1)], (kind, count)
