"""A package's registry has the tables of all its modules, and of the registry that it extends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from playhead.dota2.facts import TABLES as DOTA2
from playhead.sc2.tables.registry import TABLES as SC2
from playhead.source2.tables import TABLES as ENGINE
from playhead.tables.registry import TableRegistry
from playhead.tables.schema import Column, TableSchema
from playhead.teehistorian.tables import TABLES as TEEHISTORIAN

PACKAGE = "registry_example"
MODULE = """'The module of table ``{name}``.'

from playhead.tables.schema import Column, TableSchema
from registry_example import TABLES

SCHEMA = TableSchema(name="{name}", version=1, doc="An example.", columns=(Column("tick", "int32", "A tick."),))

@TABLES.maker_of(SCHEMA)
class Maker:
    pass
"""


class Example:
    """A maker of one table."""

    schemas: ClassVar = (
        TableSchema(name="seen", version=1, doc="An example.", columns=(Column("tick", "int32", "A tick."),)),
    )


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / PACKAGE
    (folder / "inner").mkdir(parents=True)
    header = "from playhead.tables.registry import TableRegistry\nTABLES = TableRegistry(__name__)\n"
    (folder / "__init__.py").write_text(header, encoding="utf-8")
    (folder / "inner" / "__init__.py").write_text("", encoding="utf-8")
    for path, name in (("one.py", "zebra"), ("inner/two.py", "ant")):
        (folder / path).write_text(MODULE.format(name=name), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def example() -> TableRegistry[type[Example]]:
    from registry_example import TABLES  # type: ignore[import-not-found]

    assert isinstance(TABLES, TableRegistry)
    return TABLES


@pytest.mark.usefixtures("package")
def test_modules_of_sub_packages_are_found() -> None:
    tables = example()
    assert list(tables.tables()) == list(tables.schemas()) == ["ant", "zebra"]
    assert [maker.schemas[0].name for maker in tables.makers()] == ["ant", "zebra"]


def test_a_second_table_of_a_name_is_refused(package: Path) -> None:
    (package / "three.py").write_text(MODULE.format(name="ant"), encoding="utf-8")
    with pytest.raises(ValueError, match="'ant' is declared twice"):
        example().tables()


def test_one_table_imports_one_module(package: Path) -> None:
    (package / "inner" / "owl.py").write_text(MODULE.format(name="owl"), encoding="utf-8")
    maker = example().find("owl")
    assert maker is not None
    assert f"{PACKAGE}.one" not in sys.modules
    assert not example().are_all(["owl"])
    assert [each.schemas[0].name for each in example().makers_of(["zebra", "owl"])] == ["owl", "zebra"]
    assert example().find("owl") is maker
    assert example().find("bat") is None
    assert example().are_all(["ant", "owl", "zebra"])


@pytest.mark.usefixtures("package")
def test_a_registry_extends_another() -> None:
    extended = TableRegistry("playhead.text", base=example())
    extended.add(Example)
    assert list(extended.own()) == ["seen"]
    assert list(extended.tables()) == ["ant", "zebra", "seen"]
    example().add(Example)
    with pytest.raises(ValueError, match="'seen' is declared twice"):
        extended.tables()


@pytest.mark.parametrize("tables", [DOTA2, ENGINE, SC2, TEEHISTORIAN], ids=["dota2", "source2", "sc2", "tee"])
def test_every_registry_is_complete(tables: TableRegistry[type[Example]]) -> None:
    assert len(tables.own()) > 5
    assert all(name == schema.name for name, schema in tables.schemas().items())
