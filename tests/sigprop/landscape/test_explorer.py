"""The explorer computes what Python does, and a reader can use it by every means."""

import base64
import json
import math
import sys

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import optax
import pytest

from sigprop import landscape
from sigprop.inputs import AR1
from sigprop.landscape import explorer, javascript
from sigprop.tasks.one_dimensional import Coordinates, OneDimensional, Parametrisation
from tests.theory.test_real_loss import four_moments

ACCURACY = 1e-6  # relative, of values and steps
PYTHON = {
    "polar": Parametrisation("plain", "plain"),
    "exp": Parametrisation("exponential", "exponential"),
    "tanh": Parametrisation("tanh", "optimal"),
}
PARAMETRISATIONS = (*PYTHON, "real")
OPTIMISERS = {
    "descent": lambda rate, beta: optax.sgd(rate),
    "momentum": optax.sgd,
    "adam": lambda rate, beta: optax.adam(rate, beta),
}


def load(browser, text):
    """A page that has imported the module's text, as ``explorer``."""
    page = browser.open("about:blank")
    url = "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
    page.evaluate("async url => { window.explorer = await import(url) }", url)
    return page


def test_the_formulas_and_settings_are_those_of_python():
    assert javascript.with_formulas(explorer.module()) == explorer.module(), (
        "run python -m sigprop.landscape.javascript"
    )
    with pytest.raises(ValueError, match="need // <formulas>"):
        javascript.with_formulas("no formulas")


def test_a_function_that_jets_lack_is_refused():
    a = javascript.a
    printer = javascript.JetPrinter({a})
    assert printer.doprint(javascript.cos(a) ** 2) == "mul(cos(a), cos(a))"
    with pytest.raises(ValueError, match="need an expression that jets have"):
        printer.doprint(a ** javascript.Rational(1, 3))


def points(count):
    """Students, teachers, correlations and shares, some near the boundary or each other."""
    draw = np.random.default_rng(7)
    rows = []
    for index in range(count):
        gaps = 10 ** draw.uniform(-3, 0, 2)
        angles = draw.uniform(-math.pi, math.pi, 2)
        teacher = (1 - gaps[0]) * np.exp(1j * angles[0])
        student = (1 - gaps[1]) * np.exp(1j * angles[1])
        if index % 4 == 0:
            student = teacher + 0.3 * gaps[0] * 10 ** draw.uniform(-6, 0) * student
        share = draw.choice([0, 1, draw.uniform()])
        parts = [z for one in (student, teacher) for z in (one.real, one.imag)]
        rows.append([*map(float, parts), draw.uniform(-0.95, 0.99), float(share)])
    return rows


VALUES = """rows => rows.map(([x, y, u, v, rho, share]) => [
  explorer.lossOf({ u, v, rho, share })(x, y),
  explorer.lossAt({ u, v, rho, share }, "real", x, y).f])"""


def worst(page, rows):
    """The largest relative error of both functions of the loss, to Lemma 1 in 60 digits."""
    errors = []
    for row, values in zip(rows, page.evaluate(VALUES, rows), strict=True):
        with mpmath.workdps(60):
            exact = mpmath.re(four_moments(*map(mpmath.mpf, row), module=mpmath))
            errors += [float(abs(value / exact - 1)) for value in values]
    return max(errors)


@pytest.mark.browser
def test_values_are_those_of_the_theory(browser):
    page = load(browser, explorer.module())
    assert worst(page, points(200)) < ACCURACY / 100


@pytest.mark.browser
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("const n = x*x + y*y;", "const n = x*x - y*y;"),
        ("const white = 1 - rho*rho;", "const white = 1 - rho;"),
        ("const p = -share*(", "const p = share*("),
        ("const n = add(mul(x, x), mul(y, y));", "const n = mul(x, x);"),
    ],
)
def test_a_wrong_formula_is_seen(browser, right, wrong):
    text = explorer.module()
    assert right in text
    page = load(browser, text.replace(right, wrong))
    assert not worst(page, points(20)) < ACCURACY


@pytest.mark.browser
@pytest.mark.parametrize("normalised", [False, True])
def test_values_are_those_of_the_surface(browser, normalised, x64):
    page = load(browser, explorer.module())
    teacher, rho = 0.93 * np.exp(0.7j), 0.6
    task = OneDimensional(teacher, normalised, AR1(rho))
    side = np.linspace(-0.95, 0.9, 7)
    expected = np.asarray(landscape.surface(task, side, side))
    rows = [
        [x, y, teacher.real, teacher.imag, rho, float(normalised)]
        for x in side.tolist()
        for y in side.tolist()
        if math.hypot(x, y) < 1
    ]
    found = [both[0] for both in page.evaluate(VALUES, rows)]
    np.testing.assert_allclose(found, expected[np.isfinite(expected)], rtol=ACCURACY)


