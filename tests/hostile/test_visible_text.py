"""Nothing that a file holds commands the terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.cli.output import PrintedFile, StyledOutput, VisibleText
from playhead.export import write_to
from playhead.json_text import to_json
from playhead.visible_text import visible, visible_lines

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


def test_what_is_printed_is_visible_and_styles_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
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
    for byte in "漢".encode():  # as much of a character as there is
        file.write(bytes([byte]))
    assert raw.getvalue().decode().endswith("漢")


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
    done = subprocess.run([sys.executable, "-m", "playhead", *arguments], capture_output=True, check=False)
    out = done.stdout.decode("utf-8", "replace")
    assert out
    assert not dangerous(out)
    assert not dangerous(done.stderr.decode("utf-8", "replace"))
