"""No content of a file can control the terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.in_process import run
from tests.samples.teehistorian import sample_bytes

from playhead.cli.output.standard import PrintedFile, StyledOutput, VisibleText, print_err, print_out
from playhead.cli.output.tables import print_columns
from playhead.export import write_to
from playhead.export.files import without_formulas
from playhead.text.json import to_json
from playhead.text.visible import visible, visible_lines

HOSTILE = "a\x1b[31m\x07b\x9b2J\u202ec\u2066d\u2028e\r\nf\tg\x7f"


def dangerous(text: str) -> set[str]:
    return {
        char
        for char in text
        if (ord(char) < 32 and char not in "\n\t")
        or 0x7F <= ord(char) < 0xA0
        or char in "\u200e\u200f\u061c\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    }


def test_control_characters_are_spelled_out() -> None:
    assert visible("a\x1b[0m\n\u202e") == r"a\u001b[0m\u000a\u202e"
    assert visible_lines("a\x1b[0m\n\tb") == "a\\u001b[0m\n\tb"
    assert visible("Ж 漢字 👩‍👩‍👧 é") == "Ж 漢字 👩‍👩‍👧 é"


@given(st.text())
def test_no_text_is_dangerous(text: str) -> None:
    assert not dangerous(visible(text))
    assert "\n" not in visible(text)
    assert not dangerous(visible_lines(text))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_means_the_same(text: str) -> None:
    assert json.loads(visible_lines(to_json({"name": text}))) == {"name": text}


def test_output_is_visible_and_styles_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    out = VisibleText(raw, encoding="utf-8", newline="\n", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    print(HOSTILE)
    assert not dangerous(raw.getvalue().decode())
    StyledOutput().write("\x1b[2mfaint\x1b[0m")
    assert raw.getvalue().endswith(b"\x1b[2mfaint\x1b[0m")


def test_a_printed_file_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", VisibleText(raw, encoding="utf-8", newline="\n", write_through=True))
    table = pa.table({"name": [HOSTILE, "Ж"]})
    write_to(PrintedFile(), table, "csv")
    found = raw.getvalue().decode()
    assert not dangerous(found)
    assert "Ж" in found
    file = PrintedFile()
    for byte in "漢".encode():  # the available part of a character
        file.write(bytes([byte]))
    assert raw.getvalue().decode().endswith("漢")


def test_a_name_makes_no_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    print_out(HOSTILE)
    print_columns([["name", "ticks"], [HOSTILE, "7"]])
    print_err(f"playhead: problem: {HOSTILE}", HOSTILE)
    found = capsys.readouterr()
    assert len(found.out.splitlines()) == 3
    assert [line[:9] for line in found.err.splitlines()] == ["playhead:", "    a\\u00"]
    assert not dangerous(found.out + found.err)


@pytest.mark.parametrize(
    "verb",
    [
        "info",
        "events",
        "tables",
        "messages",
        "verify",
        "at 1s",
        "ddnet runs",
        "ddnet patterns",
        "ddnet find",
        "buildorder",
    ],
)
def test_the_name_of_a_file_makes_no_line_of_its_own(tmp_path: Path, verb: str) -> None:
    """It may be the name of a member in an untrusted pack."""
    data = sample_bytes()
    for number in range(2):
        path = tmp_path / f"{number}\nplayhead: all is well\x1b[2J\u202e.teehistorian"
        path.write_bytes(data[: -5 * number or None])
    words = verb.split()
    target = str(path) if words[0] in ("at", "buildorder") else str(tmp_path)  # one file, and several
    done = run(*words, target) if words[0] == "ddnet" else run(words[0], target, *words[1:])
    assert done.returncode in (0, 1, 2, 3)
    assert r"\u000aplayhead: all is well" in done.stdout + done.stderr
    for line in (done.stdout + done.stderr).split("\n"):
        assert not line.startswith("playhead: all is well")
        assert not dangerous(line)


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", ["evil.dem", "evil.teehistorian"])
@pytest.mark.parametrize(
    "verb",
    ["info", "info --json", "events", "tables", "schema", "messages", "at 10s", "sql", "sql csv", "sql ndjson"],
)
def test_commands_print_nothing_dangerous(corpus: Path, name: str, verb: str) -> None:
    path = corpus / "hostile" / name
    if not path.exists():
        pytest.skip(f"the corpus has no hostile/{name}")
    if verb == "schema" and name.endswith("teehistorian"):
        pytest.skip("it has no schema of entities")
    words = verb.split()
    arguments = [words[0], str(path), *words[1:]]
    if words[0] == "sql":
        arguments = ["sql", "SELECT * FROM players", str(path), *(["--format", words[1]] if words[1:] else [])]
    done = run(*arguments)
    assert done.stdout
    assert not dangerous(done.stdout)
    assert not dangerous(done.stderr)


def test_a_column_named_like_a_formula_is_quoted() -> None:
    table = without_formulas(pa.table({"=1+1\x1b": [1], "plain": ["=2"]}))
    assert table.column_names[1] == "plain"
    assert table.column_names[0].startswith("'=1+1")
    assert "\x1b" not in table.column_names[0]
    assert table["plain"].to_pylist() == ["'=2"]
