"""Every notebook is committed as text without outputs, and runs from top to bottom."""

from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
QUICK = "01_curse_of_memory.py"
MARKED = [
    pytest.param(path, marks=() if path.name == QUICK else pytest.mark.slow)
    for path in NOTEBOOKS
]
PATIENCE = 120  # seconds a cell may take; a whole notebook needs about twenty


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Run a notebook in a kernel of its own, from the source tree, leaving no trace."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    # With a backend in its environment the kernel would not draw into the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    # Nor is a notebook the place where JAX tells of a GPU that it cannot use.
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")

    def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            kernel_name="python3",
            resources={"metadata": {"path": str(ROOT)}},
        )
        return client.execute()

    return run


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def traces_of_running(notebook) -> list[str]:
    return [
        cell.source
        for cell in code_cells(notebook)
        if cell.outputs or cell.execution_count is not None
    ]


def test_there_are_notebooks_and_nothing_else_stands_beside_them():
    assert NOTEBOOKS
    others = {path.suffix for path in (ROOT / "notebooks").iterdir() if path.is_file()}
    assert others <= {".py", ".ipynb"}, "the .ipynb files are ignored by git"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_committed_as_text_without_outputs(path):
    notebook = jupytext.read(path)
    assert (
        notebook.metadata["jupytext"]["text_representation"]["format_name"] == "percent"
    )
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert code_cells(notebook)
    assert traces_of_running(notebook) == []
    assert "image/png" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_notebook_runs_and_shows_its_plots(path, execute):
    before = path.read_bytes()
    notebook = execute(jupytext.read(path))
    outputs = [out for cell in code_cells(notebook) for out in cell.outputs]
    assert traces_of_running(notebook) == [cell.source for cell in code_cells(notebook)]
    assert not [out for out in outputs if out.output_type == "error"]
    noise = [out.text for out in outputs if out.get("name") == "stderr"]
    assert noise == [], "a notebook that warns teaches its reader to look away"
    drawn = sum("image/png" in out.get("data", {}) for out in outputs)
    assert drawn == sum(
        cell.source.count("plt.show()") for cell in code_cells(notebook)
    )
    assert path.read_bytes() == before


def test_a_failing_cell_fails_the_notebook(execute):
    notebook = jupytext.read(NOTEBOOKS[0])
    broken = nbformat.v4.new_code_cell("assert 1 + 1 == 3, 'injected'")
    notebook.cells = [*code_cells(notebook)[:1], broken]
    with pytest.raises(CellExecutionError, match="injected"):
        execute(notebook)


def test_outputs_in_a_committed_file_are_found():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    assert traces_of_running(notebook) == []
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="2")]
    assert traces_of_running(notebook) == ["1 + 1"]
