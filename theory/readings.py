r"""Meanings of the letters in each printed formula, to parse its LaTeX.

A meaning is an expression in SymPy's notation.  Its names are those of the symbols in the
row's form; ``lam`` and ``lam_bar`` are the eigenvalue and its conjugate, ``R`` is the
autocovariance.  ``UNREAD`` gives the reason for every formula that is not parsed.
"""

from collections.abc import Mapping
from functools import partial

from sympy import Expr, cosh, exp, log, oo, sin, sympify

from sigprop.theory.gate_readings import READINGS as OF_GATES
from sigprop.theory.layer_readings import READINGS as OF_LAYERS
from sigprop.theory.reading import (
    Meaning,
    Reading,
    both_modes,
    both_norms,
    by_age,
    by_lag,
)
from sigprop.theory.symbols import T, a, alpha, b, beta, lam, rho


def _mixed(lag: Expr) -> Expr:
    return a + b if lag == 0 else b * rho**lag


def _f(x: Expr, y: Expr) -> Expr:
    """Eq. 159 of Zucchet, for an input with a white and a correlated part."""
    tail = b * rho * (x / (1 - rho * x) + y / (1 - rho * y))
    return (1 - x) * (1 - y) / (1 - x * y) * (a + b + tail)


_H = r"\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}"
_TURN = "1 - nu*nu_star*cos(theta - theta_star)"
_APART = f"(({_TURN})**2 + nu**2*nu_star**2*sin(theta - theta_star)**2)"
_BY_ANGLE = {
    r"\nu^*": "nu_star",
    r"\nu^{*2}": "nu_star**2",
    r"\theta^*": "theta_star",
    r"\gamma(\nu)": "sqrt(1 - nu**2)",
    r"\gamma(\nu^*)": "sqrt(1 - nu_star**2)",
    r"\gamma'(\nu)": "-nu/sqrt(1 - nu**2)",
    r"\gamma''(\nu)": "-1/(1 - nu**2)**Rational(3, 2)",
    r"\alpha(\theta-\theta^*)": _APART,
    r"\alpha'(\theta-\theta^*)": f"diff({_APART}, theta)",
    r"\alpha''(\theta-\theta^*)": f"diff({_APART}, theta, 2)",
    r"|1 - \bar{\lambda}\lambda^*|^2": _APART,
}
_TO_TEACHER = {
    r"\lambda^*": "mu",
    r"\bar{\lambda}^*": "mu_bar",
    r"\gamma(\lambda)": "sqrt(1 - lam*lam_bar)",
    r"\gamma(\lambda^*)": "sqrt(1 - mu*mu_bar)",
}
_CHAIN = {
    _H: "s",
    r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right]": "S",
    r"\frac{\mathrm{d}\nu}{\mathrm{d}\omega}": "d_nu",
    r"\frac{\mathrm{d}\theta}{\mathrm{d}\omega}": "d_theta",
}
_PARTS = {
    r"\frac{\mathrm{d}\mathrm{Re}[f]}{\mathrm{d}\mathrm{Re}[z]}": "(f_re + f_re_bar)/2",
    r"\frac{\mathrm{d}\mathrm{Im}[f]}{\mathrm{d}\mathrm{Im}[z]}": "(f_im - f_im_bar)/(2*I)",
    r"\frac{\mathrm{d}f}{\mathrm{d}\mathrm{Re}[z]}": "f_re",
    r"\frac{\mathrm{d}f}{\mathrm{d}\mathrm{Im}[z]}": "f_im",
    r"\frac{\mathrm{d}f}{\mathrm{d}\bar{z}}": "(f_re + I*f_im)/2",
    r"\frac{\mathrm{d}\bar{f}}{\mathrm{d}\bar{z}}": "(f_re_bar + I*f_im_bar)/2",
}
_SAMPLE = {
    _H + r"^\top": "s_i",
    _H: "s_i",
    r"\frac{\mathrm{d}^2 h_t}{\mathrm{d}\lambda^2}": "t_i",
    r"\frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i}": "s_i",
    r"\frac{\mathrm{d}h_{t,j}}{\mathrm{d}\lambda_j}": "s_j",
    rf"\left(c^{{\top}} {_H}\right)_i": "c_i*s_i",
    rf"\left(c^{{\top}} {_H}\right)_j": "c_j*s_j",
    r"\frac{\partial L_t}{\partial y_t}": "e_y",
    r"\frac{\partial L_t}{\partial y_t}^\top": "e_y",
    r"\frac{\partial^2 L_t}{\partial y_t^2}": "1",
    r"c^\top": "c_i",
    r"\bar{c}^\top": "c_i_bar",
    "c": "c_i",
    "c_i": "c_i",
    "c_j": "c_j",
    r"\bar{c}_j": "c_j_bar",
    "b_i": "b_i",
    "b_j": "b_j",
    r"\bar{b}_j": "b_j_bar",
    r"(cc^{\top}) \odot": "c_i*c_j",
    rf"\mathbb{{E}}_{{x,y}} \left[\lim_{{t \to \infty}} {_H}{_H}^{{\top}} \right]": (
        "S_ij*b_i*b_j"
    ),
    rf"\left({_H}^\top c c^\top {_H}\right)_{{ij}}": "c_i*c_j*s_i*s_j",
    r"\mathbb{E}\left[\frac{\overline{\mathrm{d}h_{t,j}}}{\mathrm{d}\lambda_j}\bar{c}_j c_i "
    r"\frac{\mathrm{d}h_{t,i}}{\mathrm{d}\lambda_i}\right]": (
        "S_ibarj*b_i*b_j_bar*c_i*c_j_bar"
    ),
    r"(1 \ 1) H_{ij}^{\lambda} (1 \ 1)^{\top}": (
        "(A_ij + A_ij_bar + B_ij + B_ij_bar)/4"
    ),
    r"S(\lambda_i, \lambda_j)": "S_ij",
    r"S(\lambda_i, \bar{\lambda}_j)": "S_ibarj",
    r"S(\lambda_i, \bar{\lambda}_i)": "S_ibarj",
    r"\lambda_i": "alpha",
    r"\lambda_j": "beta",
    "A_{ij}": "A_ij",
    "B_{ij}": "B_ij",
}
_POLAR = {
    r"\nu'(\omega_{\nu})": "dnu_i",
    r"\nu'(\omega_{\nu,i})": "dnu_i",
    r"\nu'(\omega_{\nu,j})": "dnu_j",
    r"\nu(\omega_{\nu})": "nu_i",
    r"\nu(\omega_{\nu,i})": "nu_i",
    r"\nu(\omega_{\nu,j})": "nu_j",
    r"\nu(\omega_{\theta,i})": "nu_of_theta_i",
    r"\nu(\omega_{\theta,j})": "nu_of_theta_j",
    r"\theta'(\omega_{\theta})": "dtheta_i",
    r"\theta'(\omega_{\theta,i})": "dtheta_i",
    r"\theta'(\omega_{\theta,j})": "dtheta_j",
    r"\theta(\omega_{\theta})": "theta_i",
    r"\theta(\omega_{\theta,i})": "theta_i",
    r"\theta(\omega_{\theta,j})": "theta_j",
    "A_{ij}": "A_ij",
    "B_{ij}": "B_ij",
}
_CODE = {
    r"\omega_{\nu}": "omega_nu",
    r"\omega_{\theta}": "omega_theta",
    r"\omega_{\gamma}": "omega_gamma",
    r"\omega_{\Delta}": "omega_delta",
    r"\text{softplus}": lambda x: log(1 + exp(x)),
    r"\lambda^{\rm re}": "re",
    r"\lambda^{\rm im}": "im",
    r"\nu_0": "nu_0",
}
_NORMS = {
    r"\text{Tr}\left[B^\top B\right]": "s",
    r"\text{Tr}\left[B^{\top}B\right]": "s",
    r"\text{Tr}[B^\top B]": "s",
    r"\gamma_{\log}": "gamma_log",
    r"\gamma_{\min}": "r_min",
    r"\gamma_{\max}": "r_max",
    r"\text{rows}": "rows",
    r"\text{columns}": "columns",
}
_RINGED = {r"\mathbb{E}\left[\|Bu\|_2^2\right]": "1"}


