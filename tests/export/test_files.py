"""Written files read back equal, and appear whole or not at all."""

from __future__ import annotations

import csv
import json
import math
import re
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import playhead
from playhead.export import files, write_table
from playhead.export.workbook import write_workbook

TABLE = pa.table(
    {
        "n": pa.array([1, None], pa.int32()),
        "text": ["é\n,", None],
        "kind": pa.array(["a", "b"]).dictionary_encode(),
        "raw": pa.array([b"\x00\xff", None]),
        "many": pa.array([[1, 2], None]),
    }
)


_WRITES = """
import sys
from pathlib import Path
import pyarrow as pa
from playhead.export import write_table
write_table(pa.table([pa.array([1, 2], pa.int32())], names=["n"]), Path(sys.argv[1]), "t", "parquet")
print(*{"ssl", "pyarrow.parquet", "pyarrow.fs"} & sys.modules.keys())
"""


def test_parquet_is_written_without_the_clients_of_cloud_stores(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WRITES, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == [{"n": 1}, {"n": 2}]


def test_parquet(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "deep" / "er", "t", "parquet")
    assert path == tmp_path / "deep" / "er" / "t.parquet"
    assert pq.read_table(path).equals(TABLE)


def test_parts_are_row_groups_and_a_failing_part_leaves_no_file(tmp_path: Path) -> None:
    path = files.write_parts(iter([TABLE, TABLE]), TABLE.schema, tmp_path, "t", "parquet")
    assert pq.ParquetFile(path).num_row_groups == 2
    assert pq.read_table(path).equals(pa.concat_tables([TABLE, TABLE]))
    path.unlink()
    for bad in (pa.table({"other": [1]}), None):  # one that Arrow refuses, and one that cannot be made
        with pytest.raises((ValueError, ZeroDivisionError)):
            files.write_parts(
                (TABLE if n else bad or 1 / 0 for n in (1, 0)), TABLE.schema, tmp_path, "t", "parquet"
            )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("reader", ["duckdb", "polars", "pandas"])
def test_parquet_reads_elsewhere(reader: str, tmp_path: Path) -> None:
    module = pytest.importorskip(reader, reason=f"{reader} is not installed")
    path = str(write_table(TABLE, tmp_path, "t", "parquet"))
    if reader == "duckdb":
        rows = module.sql(f"select n, text, kind, raw, many from '{path}'").fetchall()
    elif reader == "polars":
        rows = module.read_parquet(path).rows()
    else:
        frame = module.read_parquet(path)
        rows = [tuple(row) for row in frame.itertuples(index=False)]
    assert rows[0][0] == 1
    assert rows[0][1:4] == ("é\n,", "a", b"\x00\xff")
    assert list(rows[0][4]) == [1, 2]


def test_csv(tmp_path: Path) -> None:
    text = write_table(TABLE, tmp_path, "t", "csv").read_text(encoding="utf-8")
    assert text == '"n","text","kind","raw","many"\n1,"é\n,","a","00ff","[1, 2]"\n,,"b",,\n'


def test_csv_for_a_spreadsheet(tmp_path: Path) -> None:
    hostile = ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "\uff1d1", "a=1", "a\x1b[31m\u202e", "", None]
    category = pa.array(hostile).dictionary_encode()
    table = pa.table({"text": hostile, "kind": category, "n": range(-1, 11), "many": [["=1"]] * 12})
    path = write_table(table, tmp_path, "t", "csv", formulas=False)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = ["'=1+1", "'+1", "'-1", "'@a", r"'\u0009=1", r"'\u000d=1", r"'\u000a=1", "'\uff1d1", "a=1"]
    expected += [r"a\u001b[31m\u202e", "", ""]
    assert [row["text"] for row in rows] == [row["kind"] for row in rows] == expected
    assert (rows[0]["n"], rows[0]["many"]) == ("-1", '["=1"]')
    headed = write_table(pa.table({"=1\x1b": [1]}), tmp_path, "u", "csv", formulas=False)
    assert headed.read_text(encoding="utf-8").startswith('"\'=1\\u001b"')
    plain = write_table(table, tmp_path, "t", "csv").read_text(encoding="utf-8")
    assert "a\x1b[31m\u202e" in plain
    lines = write_table(table, tmp_path, "t", "ndjson", formulas=False).read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["text"] == "=1+1"


def test_ndjson(tmp_path: Path) -> None:
    lines = write_table(TABLE, tmp_path, "t", "ndjson").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"n": 1, "text": "é\n,", "kind": "a", "raw": {"hex": "00ff"}, "many": [1, 2]},
        {"n": None, "text": None, "kind": "b", "raw": None, "many": None},
    ]