def loss_in(task, parametrisation):
    """The loss of two parameters, by JAX."""
    if parametrisation == "real":
        return lambda at: task.loss(jnp.hypot(at[0], at[1]), jnp.arctan2(at[1], at[0]))
    return lambda at: task.loss(*PYTHON[parametrisation].polar(Coordinates(*at)))


def parameters(parametrisation, modulus, angle):
    if parametrisation == "real":
        return jnp.array([modulus * math.cos(angle), modulus * math.sin(angle)])
    return jnp.stack(PYTHON[parametrisation].coordinates(modulus, angle))


@pytest.mark.browser
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("name", PARAMETRISATIONS)
def test_derivatives_are_those_of_python(browser, name, normalised, x64):
    page = load(browser, explorer.module())
    task = OneDimensional(0.9 * np.exp(-0.4j), normalised, AR1(-0.35))
    loss = loss_in(task, name)
    for modulus, angle in ((0.6, 0.8), (0.97, 0.1), (0.3, 2.5)):
        at = parameters(name, modulus, angle)
        gradient, hessian = jax.grad(loss)(at), jax.hessian(loss)(at)
        found = page.evaluate(
            """([task, name, x, y]) => {
              const at = explorer.parametersOf(name, x, y);
              const { f, a, b, aa, ab, bb } = explorer.lossAt(task, name, ...at);
              return [...at, f, a, b, aa, ab, ab, bb];
            }""",
            [
                {
                    "u": task.teacher.real,
                    "v": task.teacher.imag,
                    "rho": -0.35,
                    "share": float(normalised),
                },
                name,
                modulus * math.cos(angle),
                modulus * math.sin(angle),
            ],
        )
        expected = [*at, loss(at), *gradient, *hessian.ravel()]
        np.testing.assert_allclose(found, np.array(expected), rtol=1e-8, atol=1e-10)


RATES = {"descent": 0.02, "momentum": 0.006, "adam": 0.03}
DESCEND = """([settings, start]) => explorer.descend(
  explorer.taskOf(settings), settings,
  explorer.parametersOf(settings.parametrisation, ...start))"""


@pytest.mark.browser
@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("name", PARAMETRISATIONS)
def test_descents_are_those_of_python_step_by_step(browser, name, optimiser, x64):
    page = load(browser, explorer.module())
    rate, beta, steps, normalised = RATES[optimiser], 0.8, 150, name != "polar"
    modulus, angle, rho = 0.8, 0.9, 0.45
    task = OneDimensional(modulus * np.exp(1j * angle), normalised, AR1(rho))
    loss = loss_in(task, name)
    at = parameters(name, 0.55, 0.5)
    update = OPTIMISERS[optimiser](rate, beta)
    state = update.init(at)
    places, losses, curvatures = [], [], []
    both = jax.jit(jax.value_and_grad(loss))
    hessian = jax.jit(jax.hessian(loss))
    for step in range(steps + 1):
        value, gradient = both(at)
        places.append(np.asarray(at))
        losses.append(float(value))
        moved, state = update.update(gradient, state)
        scales = jnp.ones(2)
        if optimiser == "adam":
            squares = state[0].nu / (1 - 0.999 ** (step + 1))
            scales = jnp.sqrt(squares) + 1e-8
        scaled = hessian(at) / jnp.sqrt(jnp.outer(scales, scales))
        curvatures.append(float(jnp.linalg.eigvalsh(scaled)[-1]))
        at = at + moved
    settings = {
        "modulus": modulus,
        "angle": angle,
        "rho": rho,
        "share": float(normalised),
        "parametrisation": name,
        "optimiser": optimiser,
        "rate": rate,
        "beta": beta,
        "steps": steps,
    }
    start = [0.55 * math.cos(0.5), 0.55 * math.sin(0.5)]
    found = page.evaluate(DESCEND, [settings, start])
    assert not found["left"]
    assert losses[-1] < 0.5 * losses[0]
    np.testing.assert_allclose(found["parameters"], places, rtol=ACCURACY)
    np.testing.assert_allclose(found["losses"], losses, rtol=ACCURACY, atol=1e-13)
    np.testing.assert_allclose(found["curvatures"], curvatures, rtol=ACCURACY)


@pytest.mark.browser
def test_a_descent_ends_where_it_leaves_the_stable_students(browser):
    page = load(browser, explorer.module())
    settings = explorer.DEFAULTS | {"rate": 1.0, "share": 0.0}
    found = page.evaluate(DESCEND, [settings, [0.9, 0.3]])
    assert found["left"]
    assert 0 < len(found["losses"]) < 20
    assert all(abs(a) < 1 for a, _ in found["parameters"])


