"""Conversion of LaTeX to MathML that browsers display correctly.

LaTeX that cannot be converted raises an error, so that no page shows raw LaTeX.
"""

import html
import re
import unicodedata
from itertools import pairwise
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert_to_element

# Spellings that latex2mathml 3.81 leaves as raw text or that MathML Core draws badly.
_REWRITES: tuple[tuple[str, str], ...] = (
    (r"\\[lr]vert(?![A-Za-z])", r"|"),
    (r"\\[lr]Vert(?![A-Za-z])", r"\\|"),
    (r"\\overline(?![A-Za-z])", r"\\bar"),
    (r"\\operatorname\*", r"\\operatorname"),
    (r"\\arg(?![A-Za-z])", r"\\operatorname{arg}"),
    (r"\\math(?:rm|sf)\{([A-Za-z])\}", r"{\\text{\1}}"),
    (r"\\mathrm\{([A-Za-z]{2,})\}", r"{\\operatorname{\1}}"),
    (r"_\{(min|max)\}", r"_{\\operatorname{\1}}"),
    (r"\\mathds(?![A-Za-z])", r"\\mathbb"),
    (r"\\begin\{aligned\}", r"\\begin{array}{rl}"),
    (r"\\end\{aligned\}", r"\\end{array}"),
)
# MathML Core knows no bold or double-struck attribute: such letters are characters.
_ALPHABETS = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
}
# Unicode categories of signs that latex2mathml sometimes takes for identifiers.
_SIGNS = frozenset({"Sm", "Ps", "Pe"})
_ACCENTS = frozenset("¯^~˙→¨")
_OPERANDS = frozenset("∞⊤⊥")
_LIMITS = frozenset({"∑", "∏", "max", "min", "sup", "inf", "lim"})


def _styled(text: str, alphabet: str) -> str:
    """``text`` in a mathematical alphabet of Unicode, as far as it has the letters."""
    letters: list[str] = []
    for char in text:
        name = unicodedata.name(char, "").replace("LATIN ", "").replace("GREEK ", "")
        name = name.replace("LETTER ", "")
        try:
            letters.append(unicodedata.lookup(f"MATHEMATICAL {alphabet} {name}"))
        except KeyError:
            letters.append(char)
    return "".join(letters)


def _mend_token(node: ET.Element) -> None:
    """Give one leaf the element, letters and spacing that browsers display well."""
    text = html.unescape(node.text or "")
    node.text = re.sub(r"\\([#$%&_{}])", r"\1", text) if node.tag == "mtext" else text
    variant = node.attrib.get("mathvariant", "normal")
    if variant != "normal":
        del node.attrib["mathvariant"]
        node.text = _styled(text, _ALPHABETS.get(variant, ""))
    if node.tag == "mo" and (text in _OPERANDS or (len(text) > 1 and text.isalpha())):
        # An unknown operator gets wide gaps on both sides; an identifier gets none.
        node.tag, node.attrib = "mi", {}
    elif node.tag == "mi" and text == "~":
        node.tag, node.text = "mo", "∼"
    elif node.tag == "mi" and unicodedata.category(text[:1] or "x") in _SIGNS:
        node.tag = "mo"
    if node.tag == "mo" and text in {"|", "‖"} and "form" not in node.attrib:
        node.attrib.update(stretchy="false", lspace="0", rspace="0")
    if node.tag == "mspace" and node.attrib.get("width") == "negativethinmathspace":
        node.attrib["width"] = "-0.167em"


def _is_name(node: ET.Element) -> bool:
    """True if ``node`` is the name of a function, such as log or log_2."""
    if node.tag in {"msub", "msup", "msubsup", "munder"} and len(node):
        return _is_name(node[0])
    if node.tag == "mrow" and len(node) == 1:
        return _is_name(node[0])
    text = node.text or ""
    return node.tag == "mi" and len(text) > 1 and text.isalpha()


def _opens(node: ET.Element) -> bool:
    """True if ``node`` begins with an operator, a fence or a space."""
    while node.tag == "mrow" and len(node):
        node = node[0]
    return node.tag in {"mo", "mspace"}


def _mend(node: ET.Element, display: bool) -> None:
    """Convert latex2mathml's tree in place to MathML Core with the intended meaning."""
    for child in node:
        _mend(child, display)
    if not len(node):
        _mend_token(node)
        return
    if node.tag == "mover" and (node[1].text or "") in _ACCENTS:
        node.attrib["accent"] = "true"
    if display and node[0].text in _LIMITS:
        node.tag = {"msub": "munder", "msubsup": "munderover"}.get(node.tag, node.tag)
    if node.tag in {"mrow", "mtd", "math"}:
        children = list(node)
        for here, following in pairwise(children):
            spaced = _is_name(here) or _is_name(following)
            if spaced and not _opens(following) and here.tag not in {"mo", "mspace"}:
                index = list(node).index(following)
                node.insert(index, ET.Element("mspace", {"width": "0.167em"}))