_D_LAMBDA = r"\frac{\mathrm{d}\lambda}{\mathrm{d}\omega}"
_STATE = "(1 - lam*lam_bar*rho**2)/((1 - lam*lam_bar)*(1 - lam*rho)*(1 - lam_bar*rho))"
_OMEGA = {
    r"\omega_{\theta}": "omega",
    r"\omega_{\theta}^{\exp}": "omega",
    r"\omega_{\nu}": "omega",
    r"\omega_\nu": "omega",
    r"\omega_\nu^*": "omega_star",
    r"\operatorname{sech}": lambda x: 1 / cosh(x),
}
_GATED: dict[str, Meaning] = {
    r"\frac{\partial^2 f(\alpha,\beta)}{\partial \alpha \partial \beta}": _f(
        alpha, beta
    ).diff(alpha, beta),
    r"\mathbb{E}\left[\left(\frac{\partial h_t}{\partial \lambda}\right)^2\right]": _f(
        alpha, beta
    )
    .diff(alpha, beta)
    .subs({alpha: lam, beta: lam}),
    r"\sigma'(b_f)": "lam*(1 - lam)",
}
_PAIRED = {
    r"\sum_{n,m\geq 0}": "1",
    r"\sum_{n\geq 0} \sum_{m\geq 0}": "1",
    r"\sum_{n,m<T}": "1",
    r"\sum_{n,m}": "1",
    "R_x(n-m)": "1",
    "R(n-m)": "1",
    "u_{n-m}": "1",
    "m": "m",
}
_TWICE = {
    r"\tilde{u}_{k-m}^{*}": "energy",
    r"\tilde{u}^{*}": "energy",
    r"\tilde{u}_{k-n}": "1",
    r"\tilde{u}": "1",
    r"(\Lambda^m)^{*}": "lam_bar**m",
    r"\Lambda^n": "lam**n",
    "m": "m",
}
_TWO_MODES = "s_1*r_1**(2*n) + s_2*r_2**(2*n)"
_TRACED = {
    r"\text{Tr}[\tilde{B}\tilde{B}^*\Lambda^{i^*}\Lambda^i]": _TWO_MODES,
    r"\text{Tr}[\tilde{B}\tilde{B}^*\Lambda^{i*}\Lambda^i]": _TWO_MODES,
    "i": "n",
}
_NORMED = {
    r"\sum_{k=1}^N b_k": "1",
    r"\sum_k b_k": "1",
    r"|\lambda_k|": "r",
    "i": "n",
}
_AGED = {"A": "lam", "B": "1", "j": "n", "k": "T - 1", "u_{k-j}": "z**n"}
_SUMMED = {
    r"\sum_{i}": "1",
    "A_{ii}": "A_ii",
    "B_{ii}": "B_ii",
    "|b_i|^2": "b_i*b_i_bar",
    "|c_i|^2": "c_i*c_i_bar",
    r"S(\lambda_i, \bar{\lambda}_i)": "S_ii",
}
_HOLD = {
    "A": "exp(dt*pole)",
    "I": "1",
    r"\tilde{A}": "pole",
    r"\tilde{B}": "drive",
    r"\Delta": "dt",
    "x_{k-1}": "0",
    "u_k": "1",
}
_PULSE = {r"\operatorname{sinc}": lambda x: sin(x) / x, r"\frac{1}{2\pi}": "scale"}
_MEAN = "(log(1 - r_min**2) - log(1 - r_max**2))/(r_max**2 - r_min**2)"
_SUMMED_OVER = r"\mathbb{E}_r\left[\sum_{n=1}^{\infty} r^n\right]"
_MEANS = {
    r"\mathbb{E}_r\left[\frac{1}{1-r}\right]": _MEAN,
    r"\mathbb{E}_r\left[\frac{r}{1-r}\right]": f"{_MEAN} - 1",
    r"|1 - r_{\max}^2|": "1 - r_max**2",
    r"|1 - r_{\min}^2|": "1 - r_min**2",
}
_BARRON = {
    r"\mathcal{C}^2_{\mathcal{F}_k}": "barron**2",
    r"\|\Theta_{f,k} + \Theta_{b,k}\|_2^2": "Theta**2",
    r"\varepsilon": "accuracy",
    "s": "outputs",
    "r": "radius",
    "n": "states",
}
_MODE = {
    r"\nu'": "dnu_i",
    r"\theta'": "dtheta_i",
    r"\nu": "nu_i",
    r"\theta": "theta_i",
    "A_{ii}": "A_ij",
    "B_{ii}": "B_ij",
}


