"""LaTeX becomes MathML whole, or an error names what could not."""

import re
from xml.etree import ElementTree as ET

import pytest

from sigprop.ledger.mathml import mathml

SENSITIVITY = (
    r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right] = "
    r"\frac{(1-\rho)(1+|\lambda|^2)+\rho^2(1-|\lambda|^2)^3}"
    r"{(1-|\lambda|^2)^3|1-\rho\lambda|^4}"
)
FORMULAS = [
    SENSITIVITY,
    r"\sum_{n,m\geq 0} \alpha^n \beta^m u_{n-m}",
    r"\bar{\lambda}",
    r"\overline{\lambda} \rho - 1",
    r"\log{\left(\frac{1-r_{min}^2}{1-r_{max}^2}\right)}",
    r"\begin{cases} 1 & \text{for}\: x > 0 \\ 0 & \text{otherwise} \end{cases}",
    r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
    r"\left[\begin{matrix}a & b\\c & d\end{matrix}\right]",
    r"\|x_\infty\|_2^2",
    r"x \odot y \pm z",
    r"\sum_{\substack{0 \leq n < \infty \\ n \neq m}} a_n",
    r"\operatorname{diag}(x) + \operatorname*{arg\,max}_x f + \arg z",
    r"\lvert x \rvert + \lVert y \rVert + \left\lVert z \right\rVert",
    r"\mathbf{A}^\top \boldsymbol{x} \in \mathbb{R}^n, \mathds{1}_{x>0}",
    r"\text{a \& b\_c} \mathrm{Re}\,\lambda \sim \mathcal{N}(0, 1)",
    r"\frac{d}{d t} \sigma{\left(x \right)}",
]


@pytest.mark.parametrize("latex", FORMULAS)
@pytest.mark.parametrize("display", [True, False])
def test_formulas_leave_no_latex_behind(latex: str, display: bool):
    markup = mathml(latex, display)
    assert "\\" not in markup
    assert "menclose" not in markup
    assert "mathvariant" not in markup
    tree = ET.fromstring(markup)
    assert tree.tag == "math"
    assert tree.attrib["display"] == ("block" if display else "inline")


def test_formulas_keep_their_bars():
    conjugate = ET.fromstring(mathml(r"\overline{\lambda}"))
    assert [node.text for node in conjugate.iter("mo")] == ["¯"]
    norm = ET.fromstring(mathml(r"\left|\frac{a}{b}\right|"))
    assert [node.text for node in norm.iter("mo")] == ["|", "|"]
    assert all(node.attrib["stretchy"] == "true" for node in norm.iter("mo"))


def test_names_in_formulas_are_words_with_space_around_them():
    tree = ET.fromstring(mathml(r"2 \log x \mathrm{tr}(A)"))
    assert [node.text for node in tree.iter("mi")] == ["log", "x", "tr", "A"]
    assert len(list(tree.iter("mspace"))) == 3


def test_bold_letters_are_characters():
    assert "𝝀" in mathml(r"\boldsymbol{\lambda}")
    assert "𝐱" in mathml(r"\mathbf{x}")
    assert "𝟙" in mathml(r"\mathds{1}")


@pytest.mark.parametrize(
    "latex", [r"\nosuch{x}", r"\cancel{x}", "a & b", r"\frac{", ""]
)
def test_a_formula_that_cannot_be_converted_is_named(latex: str):
    with pytest.raises(ValueError, match=re.escape(repr(latex))):
        mathml(latex)


def test_markup_inside_a_formula_stays_text():
    assert "<script>" not in mathml(r"\text{<script>} < b")