def test_an_unknown_format_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="parquet, csv, ndjson"):
        write_table(TABLE, tmp_path, "t", "ods")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_table(TABLE, tmp_path, "t", "csv")
    before = path.read_bytes()

    def fail(parts: object, schema: object, file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setitem(files.FORMATS, "csv", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(TABLE, tmp_path, "t", "csv")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_files_have_the_usual_permissions(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    written = write_table(TABLE, tmp_path, "t", "csv")
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_csv_of_nested_values(tmp_path: Path) -> None:
    pairs = pa.array([[1.5, 2.0], None], pa.list_(pa.float64(), 2))
    path = write_table(pa.table({"pair": pairs}), tmp_path, "t", "csv")
    assert path.read_text().splitlines() == ['"pair"', '"[1.5, 2.0]"', ""]


def _sheets(path: Path) -> dict[str, list[tuple[object, ...]]]:
    openpyxl = pytest.importorskip("openpyxl", reason="reads workbooks")
    book = openpyxl.load_workbook(path)
    assert all(cell.data_type != "f" and not cell.hyperlink for sheet in book for row in sheet for cell in row)
    return {sheet.title: [tuple(cell.value for cell in row) for row in sheet] for sheet in book}


def test_workbook(tmp_path: Path, samples: dict[str, Path]) -> None:
    pytest.importorskip("xlsxwriter", reason="needs the extra xlsx")
    for path in samples.values():
        with playhead.open(path) as replay:
            names = [each for each in ("info", "players", "inputs", "kills", "units") if each in replay.tables]
            (written,) = replay.export(tmp_path / path.name, format="xlsx", tables=names)
            sheets = _sheets(written)
            assert list(sheets) == names
            for name, table in replay.read_tables(names).items():
                head, *rows = sheets[name]
                assert list(head) == table.column_names
                assert len(rows) == table.num_rows
            expected = [(each.player, each.name) for each in replay.players]
            assert [row[:2] for row in sheets["players"][1:]] == expected


#: What XlsxWriter takes for a cell that it wrote itself.
MARKUP = "<r></r></is></c><c r='Z9'><f>1+1</f></c><c><is><r></r>"


def test_no_text_of_a_workbook_is_markup(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter", reason="needs the extra xlsx")
    texts = [MARKUP, "=cmd|'/C calc'!A0", "http://x", "\ufffe\uffff\x00", "_x0041_", "😀" * 40_000]
    path = write_table(pa.table({MARKUP: texts}), tmp_path, "t", "xlsx")
    with zipfile.ZipFile(path) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        assert not [name for name in book.namelist() if "rels" in name and "hyperlink" in book.read(name).decode()]
    found = ["".join(cell.itertext()) for cell in sheet.findall(".//{*}c")]
    assert found[:4] == [MARKUP, *texts[:3]]
    assert found[4:6] == ["_xFFFE__xFFFF_\\u0000", "_x005F_x0041_"]
    assert found[6].endswith("… (40000 characters)")
    assert len(found[6].encode("utf-16-le")) // 2 <= 32_767
    assert not sheet.findall(".//{*}f")


def test_sheets_of_a_workbook_have_valid_names(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter", reason="needs the extra xlsx")
    table = pa.table({"n": [1]})
    names = ["entities:CDOTA_Unit_Hero_*", "units", "Units", "'x'", "a" * 40, "a" * 41, "[]\\/?"]
    with (tmp_path / "t.xlsx").open("wb") as file:
        write_workbook(file, [(name, [table]) for name in names])
    with zipfile.ZipFile(tmp_path / "t.xlsx") as book:
        titles = re.findall(r'sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
    assert titles[:4] == ["entities CDOTA_Unit_Hero_ ", "units", "Units (2)", " x "]
    assert titles[4:6] == ["a" * 31, "a" * 27 + " (2)"]
    wide = pa.table({f"c{number}": [number] for number in range(16_385)})
    with pytest.raises(ValueError, match="16385 columns"):
        write_table(wide, tmp_path, "wide", "xlsx")


def test_a_workbook_is_hostile_to_formulas_and_says_what_it_cuts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xlsxwriter", reason="needs the extra xlsx")
    monkeypatch.setattr("playhead.export.workbook.ROWS", 4)
    texts = ["=1+1", MARKUP, "a\x1b\x00", "y" * 40_000, "+1", None, ""]
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    numbers = [1, 10**15, None, -(2**63), 2, 3, 4]
    floats = [0.5, math.nan, math.inf, 1e300, 0.0, None, -0.5]
    table = pa.table({"text": texts, "n": numbers, "x": floats, "when": [when] * 7, "many": [[1, 2]] * 7})
    sheets = _sheets(write_table(table, tmp_path, "t", "xlsx"))
    assert list(sheets) == ["table", "table (2)", "table (3)"]
    rows = [row for sheet in sheets.values() for row in sheet[1:]]
    assert len(rows) == 7
    assert [row[0] for row in rows][:2] == ["=1+1", MARKUP]
    assert rows[3][0].endswith("… (40000 characters)")  # type: ignore[attr-defined]
    assert [row[1] for row in rows] == [1, "1000000000000000", None, "-9223372036854775808", 2, 3, 4]
    assert [row[2] for row in rows] == [0.5, "nan", "inf", 1e300, 0, None, -0.5]
    assert {row[3] for row in rows} == {when.replace(tzinfo=None)}
    assert {row[4] for row in rows} == {"[1, 2]"}
