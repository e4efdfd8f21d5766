"""Notebooks executed in a kernel and written as pages that need no network.

Formulas are MathML.  A page contains its pictures, its style and the scripts of its
sliders, and its content security policy admits each by a hash.  Links to other
notebooks lead to their pages.
"""

import asyncio
import copy
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from sigprop.ledger.mathml import formula, mathml
from sigprop.ledger.report import environment
from sigprop.numerics.files import require_writable
from sigprop.numerics.paths import PACKAGE, on_disk

PATIENCE = 600  # time limit of a cell in seconds
WIDGET = "application/vnd.jupyter.widget-view+json"
SOLUTION = "solution"  # tag of a cell that is folded
MARK = '<meta name="generator" content="sigprop notebooks">'
INDEX = "index.html"
FOLDER = on_disk("notebooks").resolve()  # the package may have a link


def find(folder: Path | None = None) -> dict[str, Path]:
    """The notebooks of a folder by their names, in order.

    Args:
        folder: Those of sigprop if left out.

    Raises:
        ValueError: If there are none, saying where they are.
    """
    directory = FOLDER if folder is None else folder
    paths = {path.stem: path for path in sorted(directory.glob("*.py"))}
    if not paths:
        raise ValueError(
            f"need notebooks, *.py files of jupytext, got none in {directory}; name their "
            "folder with --source, or leave it out for those of sigprop"
        )
    return paths


def read(path: Path) -> NotebookNode:
    """One notebook, without outputs.

    Raises:
        ValueError: If the file is not a notebook.
    """
    import jupytext

    try:
        notebook = jupytext.read(path)
    except Exception as error:
        raise ValueError(f"cannot read the notebook {path}: {error}") from error
    if not cells(notebook):
        raise ValueError(f"need a notebook with cells to run, got none in {path}")
    return notebook


def run(
    notebook: NotebookNode,
    progress: Callable[[], None] = lambda: None,
    patience: int = PATIENCE,
) -> NotebookNode:
    """Execute a notebook from top to bottom in its own kernel.

    The kernel ends with this process, also after an interruption.

    Args:
        notebook: Notebook, which is changed in place.
        progress: Function that is called after each code cell.
        patience: Time limit per cell, in seconds.

    Raises:
        ValueError: If a cell fails; names the cell and its error.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import (
        CellExecutionError,
        CellTimeoutError,
        DeadKernelError,
    )

    with tempfile.TemporaryDirectory() as scratch:
        client = NotebookClient(
            notebook,
            timeout=patience,
            kernel_name="python3",
            resources={"metadata": {"path": str(PACKAGE.parent)}},
            on_cell_executed=lambda **_: progress(),
        )
        failures: list[Exception] = []

        def work() -> None:
            # nbclient would replace the signal handlers of the main thread.
            # Kernels print connection details to standard error; errors are raised.
            how = {"env": _environment(scratch), "stderr": subprocess.DEVNULL}
            try:
                asyncio.run(client.async_execute(**how))
            except Exception as error:
                failures.append(error)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join()
    for error in failures:
        if isinstance(error, CellExecutionError):
            raise ValueError(f"a cell failed: {error.ename}: {error.evalue}") from error
        if isinstance(error, CellTimeoutError):
            raise ValueError(f"a cell took more than {patience} seconds") from error
        if isinstance(error, DeadKernelError):
            raise ValueError(
                "its kernel died, as where memory runs out; close other programs"
            ) from error
        raise error
    return notebook


def _environment(scratch: str) -> dict[str, str]:
    """Environment of a kernel: this source, no user settings, and no GPU."""
    chosen = {
        "PYTHONPATH": os.pathsep.join(
            filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH")))
        ),
        "IPYTHONDIR": scratch,
        "JUPYTER_CONFIG_DIR": scratch,
        "JAX_PLATFORMS": "cpu",
    }
    # If MPLBACKEND is set, the kernel does not draw into the notebook.
    inherited = {
        name: text for name, text in os.environ.items() if name != "MPLBACKEND"
    }
    return inherited | chosen


def cells(notebook: NotebookNode) -> int:
    """Return the number of code cells."""
    return sum(cell.cell_type == "code" for cell in notebook.cells)


def check(notebooks: Mapping[str, NotebookNode]) -> None:
    """Check before the work that ``pages`` will accept the notebook.

    Raises:
        ValueError: If it will not; names the notebook.
    """
    pages(notebooks)


def require_free(folder: Path, names: Iterable[str]) -> None:
    """Make the folder; refuse one that is not writable or has other pages.

    Args:
        folder: Folder of the pages.
        names: Names of the notebooks.

    Raises:
        OSError: If the folder cannot be made.
        ValueError: If a file would be overwritten; names the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for file in [folder / INDEX, *(folder / f"{name}.html" for name in names)]:
        require_writable(file)
        if file.exists() and MARK not in file.read_text("utf-8", errors="replace"):
            raise ValueError(
                f"need a place for {file}, got a file that is not what this command wrote "
                "there; move it away or choose another folder"
            )