def _each(names: str, reading: Reading, paper: str = "zucchet") -> dict[str, Reading]:
    return {f"{paper}:{name}": reading for name in names.split()}


READINGS: Mapping[str, Reading] = {
    **_each("19 21 22 23 32 33 text:chrono-low text:chrono-high", Reading(_CODE)),
    "zucchet:text:chrono-low corrected": Reading(_CODE, side=1),
    "zucchet:text:chrono-high corrected": Reading(_CODE, side=1),
    "zucchet:34": Reading(_PAIRED, 0, fold=lambda expr: by_lag(expr).as_sum()),
    "zucchet:34 corrected": Reading({"u_0": "R(0)", r"u_\Delta": "R(Delta)"}),
    "sigprop:ginibre-second": Reading({"k": "k"}),
    "sigprop:householder-pair": Reading(
        {r"\beta_1": "beta_1", r"\beta_2": "beta_2", "z": "z"}
    ),
    **_each(
        "householder-mean householder-energy", Reading({"d": "d"}), paper="sigprop"
    ),
    "sigprop:reparametrised-scale": Reading({"v": "v"}, side=1),
    "sigprop:least-gap": Reading({"N": "N"}),
    "sigprop:trapezoid-error": Reading(
        {"w": "weight", "r": "rate", "x_0": "x_0", "x_1": "x_1"}
    ),
    **_each(
        "linoss-implicit linoss-explicit",
        Reading({r"\Delta": "step", "A": "A"}),
        paper="sigprop",
    ),
    "sigprop:tied-gate": Reading({"f_1": "f_1", "f_2": "f_2"}),
    "sigprop:implicit-delta": Reading({"s": "s"}),
    "zucchet:39": Reading({"u_0": "R(0)", r"u_\Delta": "R(Delta)"}),
    **_each(
        "state-finite sensitivity-finite",
        Reading(_PAIRED, fold=lambda expr: by_lag(expr, T).as_sum()),
        paper="sigprop",
    ),
    **_each(
        "state-mixed sensitivity-mixed",
        Reading(_PAIRED, 1, fold=lambda expr: by_lag(expr).on("mixed")),
        paper="sigprop",
    ),
    "zucchet:42": Reading({"x_{-n}": "z**n"}, view=by_age),
    "zucchet:49": Reading({_H: "(n - 1)*lam**(n - 2)", "h_t": "lam**(n - 1)"}),
    "zucchet:53": Reading({"x_{-n-1}": "z**(n + 1)"}, view=partial(by_age, first=1)),
    "zucchet:53 corrected": Reading({"x_{-n}": "z**n"}, view=by_age),
    "zucchet:77": Reading(
        {r"\gamma(\lambda)": "gamma", "x_{t-n}": "z**n"}, view=by_age
    ),
    "zucchet:79": Reading({_H: "gamma*n*lam**(n - 1)", _D_LAMBDA: "d_lam"}),
    **_each("80 81 82 83", Reading(_CHAIN)),
    **_each("90 91 92 93", Reading(_TO_TEACHER)),
    "zucchet:text:c1-cross-moment": Reading(_TO_TEACHER, side=1),
    **_each("84 94 95 96 98 100 101 102 103 104 105", Reading(_BY_ANGLE)),
    **_each("106 107 111 text:c1-tanh fig6-modulus", Reading(_OMEGA)),
    **_each("116 117 118", Reading(_PARTS)),
    **_each(
        "122 125 126 127 128 129 133 134 135 136 137 141 142 147", Reading(_SAMPLE)
    ),
    **_each("148 149 150 151 152 153 154 155", Reading(_POLAR)),
    **_each("144 145 146", Reading(_SUMMED, fold=both_modes)),
    "zucchet:text:orthogonal-sensitive": Reading(
        side=-2, fold=lambda expr: expr.doit()
    ),
    "zucchet:text:c1-extra-factor": Reading(side=-2),
    "zucchet:159": Reading({"R_x": _mixed}),
    "zucchet:160": Reading({"f": _f}),
    **_each("161 text:bias-sensitivity", Reading(_GATED)),
    **_each("text:aim fig2a", Reading(side=-2)),
    "zucchet:text:complex-angle": Reading(side=3),
    "zucchet:text:sigmoid": Reading(side=-3),
    "zucchet:text:ideal-gamma": Reading({r"\mathbb{E}\left[(h_t)^2\right]": _STATE}),
    "zucchet:footnote2:rate": Reading({"L": "ell"}),
    "zucchet:text:fan-in": Reading({r"d_{\text{in}}": "columns"}),
    "zucchet:text:hessian-cartesian": Reading(
        {r"\omega_{\mathrm{re}}": "re_i", r"\omega_{\mathrm{im}}": "im_i"}
    ),
    **_each("text:time-constant", Reading({"T": "tau"}, side=1)),
    "zucchet:fig15": Reading({"T": "tau"}, side=1),
    **_each("prop3.3 prop3.3-restated", Reading(_RINGED), paper="lru"),
    **_each("lemma3.2 lemma3.2-restated", Reading(side=1), paper="lru"),
    "lru:3": Reading(_HOLD),
    "lru:text:zoh-formula": Reading(_HOLD),
    "lru:6": Reading({r"|\lambda|": "r", "k": "T", "i": "n"}),
    "lru:6 corrected": Reading({r"|\lambda|": "r", "k": "T - 1", "i": "n"}),
    "lru:text:phases": Reading({r"\operatorname{diag}": "1", r"\nu^{\log}": "nu_log"}),
    "rotrnn:text:lemma3-last-step": Reading(_NORMS, side=1),
    "lru:15": Reading({**_PULSE, "L_i": "half", "p_i": "centre"}),
    "lru:text:pulse": Reading({**_PULSE, r"\tau": "half"}, side=1),
    "lru:29": Reading(side=0),
    "lru:4": Reading(_AGED, view=by_age),
    "lru:4 corrected": Reading(_AGED, view=partial(by_age, last=T - 1)),
    **_each("31 32", Reading(_TWICE), paper="lru"),
    "lru:39": Reading(fold=lambda expr: expr.replace(log, lambda x: log(-x))),
    **_each(
        "text:lru-norm-sum text:lru-row-scale",
        Reading(_NORMED, fold=both_norms),
        paper="rotrnn",
    ),
    "rotrnn:text:lru-norm-limit": Reading(_NORMED | {"t": oo}, 0, fold=both_norms),
    "rotrnn:text:lru-norm-limit corrected": Reading(_NORMED, 1, fold=both_norms),
    "rotrnn:14": Reading(_TRACED),
    "lru:38": Reading({_SUMMED_OVER: f"{_MEAN} - 1"}, side=0),
    "lru:38 corrected": Reading(_MEANS),
    "lru:40": Reading(_MEANS),
    "lru:text:aligned-gradients corrected": Reading(
        {
            r"\cos k(\theta^* - \theta)": "cos(steps*turn)",
            r"\sin k(\theta^* - \theta)": "sin(steps*turn)",
        },
        side=-2,
    ),
    **_each(
        "9 11 text:trace listing:gamma listing:glorot", Reading(_NORMS), paper="rotrnn"
    ),
    "rotrnn:lemma3": Reading(_NORMS, side=3),
    "rotrnn:lemma3 corrected": Reading(_NORMS),
    "rotrnn:text:decay": Reading(_NORMS, side=1),
    "blur:23": Reading(_BARRON),
    "blur:text:constant": Reading(_BARRON),
    "sigprop:ring-any-input": Reading({"R": lambda lag: sympify(1)}, side=-2),
    **OF_GATES,
    **OF_LAYERS,
    "sigprop:hessian-pair": Reading({"P": "alpha*beta"}, side=1),
    "sigprop:hessian-off-diagonal": Reading(_MODE),
    "sigprop:hessian-trace-polar": Reading(_MODE),
    "sigprop:hessian-dense-pair": Reading(
        {f"{x}_{k}": f"{x}_{k}" for x in "xy" for k in "12"}, side=1
    ),
}