def mathml(latex: str, display: bool = True) -> str:
    r"""One formula as a MathML element that browsers display without script or fonts.

    Args:
        latex: Mathematics without dollar signs, for example of ``sympy.latex``.
        display: True for a formula on its own line.

    Raises:
        ValueError: If a part cannot be converted; names the LaTeX.

    >>> mathml(r"\bar{x}", display=False).count("accent")
    1
    """
    spelled = latex
    for pattern, replacement in _REWRITES:
        spelled = re.sub(pattern, replacement, spelled)
    try:
        tree = convert_to_element(spelled, "", "block" if display else "inline")
    except Exception as error:  # latex2mathml's errors have no common base class
        raise ValueError(
            f"cannot convert the LaTeX {latex!r} ({type(error).__name__}); balance its "
            "braces and delimiters"
        ) from error
    # The namespace is implied in HTML; without it the page names no address at all.
    del tree.attrib["xmlns"]
    _mend(tree, display)
    markup = ET.tostring(tree, encoding="unicode", short_empty_elements=False)
    if "\\" in markup or "menclose" in markup or "<mi>&amp;</mi>" in markup:
        raise ValueError(
            f"cannot convert the LaTeX {latex!r}: a command is left over in {markup}; "
            "spell it with commands that latex2mathml knows"
        )
    return markup


WIDE = 50  # characters that always fit a line of A4
FULL = 75  # characters that fill this line in the smaller font of print
SMALLEST = 5  # smallest font of a long piece: a fifth of the text's size


def formula(latex: str) -> str:
    """A formula on its own line; a wide one also in pieces for printing.

    A screen scrolls a wide formula, but paper would cut it.  In print, lines can
    therefore end between the pieces.

    Args:
        latex: LaTeX as for ``mathml``.

    Raises:
        ValueError: As ``mathml``.

    >>> formula("a = b").count("<math"), formula(" + ".join("a" * 40)).count("<math")
    (1, 41)
    """
    whole = mathml(latex)
    if _letters(whole) <= WIDE:
        return whole
    # Lines cannot end inside stretchy brackets, but can inside plain ones.
    plain = re.sub(r"\\left(?=[(\[])|\\right(?=[)\]])", "", latex)
    pieces = wrapped(
        latex if plain.count(r"\left") != plain.count(r"\right") else plain
    )
    return f'<span class="paper">{re.sub(r"<math.*?</math>", _smaller, pieces)}</span>{whole}'


def _smaller(piece: re.Match[str]) -> str:
    """A piece in a font that is small enough to fit the line."""
    part = min(-(-_letters(piece[0]) // FULL), SMALLEST)
    return piece[0].replace("<math", f'<math class="part{part}"', 1)


def _letters(markup: str) -> int:
    return len(re.sub(r"<[^>]*>", "", markup))


_BREAKS = (
    *("=", "<", ">", "+", "-", r"\le", r"\leq", r"\ge", r"\geq", r"\approx", r"\in"),
    *(r"\Rightarrow", r"\Leftrightarrow", r"\iff", r"\rightarrow", r"\to"),
)
_SPACES = (r"\quad", r"\qquad", r"\ ")
_OPEN = ("{", r"\left", r"\begin", r"\{", r"\langle")
_SHUT = ("}", r"\right", r"\end", r"\}", r"\rangle")
LONG = 60  # characters of LaTeX after which lines can end inside brackets
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def wrapped(latex: str) -> str:
    r"""A formula in pieces, at words and relations, so that lines can end between them.

    Args:
        latex: LaTeX as for ``mathml``.

    Raises:
        ValueError: As ``mathml``; names the piece.

    >>> wrapped(r"a = b \text{ if } c").count("<math")
    3
    """
    return " ".join(
        html.escape(re.sub(r"\\([#$%&_{}])", r"\1", piece[6:-1]).strip())
        if piece.startswith(r"\text{")
        else mathml(piece, display=False)
        for piece in _pieces(latex)
    )


def _pieces(latex: str) -> list[str]:
    """Parts of a formula: words, and the terms after each sign.

    Long formulas are also cut inside brackets.
    """
    pieces, depth, brackets = [""], 0, 0
    for token in _TOKEN.findall(re.sub(r"\\text(?=\{[A-Za-z]+\})", r"\\mathrm", latex)):
        piece = pieces[-1]
        in_words = piece.startswith(r"\text{")
        outside = depth == 0 and brackets == 0
        if outside and token in _SPACES:
            pieces.append("")
            continue
        long = depth == 0 and len(piece) > LONG
        spoken = token == r"\text" or (in_words and piece.endswith("}"))
        sided = token in _BREAKS and _ends(piece)
        if (outside and (spoken or sided)) or (long and sided):
            pieces.append("")
        pieces[-1] += token
        depth += (token in _OPEN) - (token in _SHUT)
        brackets += (token in "([") - (token in ")]")
    return [piece.strip() for piece in pieces if piece.strip()]


def _ends(piece: str) -> bool:
    """True if a piece can end here: it is more than a sign, and no script is open."""
    tokens = _TOKEN.findall(piece.strip())
    return bool(tokens) and tokens[-1] not in ("^", "_", "(", "[", *_BREAKS)
