"""The notebook of examples/ runs from top to bottom, and its cells display their results."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="it reads notebooks")
nbclient = pytest.importorskip("nbclient", reason="it runs notebooks")
pytest.importorskip("ipykernel", reason="it is the kernel")
pytest.importorskip("matplotlib", reason="the notebook draws with it")
pytest.importorskip("duckdb", reason="the notebook queries with it")

pytestmark = [
    pytest.mark.slow_interpreted,
    # From Jupyter's own packages.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

NOTEBOOK = Path(__file__).parents[2] / "examples/three_formats.ipynb"


@pytest.mark.long
def test_notebook(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    shown = {cell.source: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    warned = [out for outputs in shown.values() for out in outputs if out.get("name") == "stderr"]
    assert not warned
    for source, outputs in shown.items():
        plots = source.count(".plot.") if "plt" not in source and "try" not in source else 0
        assert sum("image/png" in out.get("data", {}) for out in outputs) == (plots or "plt" in source), source
        own = any(word in source for word in ("import", "try", "duckdb"))
        if plots == 0 and not own:
            assert any("text/html" in out.get("data", {}) for out in outputs), source
        for out in outputs:
            assert len(out.get("data", {}).get("text/html", "")) < 40_000, source
    [error] = [out.text for source, outputs in shown.items() if "try" in source for out in outputs]
    assert "no economy to plot" in error