def written(folder: Path) -> dict[str, str]:
    """The pages that an earlier call wrote to a folder, by file name.

    Raises:
        ValueError: If there are no pages.
    """
    files = sorted(folder.glob("*.html"))
    found = {file.name: file.read_text("utf-8") for file in files}
    ours = {name: page for name, page in found.items() if MARK in page}
    if INDEX not in ours:
        raise ValueError(
            f"need pages of notebooks, got none in {folder}; `sigprop notebooks {folder}` "
            "writes them"
        )
    return ours


def title(notebook: NotebookNode) -> str:
    """The title of a notebook, which is its first heading.

    Raises:
        ValueError: If the notebook does not begin with a heading.
    """
    first = notebook.cells[0].source.partition("\n")[0] if notebook.cells else ""
    if not first.startswith("# "):
        raise ValueError(f"need a notebook that begins with its title, got {first!r}")
    return first.removeprefix("# ").strip()


def pages(notebooks: Mapping[str, NotebookNode]) -> dict[str, str]:
    """A page of each notebook, and an index of the pages, by file name.

    Args:
        notebooks: Executed notebooks, by name.

    Raises:
        ValueError: If a formula cannot be converted, a link leads to a missing
            notebook, or a notebook has no title.
    """
    env = environment()
    exporter = _exporter(notebooks)
    titles: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for name, notebook in notebooks.items():
        try:
            titles[f"{name}.html"] = title(notebook)
            bodies[f"{name}.html"] = _body(exporter, notebook)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    html = {file: _page(env, titles, file, body) for file, body in bodies.items()}
    leads = {
        f"{name}.html": exporter.environment.filters["markdown2html"](_lead(notebook))
        for name, notebook in notebooks.items()
    }
    html[INDEX] = _page(env, titles, INDEX, "", leads)
    return html


def _lead(notebook: NotebookNode) -> str:
    """The first paragraph below the title."""
    parts = notebook.cells[0].source.split("\n\n")
    return parts[1] if len(parts) > 1 else ""


def _page(env: Any, titles: Any, here: str, body: str, leads: Any = None) -> str:
    from pygments.formatters import HtmlFormatter

    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', body, re.S)
    return env.get_template("notebook.html.j2").render(
        titles=titles,
        here=here,
        body=body,
        leads=leads or {},
        mark=MARK,
        index=INDEX,
        scripts=sorted(set(scripts)),
        light=HtmlFormatter(style="default").get_style_defs(".highlight"),
        dark=HtmlFormatter(style="github-dark").get_style_defs(".highlight"),
    )


def _body(exporter: Any, notebook: NotebookNode) -> str:
    """The cells as HTML, with formulas as MathML and solutions folded."""
    shown = copy.deepcopy(notebook)
    section = title(notebook)
    for cell in shown.cells:
        if cell.cell_type == "markdown":
            heads = re.findall(r"^#+ (.+)$", cell.source, re.M)
            section = heads[-1] if heads else section
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            if "text/html" in data:  # a widget has HTML for static pages
                data.pop(WIDGET, None)
            elif "text/latex" in data:
                latex = data["text/latex"].strip("$ \n").removeprefix(r"\displaystyle")
                data["text/html"] = f'<div class="formula">{formula(latex)}</div>'
            if "image/png" in data:
                description = f"Picture of the section: {section.replace('$', '')}"
                output.metadata["image/png"] = {"alt": description}
    body, _ = exporter.from_notebook_node(shown)
    return body


def _exporter(notebooks: Mapping[str, NotebookNode]) -> Any:
    """Nbconvert's HTML exporter with formulas and links of this site."""
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def inline_math(self, body: str) -> str:
            return mathml(body, display=False)

        def block_math(self, body: str) -> str:
            return f'<div class="formula">{formula(body)}</div>'

        def link(self, text: str, url: str, title: str | None = None) -> str:
            name, dot, kind = url.rpartition(".")
            if dot and kind == "py" and "/" not in name:
                if name not in notebooks:
                    raise ValueError(f"a link leads to {url}, which is not there")
                url = f"{name}.html"
            return f'<a href="{escape(url)}">{text}</a>'

    def markdown(source: str) -> str:
        renderer = Renderer(escape=False, anchor_link_text="")
        return MarkdownWithMath(renderer=renderer).render(source)

    folded = (
        "{% extends 'basic/index.html.j2' %}{% block codecell %}"
        f"{{% if '{SOLUTION}' in cell.metadata.get('tags', []) %}}"
        "<details><summary>Solution</summary>{{ super() }}</details>"
        "{% else %}{{ super() }}{% endif %}{% endblock codecell %}"
    )
    exporter = HTMLExporter(raw_template=folded)
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    exporter.register_filter("markdown2html", markdown)
    return exporter
