"""Names: one or several are accepted alike, and an unknown word names the nearest valid ones."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path

import pytest
from tests.cli.in_process import run as run_playhead

import playhead
from playhead import Replay
from playhead.cs2.replay import Cs2Replay
from playhead.deadlock.replay import DeadlockReplay
from playhead.registry import list_formats
from playhead.text.names import flat, listed, nearest_names, unknown_name

GAMES = ["source2", "cs2", "deadlock", "sc2", "hots", "teehistorian"]


@pytest.fixture(scope="module")
def replays(samples: Mapping[str, Path]) -> dict[str, Replay]:
    return {name: playhead.open(path) for name, path in samples.items()}


@pytest.fixture(scope="module")
def of_game(replays: Mapping[str, Replay], short_match: Callable[[str], Path]) -> Callable[[str], Replay]:
    return lambda game: playhead.open(short_match(game)) if game in ("cs2", "deadlock") else replays[game]


def test_a_string_is_one_name() -> None:
    assert listed("ab") == ["ab"] == listed(["ab"])
    assert flat(["a", ["b", 1], ("c",)]) == ["a", "b", 1, "c"]


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_columns_and_kinds_are_one_or_several(replays: Mapping[str, Replay], name: str) -> None:
    replay = replays[name]
    assert replay.table("players", columns="name").column_names == ["name"]
    assert replay.read_tables({"players": "name"})["players"].column_names == ["name"]
    kind = next(iter(replay.event_kinds))
    assert [each.tick for each in replay.events([kind])] == [each.tick for each in replay.events(kind)]


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_several_tables_say_how_to_read_them(replays: Mapping[str, Replay], name: str) -> None:
    for read in (replays[name].table, replays[name].to_pandas, replays[name].schema_of):
        with pytest.raises(TypeError, match=r"expected one name, got list .* read_tables\(\[…\]\)"):
            read(["info", "players"])  # type: ignore[operator]


def test_fields_are_one_or_several(replays: Mapping[str, Replay]) -> None:
    one = replays["source2"].entity_table("CDOTA_Unit_Hero_*", fields="m_iHealth")
    assert one.equals(replays["source2"].entity_table("CDOTA_Unit_Hero_*", fields=["m_iHealth"]))
    with pytest.raises(TypeError, match="expected one name, got list"):
        replays["source2"].entity_table(["CDOTA_Unit_Hero_*"])  # type: ignore[arg-type]


def test_messages_are_one_or_several(replays: Mapping[str, Replay]) -> None:
    for name, word in (("source2", "DOTA_UM_ChatEvent"), ("teehistorian", "PlayerNew")):
        assert list(replays[name].messages([word])) == list(replays[name].messages(word)) != []


def test_an_unknown_game_event_names_the_nearest(replays: Mapping[str, Replay]) -> None:
    with pytest.raises(KeyError, match=r"no game event 'dota_player_kil'; did you mean dota_player_kill"):
        list(replays["source2"].game_events("dota_player_kil"))
    several = list(replays["source2"].game_events("dota_player_*"))
    assert several == list(replays["source2"].game_events(["dota_player_*"])) != []


def test_an_unknown_table_is_said_once(replays: Mapping[str, Replay]) -> None:
    with pytest.raises(KeyError) as near:
        replays["source2"].table("kils")
    all_of_them = "(`.tables` and `playhead tables` list all)"
    assert near.value.args[0] == f"no table 'kils'; did you mean kills? {all_of_them}"
    with pytest.raises(KeyError) as none:
        replays["source2"].table("zzz")
    assert re.fullmatch(
        rf"no table 'zzz'; the nearest are \w+, \w+, \w+ {re.escape(all_of_them)}", none.value.args[0]
    )


def test_an_unknown_column_names_the_nearest(replays: Mapping[str, Replay]) -> None:
    for options in ({}, {"every": "10s"}):
        with pytest.raises(KeyError, match="no column of player_series 'heroo'; did you mean hero"):
            replays["source2"].table("player_series", columns=["tick", "heroo"], **options)
    with pytest.raises(KeyError, match="no column of kills 'tik'; did you mean tick"):
        replays["source2"].read_tables({"kills": "tik"})
    with pytest.raises(AttributeError, match=r"^no table 'kils'; did you mean kills\? \(`\.tables`"):
        _ = replays["source2"].t.kils


def test_the_name_of_a_thing_comes_before_its_place() -> None:
    columns = ["attacker_name", "attacker_side", "attacker_x", "attacker_y", "attacker_z", "tick"]
    assert nearest_names("attacker", columns).startswith("did you mean attacker_name, attacker_side or ")
    assert nearest_names("attacker_zz", columns).startswith("did you mean attacker_z, ")
    assert nearest_names("Attacker", ["attacker_x", "Attacker_Name"]).startswith("did you mean Attacker_Name or ")


def test_other_words_for_attackers_and_victims() -> None:
    columns = ["attacker_health", "attacker_name", "victim_controls_bot", "victim_name"]
    assert nearest_names("killer", columns).startswith("did you mean attacker_name or attacker_health?")
    assert nearest_names("target", columns).startswith("did you mean victim_name or ")


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_at_accepts_seconds(replays: Mapping[str, Replay], name: str) -> None:
    assert replays[name].at(seconds=5).tick == replays[name].at(5.0).tick > 0
    with pytest.raises(TypeError, match="one moment"):
        replays[name].at(10, seconds=5)
    with pytest.raises(TypeError, match="one moment"):
        replays[name].at()


@pytest.mark.parametrize("every", [60, 2])
def test_a_bare_integer_is_no_interval(replays: Mapping[str, Replay], every: int) -> None:
    for table, option in (("player_series", "every"), ("positions", "every")):
        with pytest.raises(ValueError, match=f"such as '{every}s' or '{every} ticks', got {every}"):
            replays["source2"].table(table, **{option: every})
    with pytest.raises(ValueError, match="with its unit"):
        replays["source2"].entity_table("CDOTA_*", "m_iHealth", every=every)


def test_a_missing_path_is_an_error_that_names_the_nearest(samples: Mapping[str, Path]) -> None:
    path = samples["sc2"]
    with pytest.raises(FileNotFoundError, match=f"did you mean .*{path.name}"):
        playhead.scan(str(path)[:-2])
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        playhead.scan(path.parent / "zzz")


def test_a_word_that_no_replay_can_have_is_an_error(samples: Mapping[str, Path]) -> None:
    corpus = playhead.scan(list(samples.values()), jobs=0)
    with pytest.raises(ValueError, match="no format 'starcraft2'; there are hots, sc2, source2, teehistorian"):
        corpus.filter(format="starcraft2")
    with pytest.raises(ValueError, match=r"no game 'dota'; did you mean dota2\?"):
        len(corpus.filter(game="dota"))
    assert len(corpus.filter(game="dota2")) == 1
    with pytest.warns(UserWarning, match="no replay has game 'deadlock'; there are ddnet, dota2, hots, sc2"):
        assert len(corpus.filter(game="deadlock")) == 0  # a game that playhead knows
    for facts, hint in (
        ({"map": "START"}, r"no replay has map 'START'; did you mean start\?"),
        (
            {"winner_side": ["Radiant"], "format": "*"},
            r"no replay has winner_side \['Radiant'\]; did you mean radiant\?",
        ),
        ({"expansion": "x", "format": "sc2"}, "no replay has expansion 'x'; there are "),
    ):
        with pytest.warns(UserWarning, match=hint):
            assert len(corpus.filter(**facts)) == 0
    with pytest.raises(ValueError, match="build: expected a number, got '>new'"):
        len(corpus.filter(build=">new"))


def test_a_series_that_no_replay_has_is_an_error(samples: Mapping[str, Path]) -> None:
    corpus = playhead.scan([samples["sc2"]], jobs=0)
    with pytest.raises(KeyError, match="no replay of 1 has gold"):
        corpus.series(fields="gold").read_all()


def test_a_series_of_several_replays_can_be_grouped(samples: Mapping[str, Path]) -> None:
    found = playhead.scan(list(samples.values()), jobs=0).series().read_all()
    grouped = found.group_by(["replay", "file"]).aggregate([("seconds", "count")])
    assert {row["file"] for row in grouped.to_pylist()} == {str(path) for path in samples.values()}
    assert sum(grouped["seconds_count"].to_pylist()) == found.num_rows


def test_a_folder_names_scan(tmp_path: Path) -> None:
    with pytest.raises(playhead.UnknownFormat, match=r"playhead\.scan reads all replays of a folder"):
        playhead.open(tmp_path)


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_completion_has_supported_methods(replays: Mapping[str, Replay], name: str) -> None:
    names = dir(replays[name])
    assert {"table", "tables", "info", "players", "events", "at", "plot", "export"} <= set(names)
    assert ("simulate" in names, "game_events" in names) == (name == "teehistorian", name == "source2")


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_reprs_are_lines_for_readers(replays: Mapping[str, Replay], name: str) -> None:
    replay = replays[name]
    assert repr(replay.tables["players"]).startswith("<TableSchema players, version ")
    assert repr(replay.info).startswith(f"<Info format='{name}', game=")
    assert len(repr(replay.info)) < 2000
    kinds = repr(replay.event_kinds).splitlines()
    assert kinds[0] == f"{len(replay.event_kinds)} kinds of events"
    assert len(kinds) == 1 + len(replay.event_kinds)
    assert "0x" not in repr(replay.at(seconds=5).raw)


def test_formats_have_names_for_people(replays: Mapping[str, Replay]) -> None:
    for format in list_formats():
        assert {each.format_title for each in replays.values() if each.format == format.name} == {format.title}
    with pytest.raises(NotImplementedError, match="a StarCraft II replay cannot"):
        replays["sc2"].write_slice("x", 0, 1)


def test_a_bare_integer_is_no_time_of_a_plot(replays: Mapping[str, Replay]) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"'240s' \(seconds\) or '240t' \(ticks\), got 240"):
        replays["sc2"].plot.build_order(until=240)


def test_paths_are_compared(samples: Mapping[str, Path]) -> None:
    from playhead.compare import compare

    assert list(compare(samples["sc2"], str(samples["sc2"]))) == []


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_a_lazy_frame_reads_the_columns_of_the_query(replays: Mapping[str, Replay], name: str) -> None:
    polars = pytest.importorskip("polars")
    replay = replays[name]
    lazy = replay.lazy("players")
    assert lazy.collect_schema() == replay.to_polars("players").schema
    found = lazy.filter(polars.col("name").is_not_null()).select("player", "name").collect()
    expected = [(each.player, each.name) for each in replay.players if each.name is not None]
    assert found.rows() == expected
    assert lazy.head(1).collect().height == 1
    with pytest.raises(KeyError, match="no table 'playrs'"):
        replay.lazy("playrs")


@pytest.mark.parametrize(
    ("name", "lost"), [("source2", "everything after frame"), ("teehistorian", "recorded after")]
)
def test_a_cut_recording_says_lost(name: str, lost: str, samples: Mapping[str, Path], tmp_path: Path) -> None:
    cut = tmp_path / f"cut{samples[name].suffix}"
    cut.write_bytes(samples[name].read_bytes()[: samples[name].stat().st_size * 6 // 10])
    said = [line for line in run_playhead("info", cut).stdout.splitlines() if line.startswith("complete")]
    assert said[0].split(None, 1)[1].startswith("no, lost: ")
    assert lost in said[0]
    whole = run_playhead("info", samples[name]).stdout
    assert "lost" not in whole


@pytest.mark.parametrize("game", ["cs2", "deadlock"])
def test_a_recording_cut_before_its_classes_is_not_a_build_without_them(
    game: str, short_match: Callable[[str], Path]
) -> None:
    content = short_match(game).read_bytes()
    for size, is_lost in ((400, True), (len(content), False)):
        replay = playhead.open(content[:size])
        assert isinstance(replay, Cs2Replay | DeadlockReplay)
        assert any(reason.startswith("lost: ") for reason in replay.unfilled.values()) == is_lost
        assert not is_lost or not any("does not declare" in reason for reason in replay.unfilled.values())


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_own_facts_are_attributes(replays: Mapping[str, Replay], name: str) -> None:
    for record in (replays[name].info, replays[name].players[0]):
        for fact, value in record.details.items():
            assert getattr(record, fact) == value
            assert fact in dir(record)
        assert pickle.loads(pickle.dumps(record)) == copy(record) == record
        with pytest.raises(AttributeError, match=f"no fact of this {type(record).__name__.lower()} 'dettails'"):
            _ = record.dettails
    assert (replays["sc2"].info.matchup, replays["sc2"].players[0].race) == ("TvZ", "Terran")


def test_an_unknown_plot_names_the_nearest(replays: Mapping[str, Replay]) -> None:
    with pytest.raises(AttributeError, match=r"no plot 'econom'; did you mean economy\?"):
        _ = replays["sc2"].plot.econom
    with pytest.raises(AttributeError, match="no plot 'heatmap'; there are activity, advantage"):
        _ = replays["sc2"].plot.heatmap


def test_an_unknown_field_names_the_nearest(replays: Mapping[str, Replay]) -> None:
    with pytest.raises(KeyError, match="has a field 'm_iHealt'; did you mean m_iHealth"):
        replays["source2"].table("entities:CDOTA_Unit_Hero_*", fields="m_iHealt")
    with pytest.raises(KeyError, match="fits 'CDOTA_Unit_Courrier'; did you mean CDOTA_Unit_Courier"):
        replays["source2"].table("entities:CDOTA_Unit_Courrier", fields="m_iHealth")


def test_a_teehistorian_says_that_it_has_no_chat(replays: Mapping[str, Replay]) -> None:
    for read in (replays["teehistorian"].table, replays["teehistorian"].to_polars, replays["teehistorian"].events):
        with pytest.raises(KeyError, match="'chat': servers leave chat out of a teehistorian"):
            read("chat")


def test_tables_of_a_corpus_have_the_columns_that_were_asked_for(samples: Mapping[str, Path]) -> None:
    corpus = playhead.scan(list(samples.values()), jobs=0)
    whole = corpus.table("players")
    for asked in ("race", ["name", "race"], ["file", "race", "name"]):
        found = corpus.table("players", columns=asked)
        columns = ["replay", "file", *(each for each in listed(asked) if each != "file")]
        assert found.column_names == columns
        assert found.to_pylist() == whole.select(columns).to_pylist()
    with pytest.raises(KeyError, match="no column of players 'rase'; did you mean race"):
        corpus.table("players", columns="rase")


def test_a_table_of_a_corpus_takes_the_options_of_the_table(samples: Mapping[str, Path]) -> None:
    corpus = playhead.scan(list(samples.values()), jobs=0)
    one = playhead.open(samples["source2"]).table("fights", window="15s", columns=["tick", "deaths"])
    assert corpus.table("fights", window="15s").num_rows == one.num_rows
    assert corpus.to_pandas("fights", window="15s", columns=["tick", "deaths"]).shape == (one.num_rows, 4)
    with pytest.raises(ValueError, match="table fights has no option 'windw'; its options are: "):
        corpus.table("fights", windw="15s")
    assert corpus.table("fights", window=15).num_rows == one.num_rows
    with pytest.raises(ValueError, match="expected an interval with its unit"):
        corpus.table("player_series", every=15)


def test_a_corpus_is_filtered_by_facts_of_one_format(samples: Mapping[str, Path]) -> None:
    corpus = playhead.scan(list(samples.values()), jobs=0)
    assert [item.file for item in corpus.filter(matchup="TvZ", mode="1v1").items] == [str(samples["sc2"])]
    with pytest.warns(UserWarning, match=r"no replay has matchup 'TVZ'; did you mean TvZ\?"):
        assert len(corpus.filter(matchup="TVZ")) == 0
    for asked, fitting in (("ZvT", 1), (["PvT", "ZvT"], 1), ("Z*", 1), ("!=ZvT", 0), ("=ZvT", 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("error" if fitting else "ignore")
            assert len(corpus.filter(matchup=asked)) == fitting, asked
    assert len(corpus.filter(matchup=None)) == len(samples) - 1
    assert len(corpus.filter(format="sc2").filter(matchup="T*")) == 1
    with pytest.raises(KeyError, match="no column 'matchupp'; did you mean matchup"):
        corpus.filter(matchupp="TvZ")


def test_the_schemas_of_a_replay_name_the_nearest(replays: Mapping[str, Replay]) -> None:
    for replay in replays.values():
        with pytest.raises(KeyError, match="no table 'playerz'; did you mean players"):
            replay.tables["playerz"]
        assert "playerz" not in replay.tables
        assert replay.tables.get("playerz") is None


def test_words_that_people_use_find_the_names() -> None:
    assert nearest_names("death", ["unit_died", "player_killed", "unit_born"]) == (
        "did you mean player_killed or unit_died?"
    )
    assert nearest_names("hp", ["shop", "max_health", "health"]) == "did you mean max_health, health or shop?"
    assert nearest_names("purchases", ["frames", "item_uses", "item_events", "players"]).startswith(
        "did you mean item_events"
    )
    assert nearest_names("buy", ["buyer", "item_bought"]) == "did you mean item_bought or buyer?"


@pytest.mark.parametrize("word", ["structure_destroyedd", "qqqqqq"])
@pytest.mark.parametrize("game", GAMES)
def test_an_unknown_name_of_any_game_is_answered_in_one_line(
    of_game: Callable[[str], Replay], game: str, word: str
) -> None:
    replay = of_game(game)
    columns = len(replay.tables["players"].columns)
    for read, count, where in (
        (replay.table, len(replay.tables), "`.tables` and `playhead tables` list all"),
        (replay.events, None, "`.event_kinds` and `playhead events --kinds` list all"),
        (
            lambda each: replay.table("players", columns=each),
            columns,
            "`DESCRIBE` in SQL and docs/tables list all",
        ),
    ):
        with pytest.raises(KeyError) as error:
            read(word)
        text = str(error.value.args[0])
        if count is None or count > 24:
            assert where in text
            assert text.partition("; ")[2].count(",") <= 2
        else:
            assert text.count(",") == count - 1  # few: all are listed


def test_a_few_names_are_listed_and_many_are_not() -> None:
    few = unknown_name("zzz", ["b", "a"], "table")
    assert few == "no table 'zzz'; there are a, b"
    assert unknown_name("zzz", [], "table") == "no table 'zzz'; there are none"
    many = unknown_name("zzy", [*(f"name_{n}" for n in range(30)), "zz", "zx", "yy"], "plot")
    assert many == "no plot 'zzy'; did you mean zz?"
    assert unknown_name("az", [f"name_{n}" for n in range(30)], "events of kind") == (
        "no events of kind 'az'; the nearest are name_9, name_8, name_7 "
        "(`.event_kinds` and `playhead events --kinds` list all)"
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_player_has_the_columns_of_its_table(of_game: Callable[[str], Replay], game: str) -> None:
    replay = of_game(game)
    table = replay.table("players")
    assert table.num_rows == len(replay.players) > 0
    for player, row in zip(replay.players, table.to_pylist(), strict=True):
        assert {name: getattr(player, name) for name in row if name != "details"} == {
            name: value for name, value in row.items() if name != "details"
        }


@pytest.mark.parametrize("game", GAMES)
def test_an_observer_has_the_columns_too(
    of_game: Callable[[str], Replay], game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = playhead.open(of_game(game).name)
    observer = playhead.Player(None, "ada", kind="observer")
    monkeypatch.setattr(type(replay), "_load_players", lambda self: (observer,))
    (found,), (row,) = replay.players, replay.table("players").to_pylist()
    for name in {*replay.players_schema.column_names} - {"details"}:
        assert getattr(found, name) == row[name] == getattr(observer, name, None)
    with pytest.raises(AttributeError, match="no fact of this player 'mmmr'"):
        _ = found.mmmr