_PRODUCTS = "zucchet:124 zucchet:124!"
_STANDING_IN = """
    zucchet:119 zucchet:120 zucchet:121 zucchet:text:hessian-mixed-conjugate
    lru:9 lru:10 lru:11 lru:12 lru:13 lru:14 lru:21 lru:21!
"""
_LIMITS = """
    zucchet:text:modulus-only zucchet:text:phase-needs-modulus zucchet:text:tanh
    zucchet:text:scaled-phase zucchet:text:hessian-constant-input lru:text:granularity
    rotrnn:text:forgetting blur:text:width blur:text:width!
"""
_WORDED = """
    zucchet:text:c1-exact-loss zucchet:text:c1-angle-moves-with-modulus
    zucchet:text:c1-fewer-minima zucchet:fig7-granularity zucchet:text:c1-rate-by-input
    zucchet:text:effective-rate zucchet:fig11 lru:fig3
"""
IN_WORDS = "it is in words, for which the form stands"
LIMIT = "it is an order or a limit, and the form what grows or tends"
STAND_IN = "a function or a signal stands in for every other"
MATRIX = "it is a matrix, and the form one number made of its entries"


def _unread(reason: str, names: str) -> dict[str, str]:
    return dict.fromkeys(
        (name.replace("!", " corrected") for name in names.split()), reason
    )


