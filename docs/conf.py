"""Configuration of the website for Sphinx; ``sigprop site`` calls it.

Nothing is fetched while pages are built or read, and no page needs a script to be read.
"""

import re
from importlib.metadata import version as installed
from typing import Any

project = "sigprop"
author = "The sigprop developers"
copyright = author
version = release = installed("sigprop")
html_title = f"sigprop {version}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["bodies", "extra"]
myst_heading_anchors = 3

# Signatures are wrapped, and name types as their users do.
add_module_names = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 70
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
toc_object_entries = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["bodies.css", "site.css"]
html_extra_path = ["extra"]
html_favicon = "static/favicon.svg"
html_copy_source = html_show_sourcelink = False
html_show_search_summary = False  # summaries are fetched, which pages of a disk may not
html_show_sphinx = False
html_theme_options: dict[str, Any] = {
    "sidebar_hide_name": False,
    "light_css_variables": {
        "color-brand-primary": "#0b5cad",
        "color-brand-content": "#0b5cad",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7cbcf5",
        "color-brand-content": "#7cbcf5",
    },
}
pygments_style = "default"
pygments_dark_style = "github-dark"

ARRAY = "jaxlib._jax.Array"
KEY = re.compile(
    r"[~\w.]*Key\[Array, ''\] \| [~\w.]*UInt32\[Array, '2'\] "
    r"\| [~\w.]*UInt32\[Array, '4'\]"
)
HEADING = re.compile(r'<h2[^>]*?\bid="([^"]+)"[^>]*>(.*?)</h2>', re.DOTALL)
WIDE = re.compile(r'<(pre|div)((?<=pre)| class="formula[^>]*)(?=>)')
PARAMETERS = re.compile(r"<dl>\n((?:<dd>.*?</dd>\n)+)</dl>")
BAR = re.compile(r"(?<!\\)([|*])")
CODE = re.compile(r"(``.*?``|`[^`\n]+`(?:_)?|^ +>>> .*$)", re.DOTALL | re.MULTILINE)


def plain_marks(
    app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Keep moduli ``|x|`` and products ``a * b`` of docstrings from being read as markup."""
    parts = CODE.split("\n".join(lines))
    parts[::2] = [BAR.sub(r"\\\1", part) for part in parts[::2]]
    lines[:] = "".join(parts).split("\n")


def plain_types(
    app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Do the same in the types that napoleon takes from annotations."""
    lines[:] = [
        BAR.sub(r"\\\1", line) if line.startswith(":vartype") else line
        for line in lines
    ]


def plain_signature(
    app: Any, kind: str, name: str, thing: Any, options: Any, words: str, result: str
) -> tuple[str | None, str | None]:
    """Name arrays and keys as the sources do."""
    return _as_written(words), _as_written(result)


def _as_written(words: str | None) -> str | None:
    return words and KEY.sub("PRNGKeyArray", words.replace(ARRAY, "Array"))


def whole_page(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let keys scroll what is wide, and list the headings of a body of raw HTML."""
    context["furo_navigation_tree"] = context.get("furo_navigation_tree", "").replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    if not doctree:
        return
    body = WIDE.sub(r'<\1 tabindex="0"\2', context.get("body", ""))
    context["body"] = body = PARAMETERS.sub(_as_lines, body)
    if not (app.env.metadata.get(page) or {}).get("body"):
        return
    entries = [
        f'<li><a class="reference internal" href="#{anchor}">{words}</a></li>'
        for anchor, words in HEADING.findall(body)
    ]
    if 1 < len(entries) < 40:
        context["toc"] = f'<ul class="simple">{"".join(entries)}</ul>'
        context["furo_hide_toc"] = False


def _as_lines(found: re.Match[str]) -> str:
    """Write the parameters of a signature as lines; as a list they would lack terms."""
    lines = found[1].replace("<dd>", "<span>").replace("</dd>", "</span>")
    return f'<span class="sig-lines">{lines}</span>'


def setup(app: Any) -> None:
    """Register what is above."""
    app.connect("autodoc-process-docstring", plain_marks, priority=400)
    app.connect("autodoc-process-docstring", plain_types, priority=900)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("html-page-context", whole_page, priority=900)
