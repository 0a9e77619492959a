"""The command line beside other programs: many files, pipes, full disks, Ctrl-C, completion."""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from array import array
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run

import playhead
from playhead.cli.arguments import EXAMPLES
from playhead.cli.commands import COMMANDS, GROUPS, MOVED, TITLES, first_paragraph, load
from playhead.export.folder import MANIFEST
from playhead.registry import list_formats
from playhead.web.shelf import Shelf

pytestmark = pytest.mark.slow_interpreted

PROGRAM = [sys.executable, "-m", "playhead"]
_GROUPED = [f"{group} {name}" for group, names in GROUPS.items() if group for name in names]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of replays of every format, with other things between them."""
    made = tmp_path_factory.mktemp("replays")
    for known in list_formats():
        known.write_sample(made)
    (made / "deep").mkdir()
    sc2 = (made / "sample_sc2.SC2Replay").read_bytes()
    (made / "deep" / "game10.SC2Replay").write_bytes(sc2 + b"\0")
    (made / "deep" / "game2.SC2Replay").write_bytes(sc2)
    (made / "deep" / "notes.txt").write_text("no replay")
    (made / "deep" / "cover.png").write_bytes(b"\x89PNG")
    return made


NAMES = [
    "deep/game2.SC2Replay",
    "deep/game10.SC2Replay",
    "sample_ddnet.teehistorian",
    "sample_dota2.dem",
    "sample_hots.StormReplay",
    "sample_sc2.SC2Replay",
]


# -- many files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "stdin"),
    [
        (["."], None),
        (["**/*.*"], None),
        (["deep", "sample_*", "./deep/game2.SC2Replay"], None),
        (["@-"], "# all\n" + "\n".join(NAMES)),
        (["@-"], "\0".join([".", *NAMES])),
    ],
)
def test_folders_patterns_and_lists(asked: list[str], stdin: str | None, folder: Path) -> None:
    outcome = run("info", "--json", *asked, cwd=folder, input=stdin or "")
    assert outcome.returncode == 0, outcome.stderr
    found = [json.loads(line)["source"].removeprefix("./") for line in outcome.stdout.splitlines()]
    assert found == NAMES
    skipped = "" if stdin and stdin.startswith("#") else "playhead: note: skipped 2 files without a replay\n"
    assert outcome.stderr == skipped


def test_what_is_named_has_to_be_a_replay(folder: Path) -> None:
    outcome = run("info", "deep/notes.txt", "none.dem", "no*such", "@none.txt", NAMES[0], cwd=folder)
    assert outcome.returncode == 1
    errors = outcome.stderr.splitlines()
    assert len(errors) == 4
    assert errors[0].startswith("playhead: error: deep/notes.txt: expected a replay")
    assert errors[1:] == [
        "playhead: error: none.dem: No such file or directory",
        "playhead: error: no*such: no file matches this pattern",
        "playhead: error: @none.txt: No such file or directory",
    ]
    assert NAMES[0] in outcome.stdout


@pytest.mark.filterwarnings("always:skipped names")
def test_a_folder_without_replays(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no replay")
    (tmp_path / ".hidden").write_text("no replay")
    outcome = run("info", tmp_path)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        "playhead: note: skipped names that begin with a dot: 1\n"
        f"playhead: error: no replay in {tmp_path}\nplayhead: note: skipped 1 file without a replay\n"
    )


def test_what_has_the_suffix_of_a_replay_has_to_be_one(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / NAMES[0], tmp_path)
    for name, data in (("empty.dem", b""), ("random.DEM.bz2", b"\x07random"), ("about.dem.info", b"\x08")):
        (tmp_path / name).write_bytes(data)
    outcome = run("info", tmp_path)
    assert outcome.returncode == 1
    empty, random, note = outcome.stderr.splitlines()
    assert "empty.dem: expected a replay, found an empty file" in empty
    assert "random.DEM.bz2: expected a replay, found a file that begins with" in random
    assert note == "playhead: note: skipped 1 file without a replay"
    corpus = playhead.scan(tmp_path, jobs=0)
    failed = {Path(row["file"]).name for row in corpus.info().to_pylist() if row["error"] is not None}
    assert failed == {"empty.dem", "random.DEM.bz2"}
    assert {*corpus.problems["kind"].to_pylist()} == {"unknown_format"}
    outcome = run("export", tmp_path, "-o", tmp_path / "lake", "--tables", "info")
    assert (outcome.returncode, "2 failed" in outcome.stdout) == (1, True)
    about = Shelf([str(tmp_path)])
    assert [file.path.rpartition("/")[2] for file in about.files] == [
        "empty.dem",
        "game2.SC2Replay",
        "random.DEM.bz2",
    ]


def test_a_list_in_place_of_a_replay_says_how(folder: Path) -> None:
    outcome = run("info", "-", cwd=folder, input="\n".join(NAMES))
    assert outcome.returncode == 1
    assert "for a list of files on standard input: @-" in outcome.stderr


#: What each command that takes files says of a folder of all formats: its arguments, and a word of each format's
#: output that is there.
OVER_FOLDERS = {
    "info": ["info", "."],
    "events": ["events", ".", "--kind", "chat_sent,player_joined,unit_born"],
    "tables": ["tables", "."],
    "export": ["export", ".", "-o", "{out}", "--folders", "--table", "info"],
    "sql": ["sql", "SELECT file FROM info", "."],
    "source2 messages": ["source2", "messages", ".", "--limit", "1"],
    "ddnet patterns": ["ddnet", "patterns", "."],
    "ddnet runs": ["ddnet", "runs", "."],
    "anonymize": ["anonymize", ".", "-o", "{out}"],
    "sc2 buildorder": ["sc2", "buildorder", "."],
    "sc2 coach": ["sc2", "coach", "."],
    "verify": ["verify", "."],
    "at": ["at", ".", "1t"],
}
#: Which formats a command can serve, where those are not all.
ONLY = {
    "source2 messages": ("dem", "teehistorian"),
    "ddnet patterns": ("teehistorian",),
    "ddnet runs": ("teehistorian",),
    "anonymize": ("SC2Replay", "StormReplay", "teehistorian"),
    "sc2 buildorder": ("SC2Replay",),
    "sc2 coach": ("SC2Replay",),
}


def test_every_command_is_tried() -> None:
    of_one_or_two_files = {"diff", "slice"}
    assert set(COMMANDS) == {each.partition(" ")[0] for each in OVER_FOLDERS} | of_one_or_two_files | {
        "mcp",
        "sample",
        "lake",
        "view",
        "report",
        "site",
        "serve",
        "stats",
    }


@pytest.mark.long
@pytest.mark.parametrize("command", OVER_FOLDERS)
def test_every_command_takes_folders(command: str, folder: Path, tmp_path: Path) -> None:
    outcome = run(*(part.format(out=tmp_path / "out") for part in OVER_FOLDERS[command]), cwd=folder)
    assert outcome.returncode == 0, outcome.stderr
    served = ONLY.get(command, ("dem", "SC2Replay", "StormReplay", "teehistorian"))
    for name in NAMES:
        known = Path(name).name in outcome.stdout
        assert known == name.endswith(served), name
    notes = [
        line
        for line in outcome.stderr.splitlines()
        if re.search(r"playhead: note: .*(replay|demo|teehistorian)(,| has| cannot)", line)
    ]
    assert len(notes) == (2 if command == "events" else 4 - len(served)), notes


def test_a_command_that_no_file_can_serve_is_wrong_usage(folder: Path) -> None:
    outcome = run("ddnet", "patterns", folder / "deep")
    assert outcome.returncode == 2
    assert "2 files: a StarCraft II replay cannot give figures of how players press" in outcome.stderr
    alone = run("ddnet", "patterns", folder / NAMES[0])
    assert alone.returncode == 2
    assert "which cannot give figures" in alone.stderr


# -- words that some formats know ---------------------------------------------------------------------------------


def test_a_table_that_some_lack_is_a_note(folder: Path, tmp_path: Path) -> None:
    outcome = run("export", folder, "-o", tmp_path, "--folders", "--table", "kills", "--table", "apm")
    assert outcome.returncode == 0, outcome.stderr
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.parquet"))
    assert written == [
        "game10.SC2Replay/apm.parquet",
        "game2.SC2Replay/apm.parquet",
        "sample_dota2.dem/kills.parquet",
        "sample_hots.StormReplay/kills.parquet",
        "sample_sc2.SC2Replay/apm.parquet",
    ]
    notes = outcome.stderr.splitlines()
    assert "playhead: note: 3 files: a StarCraft II replay has no table 'kills'" in notes
    dota = folder / "sample_dota2.dem"
    assert f"playhead: note: {dota} is a Source 2 demo, which has no table 'apm'" in notes


def test_a_table_that_none_has_is_an_error(folder: Path, tmp_path: Path) -> None:
    outcome = run("export", folder, "-o", tmp_path / "out", "--table", "killz")
    assert outcome.returncode == 2
    assert "no table 'killz'; did you mean kills" in outcome.stderr
    assert not (tmp_path / "out").exists()
    lacking = run("export", folder / "deep", "-o", tmp_path / "out", "--folders", "--table", "kills")
    assert lacking.returncode == 2
    assert "2 files: a StarCraft II replay has no table 'kills'" in lacking.stderr


@pytest.mark.parametrize("name", ["sample_dota2.dem", "sample_sc2.SC2Replay", "sample_ddnet.teehistorian"])
def test_a_kind_that_this_format_lacks_is_a_note(name: str, folder: Path) -> None:
    path = folder / name
    kinds = playhead.open(path).event_kinds
    outcome = run("events", path, "--kind", "chat_sent,player_killed,player_joined,unit_b*", "--format", "ndjson")
    assert outcome.returncode == 0, outcome.stderr
    missing = [kind for kind in ("chat_sent", "player_killed", "player_joined") if kind not in kinds]
    missing += [] if "unit_born" in kinds else ["unit_b*"]
    title = playhead.open(path).format_title
    assert outcome.stderr.splitlines() == [
        f"playhead: note: {path} is a {title}, which has no events of kind {kind!r}" for kind in missing
    ]
    shown = {json.loads(line)["kind"] for line in outcome.stdout.splitlines()}
    assert shown & {"chat_sent", "player_joined"}
    assert shown <= {"chat_sent", "player_killed", "player_joined", "unit_born"}


def test_a_kind_that_no_format_has_is_an_error(folder: Path) -> None:
    outcome = run("events", folder, "--kind", "chat_sent,player_kiled")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "no format has events of kind 'player_kiled'; did you mean player_killed" in outcome.stderr


@pytest.mark.parametrize("word", ["SChatMessage", "NNet.Game.SChatMessage", "message"])
def test_other_words_for_events_are_no_mistake(word: str, folder: Path) -> None:
    outcome = run("events", folder / "sample_sc2.SC2Replay", folder / "sample_dota2.dem", "--kind", word)
    assert outcome.returncode == 0, outcome.stderr
    assert "gl hf" in outcome.stdout
    assert "Source 2 demo, which has no events of kind" in outcome.stderr


# -- folders of tables --------------------------------------------------------------------------------------------


def tables_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()
    }


def test_tables_of_two_replays_are_never_mixed(folder: Path, tmp_path: Path) -> None:
    sc2, ddnet = folder / "sample_sc2.SC2Replay", folder / "sample_ddnet.teehistorian"
    out = tmp_path / "out"
    assert run("export", sc2, "-o", out, "--table", "players").returncode == 0
    before = tables_in(out)
    for asked in ([ddnet], [ddnet, sc2], [folder / "deep"]):
        refused = run("export", *asked, "-o", out, "--folders", "--table", "players")
        assert refused.returncode in (1, 2)
        assert f"{out} holds the tables of" in refused.stderr
        assert tables_in(out) == before
    # The same replay under another name, and more of its tables, are welcome.
    again = run("export", folder / "deep" / "game2.SC2Replay", "-o", out, "--table", "apm")
    assert again.returncode == 0, again.stderr
    assert tables_in(out).keys() == {"players.parquet", "apm.parquet", MANIFEST}
    manifest = json.loads((out / MANIFEST).read_text())
    assert manifest["files"].keys() == {"players.parquet", "apm.parquet"}
    assert manifest["content_hash"] == playhead.open(sc2).content_hash


def test_several_have_folders_of_their_own(folder: Path, tmp_path: Path) -> None:
    for number, size in (("a", 1), ("b", 2), ("c", 1)):
        (tmp_path / number).mkdir()
        data = (folder / "sample_ddnet.teehistorian").read_bytes() + bytes(size)
        (tmp_path / number / "game.teehistorian").write_bytes(data)
    out = tmp_path / "out"
    inputs = [tmp_path / "a", tmp_path / "b"]
    assert run("export", *inputs, "-o", out, "--folders", "--table", "info").returncode in (0, 3)
    assert sorted(path.name for path in out.iterdir()) == ["game.teehistorian", "game.teehistorian-2"]
    before = tables_in(out)
    # In another order, and the first again under another name: each finds its own.
    assert run("export", *reversed(inputs), "-o", out, "--folders", "--table", "info").returncode in (0, 3)
    assert tables_in(out).keys() == before.keys()
    hashes = {path: json.loads(path.read_text())["content_hash"] for path in out.glob(f"*/{MANIFEST}")}
    assert len(set(hashes.values())) == 2
    refused = run("export", inputs[0] / "game.teehistorian", "-o", out)
    assert refused.returncode == 1
    assert "holds folders of replays (game.teehistorian)" in refused.stderr


def test_tables_of_nobody_knows_which_replay_are_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text("mine")
    refused = run("export", folder / "sample_sc2.SC2Replay", "-o", tmp_path)
    assert refused.returncode == 1
    assert "holds players.csv of an unknown replay" in refused.stderr
    assert tables_in(tmp_path) == {"players.csv": b"mine"}


# -- SQL ----------------------------------------------------------------------------------------------------------


def test_sql_on_a_missing_file_says_so(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    missing = tmp_path / "none.dem"
    outcome = run("sql", "SELECT name FROM players", missing)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr == f"playhead: error: {missing}: No such file or directory\n"


def test_sql_joins_tables_of_several_files(folder: Path) -> None:
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    query = "SELECT players.name, text FROM chat JOIN players USING (file, player) ORDER BY tick"
    outcome = run("sql", query, "deep", cwd=folder, env={**os.environ, "COLUMNS": "80"})
    assert outcome.returncode == 0, outcome.stderr
    chat = playhead.open(folder / NAMES[0]).table("chat").num_rows
    assert len(outcome.stdout.splitlines()) == 2 + 2 * chat


# -- standard output, interrupts ----------------------------------------------------------------------------------

SHOWING = {
    "help": ["--help"],
    "info": ["info", "{folder}"],
    "events": ["events", "{folder}/sample_dota2.dem"],
    "messages": ["source2", "messages", "{folder}/sample_dota2.dem"],
    "table": [
        "sql",
        "SELECT tick, log_type, target, attacker FROM combat_log",
        "{folder}/sample_dota2.dem",
        "--rows",
        "1000",
    ],
    "csv": ["sql", "FROM combat_log", "{folder}/sample_dota2.dem", "--format", "csv"],
    "export": ["export", "{folder}", "-o", "{out}", "--table", "info"],
}
#: Those that run in their own process, too, which flushes its output once more at its end.
IN_A_PROCESS = ("help", "info")


def run_into(
    stdout: int, what: str, folder: Path, out: Path, *, apart: bool = False, unbuffered: bool = False
) -> tuple[int, str]:
    """Run a command of `SHOWING` with this standard output; return its status and what it prints of errors."""
    words = [part.format(folder=folder, out=out) for part in SHOWING[what]]
    if apart:
        env = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
        outcome = subprocess.run(
            [*PROGRAM, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, env=env, check=False
        )
    else:
        raw = io.FileIO(stdout, "w", closefd=False)
        file = raw if unbuffered else io.BufferedWriter(raw)  # as python -u opens it
        text = io.TextIOWrapper(file, encoding="utf-8", write_through=unbuffered)
        outcome = run(*words, stdout=text)
    return outcome.returncode, outcome.stderr


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replays for a lake are read in this process: workers take longer to start than to read samples."""
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="pipes and /dev/full are those of Unix")
@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("what", SHOWING)
def test_who_closes_the_pipe_has_seen_enough(what: str, unbuffered: bool, folder: Path, tmp_path: Path) -> None:
    for apart in range(1 + (what in IN_A_PROCESS)):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            status, errors = run_into(
                writing, what, folder, tmp_path / "out", apart=bool(apart), unbuffered=unbuffered
            )
        finally:
            os.close(writing)
        assert status == 0
        assert errors in ("", "playhead: note: skipped 2 files without a replay\n")


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("what", SHOWING)
def test_output_that_cannot_be_written_is_an_error(what: str, folder: Path, tmp_path: Path) -> None:
    for apart in range(1 + (what in IN_A_PROCESS)):
        with open("/dev/full", "wb", buffering=0) as full:
            status, errors = run_into(full.fileno(), what, folder, tmp_path / "out", apart=bool(apart))
        assert status == 1
        assert errors.splitlines()[-1] == "playhead: error: standard output: No space left on device"
        assert "Traceback" not in errors


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_an_interrupt_is_a_line_and_status_130(tmp_path: Path) -> None:
    import fcntl
    import termios

    # A pipe that nobody fills: the program waits in it for sure.
    program = subprocess.Popen(
        [*PROGRAM, "info", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background has it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert program.stdin is not None
    program.stdin.write("P")
    program.stdin.flush()
    unread = array("i", [1])
    while unread[0] and program.poll() is None:  # until it reads, and so waits for more
        time.sleep(0.01)
        fcntl.ioctl(program.stdin, termios.FIONREAD, unread)
    program.send_signal(signal.SIGINT)
    try:
        _, errors = program.communicate(timeout=60)
    finally:
        program.kill()
    assert (program.returncode, errors) == (130, "playhead: interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
@pytest.mark.parametrize(
    "where",
    ["exec('os.kill(os.getpid(), 2)\\nid(1)')", "raise RuntimeError('Query interrupted')"],
)
def test_an_interrupt_in_an_import_or_a_short_query_is_one_too(where: str, tmp_path: Path) -> None:
    text = (
        f"import os\nimport playhead.cli.program as program\n\ndef run(words):\n    {where}\n\nprogram.run = run\n"
    )
    (tmp_path / "begin.py").write_text(f"{text}from playhead.cli import main\nmain()\n")
    command = [sys.executable, "-m", "begin"]
    ready = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # as above
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=ready)
    assert (found.returncode, found.stderr) == (130, "playhead: interrupted\n")


def test_an_interrupt_before_the_command_is_one_too() -> None:
    text = (
        "import sys\nfrom playhead.cli import main\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'playhead.cli.output.standard':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\nmain()\n"
    )
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (130, "playhead: interrupted\n")


# -- completion ---------------------------------------------------------------------------------------------------


def completions(*words: str, cwd: Path, shell: str = "bash") -> list[str]:
    outcome = run(*words, cwd=cwd, env={**os.environ, "_PLAYHEAD_COMPLETE": shell})
    assert (outcome.returncode, outcome.stderr) == (0, "")
    return outcome.stdout.splitlines()


def test_completion(folder: Path) -> None:
    assert completions("", cwd=folder) == list(COMMANDS)
    assert completions("ddnet", "ru", cwd=folder) == ["runs"]
    assert completions("lake", "re", cwd=folder) == ["retry", "remove"]
    assert completions("nonsense", "", cwd=folder) == []
    assert "--table" in completions("export", "--", cwd=folder)
    assert "kills" in completions("export", "--table", "k", cwd=folder)
    assert completions("export", "--format", "p", cwd=folder) == ["parquet"]
    sc2 = playhead.open(folder / "sample_sc2.SC2Replay")
    assert completions("export", "sample_sc2.SC2Replay", "--table", "", cwd=folder) == sorted(sc2.tables)
    asked = ("events", "sample_sc2.SC2Replay", "--kind", "chat,unit_b")
    assert completions(*asked, cwd=folder) == ["chat,unit_born"]
    assert completions("events", "none.dem", "--kind", "ward_p", cwd=folder) == ["ward_placed"]
    assert completions("info", "", cwd=folder) == []  # the shell completes files


def test_completion_with_descriptions(folder: Path) -> None:
    (line,) = completions("tabl", cwd=folder, shell="fish")
    assert line.split("\t") == ["tables", "List the tables of replays: name, rows, columns."]
    (line,) = completions("tabl", cwd=folder, shell="zsh")
    assert line.startswith("tables:List the tables")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.skipif(shutil.which("playhead") is None, reason="the program is not on PATH")
def test_completion_in_bash(folder: Path) -> None:
    script = """
eval "$(playhead --show-completion bash)"
COMP_WORDS=(playhead export sample_sc2.SC2Replay --table a); COMP_CWORD=4
_playhead_completion playhead
printf '%s\\n' "${COMPREPLY[@]}"
"""
    outcome = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=folder)
    assert "apm" in outcome.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_can_be_shown(shell: str) -> None:
    outcome = run("--show-completion", shell)
    assert outcome.returncode == 0, outcome.stderr
    assert "_PLAYHEAD_COMPLETE" in outcome.stdout


@pytest.mark.skipif(os.name != "posix", reason="the home directory is $HOME on Unix")
@pytest.mark.parametrize(("shell", "sourced_by"), [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", None)])
def test_completion_is_installed_once(shell: str, sourced_by: str | None, tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    if sourced_by is not None:
        (tmp_path / sourced_by).write_text("mine\n")
    for _ in range(2):
        outcome = run("--install-completion", env=env)
        assert outcome.returncode == 0, outcome.stderr
    assert "_PLAYHEAD_COMPLETE" in Path(outcome.stdout.partition(":")[0]).read_text()
    if sourced_by is not None:
        first, _, line = (tmp_path / sourced_by).read_text().splitlines()
        assert first == "mine"
        assert line


def test_completion_of_an_unknown_shell_is_refused() -> None:
    outcome = run("--show-completion", "tcsh")
    assert outcome.returncode == 2
    assert "expected one of bash, zsh" in outcome.stderr


# -- arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*(name for name in COMMANDS if name not in GROUPS), *_GROUPED])
def test_a_command_takes_what_it_declares(name: str) -> None:
    parser, command = load(name)
    everywhere = ("help", "quiet", "no_progress")
    declared = {action.dest: action for action in parser.declared if action.dest not in everywhere}
    assert declared.keys() == inspect.signature(command).parameters.keys()
    assert all(action.help for action in declared.values())
    assert run(*name.split(), "--help").returncode == 0


def test_options_and_arguments_in_any_order(folder: Path) -> None:
    path = str(folder / NAMES[0])
    expected = run("info", "--json", path).stdout
    assert expected
    for words in ([path, "--json"], ["--json", "--", path], ["--strict", path, "--json"]):
        assert run("info", *words).stdout == expected


def test_values_may_begin_with_a_dash(folder: Path) -> None:
    path = folder / "sample_dota2.dem"
    assert run("at", path, "-0:01").stderr == run("at", "--", path, "-0:01").stderr
    for words in (["--player", "-=me=-"], ["--player=-=me=-"]):
        outcome = run("sc2", "buildorder", folder / NAMES[0], *words)
        assert outcome.returncode == 2
        assert "--player: '-=me=-' is not a player" in outcome.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["inf"], "no command 'inf'; did you mean info?"),
        (["lake", "compakt", "x"], "no command 'compakt'; did you mean compact?"),
        (["info", "--jsn", "x"], "no option '--jsn'; did you mean --json?"),
        (["source2", "messages", "x", "--limit", "0"], "--limit: expected at least 1, got 0"),
        (["source2", "messages", "x", "--limit", "many"], "--limit: invalid whole number value: 'many'"),
        (["view", "x", "--port", "70000"], "--port: expected 0 to 65535, got 70000"),
        (["report", "x", "-o", "y", "--map", "none.png"], "--map/--maps: there is no file or folder none.png"),
        (["export", "x", "-o"], "-o/--output: expected one argument"),
        (["info", "--strict=yes", "x"], "--strict: ignored explicit argument 'yes'"),
    ],
)
def test_a_wrong_command_line_says_how(words: list[str], text: str) -> None:
    outcome = run(*words)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    usage, error = outcome.stderr.splitlines()
    assert usage.startswith("usage: playhead")
    assert error == f"playhead: error: {text}"


@pytest.mark.parametrize(("words", "status"), [([], 2), (["lake"], 2), (["--help"], 0), (["lake", "-h"], 0)])
def test_help_lists_the_commands(words: list[str], status: int) -> None:
    outcome = run(*words)
    assert outcome.returncode == status
    shown = outcome.stderr if status else outcome.stdout
    for name in GROUPS["lake" if "lake" in words else ""]:
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_help_is_short_and_has_two_examples(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(" ".join(first_paragraph(name).split())) <= 60
    monkeypatch.chdir(tmp_path)
    for file in ("Tutorial.map", "pro.SC2Replay"):
        Path(file).touch()
    Path("maps").mkdir()
    for example in EXAMPLES[name]:
        load(name)[0].parse(shlex.split(example))
    assert len(EXAMPLES[name]) == 2


def test_every_command_has_examples_and_a_title() -> None:
    assert EXAMPLES.keys() == {*(name for name in COMMANDS if name not in GROUPS), *_GROUPED}
    shown = run("--help").stdout
    assert [f"\n{title}:\n" in shown for title in TITLES] == [True] * len(TITLES)


def test_a_command_under_its_old_name_says_the_new_one(folder: Path) -> None:
    for old, new in MOVED.items():
        assert f"`playhead {new}` now" in run(old, "--help").stderr
    path = folder / NAMES[0]
    assert run("buildorder", path).stdout == run("sc2", "buildorder", path).stdout != ""


def test_quiet_prints_no_notes(folder: Path) -> None:
    words = ("events", folder, "--kind", "rune_taken")
    assert "playhead: note: " in run(*words).stderr
    assert run(*words, "-q").stderr == ""
    assert run(*words, "--no-progress").stderr == run(*words).stderr != ""


# -- what holds for each format -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sample_dota2.dem", "sample_sc2.SC2Replay", "sample_ddnet.teehistorian"])
def test_verify_prints_checks(name: str, folder: Path) -> None:
    outcome = run("verify", folder / name)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    first, *checks = outcome.stdout.splitlines()
    assert first == str(folder / name)
    assert len(checks) >= 3
    assert all(" ok " in line for line in checks)


def test_verify_calls_nothing_ok_that_it_did_not_read(folder: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.SC2Replay"
    cut.write_bytes((folder / "sample_sc2.SC2Replay").read_bytes()[:1500])
    outcome = run("verify", cut)
    assert outcome.returncode == 3
    (line,) = outcome.stdout.splitlines()[1:]
    assert line.split()[:5] == ["streams", "of", "events", "0", "-"]


#: Runs command lines in turn, each the words of a line of standard input.
_EACH = """
import sys
from playhead.cli import run
for line in sys.stdin.read().splitlines():
    print(run(line.split("\t")), file=sys.stderr)
"""


def test_a_missing_package_says_how_to_get_it(folder: Path, tmp_path: Path) -> None:
    for name in ("duckdb", "fsspec", "s3fs"):
        text = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')"
        (tmp_path / f"{name}.py").write_text(text)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}

    asked = [
        ["sql", "SELECT 1", str(folder / NAMES[0])],
        ["info", "memory://x.dem"],
        ["info", "s3://bucket/x.dem"],
    ]
    outcome = subprocess.run(
        [sys.executable, "-c", _EACH],
        input="\n".join("\t".join(words) for words in asked),
        capture_output=True,
        text=True,
        check=True,
        env=env,
    )
    sql, first, remote, second, bucket, third = outcome.stderr.splitlines()
    assert re.search(r"install 'duckdb[<>=.,\d]+' \(the extra duckdb\)$", sql)
    assert remote.endswith("install 'fsspec[http]>=2024.5' (the extra remote)")
    assert re.search(r"install 's3fs[<>=.,\d]+' \(the extra s3\)$", bucket)
    assert first == second == third == "1"