@pytest.mark.browser
@pytest.mark.parametrize("optimiser", ["descent", "momentum"])
def test_the_bound_of_the_rate_divides_descents_that_settle_from_others(
    browser, optimiser
):
    page = load(browser, explorer.module())
    settings = explorer.DEFAULTS | {"optimiser": optimiser, "beta": 0.6, "steps": 5000}
    lam = 0.99 * np.exp(1j * math.pi / 8)
    largest = page.evaluate(
        """settings => {
          const task = explorer.taskOf(settings);
          const at = explorer.parametersOf("polar", task.u, task.v);
          const { aa, ab, bb } = explorer.lossAt(task, "polar", ...at);
          return explorer.bound(settings.optimiser, settings.beta)
            / explorer.eigenvalues(aa, ab, bb)[0];
        }""",
        settings,
    )
    beside = [lam.real + 1e-9, lam.imag]
    ends = [
        page.evaluate(DESCEND, [settings | {"rate": factor * largest}, beside])
        for factor in (0.97, 1.03)
    ]
    assert ends[0]["losses"][-1] < 1e-3 * ends[0]["losses"][0]
    assert ends[1]["left"] or ends[1]["losses"][-1] > 1e3 * ends[1]["losses"][0]


def test_settings_are_checked():
    given = {"rho": 0.5, "start": 0.2 + 0.1j}
    assert explorer.settings(given) == explorer.DEFAULTS | {
        "rho": 0.5,
        "start": [0.2, 0.1],
    }
    for wrong, message in (
        ({"rhoo": 0.5}, "need a setting in modulus, angle"),
        ({"rho": 1.0}, r"need rho in \[-0.95, 0.99\], got 1"),
        ({"optimiser": "lion"}, "need optimiser in descent, momentum, adam"),
        ({"steps": 100.5}, "need steps a whole number"),
        ({"start": 1.0}, r"need a stable student as start, \|lam\| < 1"),
        ({"start": "there"}, "need an eigenvalue as start, got 'there'"),
    ):
        with pytest.raises(ValueError, match=message):
            explorer.settings(wrong)


def test_the_widget_has_the_settings_and_html_beside_it():
    widget = landscape.explore(rho=0.25, start=0.2 + 0.1j)
    assert (widget.rho, widget.start, widget.losses) == (0.25, [0.2, 0.1], [])
    data, _ = widget._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    widget.rho = -0.5
    html = widget._repr_mimebundle_()[0]["text/html"]
    assert html == landscape.fragment(rho=-0.5, start=0.2 + 0.1j)
    assert explorer.module() in html
    assert "&quot;rho&quot;: -0.5" in html


def test_without_anywidget_one_line_says_what_to_install(monkeypatch):
    explorer._widget.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ModuleNotFoundError) as refused:
        landscape.explore()
    assert str(refused.value) == (
        "need anywidget for landscape.explore, got none; run "
        "`pip install 'sigprop[notebooks]'`"
    )
    assert "data-explorer" in landscape.fragment()


MODEL = """() => {
  const values = JSON.parse(defaults), listeners = [];
  window.saved = 0;
  window.model = {
    values,
    get: key => values[key],
    set(key, value) {
      values[key] = value;
      for (const [events, listener] of listeners)
        if (events.split(" ").includes("change:" + key)) listener();
    },
    save_changes() { window.saved++; },
    on(events, listener) { listeners.push([events, listener]); },
    off(events, listener) {
      listeners.splice(listeners.findIndex(one => one[1] === listener), 1);
    },
    listeners,
  };
  window.end = explorer.default.render({ model, el: document.body });
}"""


@pytest.mark.browser
def test_jupyter_and_the_widget_tell_each_other_their_settings(browser):
    page = load(browser, explorer.module())
    page.evaluate("text => { window.defaults = text }", json.dumps(explorer.DEFAULTS))
    page.evaluate(MODEL)
    slider = page.get_by_label("Input correlation")
    slider.fill("0.5")
    page.wait_for_function("window.saved > 0")
    assert page.evaluate("model.values.rho") == 0.5
    assert len(page.evaluate("model.values.losses")) == 1001
    page.evaluate("model.set('rho', -0.25)")
    page.wait_for_function("document.querySelector('div').explorer.settings().rho < 0")
    page.wait_for_function(
        "document.querySelector('div').shadowRoot.querySelector('[data-told=rho]')"
        ".textContent === 'ρ = −0.25'"
    )
    page.evaluate("end()")
    assert page.evaluate("model.listeners.length") == 0
    assert page.locator("canvas").count() == 0