UNREAD: Mapping[str, str] = {
    **_unread("it is a recursion, and the form the moment that it gives", "zucchet:7"),
    **_unread("it is a choice, and the form the curvature under it", "zucchet:110"),
    **_unread("it is a derivative of a product that is judged carried out", _PRODUCTS),
    **_unread("an expectation of zero stands in it", "lru:6"),
    **_unread("it has an arc tangent, which the reader does not know", "zucchet:fig6"),
    **_unread(
        "it is two equations, and the form their product", "zucchet:text:c1-lru-polar"
    ),
    **_unread("it is an interval, and the form one end", "zucchet:text:time-interval"),
    **_unread(
        "it is a distribution, and the form its distribution function",
        "lru:33 lru:34 lru:35 lru:36 lru:37",
    ),
    **_unread(
        "it is a rule for parameters, and the form the moment that it gives", "lru:7"
    ),
    **_unread(STAND_IN, _STANDING_IN),
    **_unread(MATRIX, "zucchet:115 zucchet:140 zucchet:143"),
    **_unread(LIMIT, _LIMITS),
    **_unread(IN_WORDS, _WORDED),
}


def is_read(claim_id: str, corrected: bool) -> bool:
    """True if the statement of a row, or its correction, can be parsed."""
    return (f"{claim_id} corrected" if corrected else claim_id) not in UNREAD


def reading_of(claim_id: str, corrected: bool) -> Reading:
    """Return the rules to read the statement of a row, or its correction."""
    stated = READINGS.get(claim_id, Reading())
    return READINGS.get(f"{claim_id} corrected", stated) if corrected else stated
