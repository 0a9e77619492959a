"""Plots in a real Jupyter kernel: all of a cell show, and the user's own after them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="plots are drawn with it")
nbformat = pytest.importorskip("nbformat", reason="it writes notebooks")
nbclient = pytest.importorskip("nbclient", reason="it runs notebooks")
pytest.importorskip("ipykernel", reason="it is the kernel")

pytestmark = [
    pytest.mark.slow_interpreted,
    # Of Jupyter's own packages.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

OPEN = """
import playhead
sc2, tee = playhead.open({sc2!r}), playhead.open({tee!r})
"""


CELLS = (
    # test_every_plot_of_a_cell_shows_and_the_users_own_after_it
    "sc2.plot.positions()\ntee.plot.activity();",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);",
    "tee.plot.positions()\nplt.figure()\nplt.plot([3, 2, 1])\nsc2.plot.build_order();",
    "plt.isinteractive(), plt.get_fignums()",
    # test_a_kernel_shows_tables_replays_and_lists
    "sc2.t.players",
    "sc2",
    "sc2.tables",
    "import pyarrow as pa\npa.table({'x': [1]})",
    # test_a_notebook_shows_the_viewer
    "sc2.view(at=100, height=400)",
)


@pytest.fixture(scope="module")
def executed(samples: Mapping[str, Path]) -> list[Any]:
    """`CELLS`, executed in one kernel after a cell that opens two samples as `sc2` and `tee`."""
    opening = OPEN.format(sc2=str(samples["sc2"]), tee=str(samples["teehistorian"]))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (opening, *CELLS)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    cells: list[Any] = notebook.cells
    return cells


@pytest.mark.long
def test_every_plot_of_a_cell_shows_and_the_users_own_after_it(executed: list[Any]) -> None:
    cells = executed[:5]
    assert [pictures(cell) for cell in cells] == [0, 2, 1, 3, 0]
    [last] = cells[-1].outputs
    assert last.data["text/plain"] == "(True, [])"  # as without playhead; what was shown is closed


def pictures(cell: object) -> int:
    """How many pictures a cell showed."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)  # type: ignore[attr-defined]


def test_a_kernel_shows_tables_replays_and_lists(executed: list[Any]) -> None:
    """Every table of playhead as a head with types, every other as ever."""
    table, replay, tables, other = (cell.outputs[0].data for cell in executed[5:9])
    assert "2 rows × " in table["text/html"]
    assert table["text/plain"].startswith("players: 2 rows × ")
    assert "ph-tabs" in replay["text/html"]
    assert "ph-number" in tables["text/html"]
    assert "text/html" not in other
    assert other["text/plain"].startswith("pyarrow.Table")


def test_a_notebook_shows_the_viewer(executed: list[Any]) -> None:
    """In a frame of its own that needs no server."""
    (output,) = executed[9].outputs
    html = output.data["text/html"]
    assert html.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts allow-downloads"' in html
    assert "data-place=&quot;t=100&quot;" in html
    assert 'height="400"' in html
