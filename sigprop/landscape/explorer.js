// An explorable landscape: the exact loss of one linear unit, the student, that learns
// another, the teacher.  The module has no dependencies.  A page of the site, a notebook
// and Jupyter's anywidget use it alike: `mount(element, settings)`.
//
// 1. Jets: values with first and second derivatives by two parameters.
// 2. Formulas, written by Python from the theory.
// 3. Descents.
// 4. Charts: where an eigenvalue lies on the map.
// 5. Pictures: the map, and curves along a descent.
// 6. Controls.

// ---- 1. Jets ----

const jet = (f, a, b, aa, ab, bb) => ({ f, a, b, aa, ab, bb });
const add = (s, t) =>
  jet(s.f + t.f, s.a + t.a, s.b + t.b, s.aa + t.aa, s.ab + t.ab, s.bb + t.bb);
const mul = (s, t) =>
  jet(
    s.f * t.f,
    s.a * t.f + s.f * t.a,
    s.b * t.f + s.f * t.b,
    s.aa * t.f + 2 * s.a * t.a + s.f * t.aa,
    s.ab * t.f + s.a * t.b + s.b * t.a + s.f * t.ab,
    s.bb * t.f + 2 * s.b * t.b + s.f * t.bb,
  );
const scale = (s, k) => jet(k * s.f, k * s.a, k * s.b, k * s.aa, k * s.ab, k * s.bb);
const shift = (s, k) => jet(s.f + k, s.a, s.b, s.aa, s.ab, s.bb);
// A function of a jet, from its value and two derivatives.
const chain = (s, f, first, second) =>
  jet(
    f,
    first * s.a,
    first * s.b,
    first * s.aa + second * s.a * s.a,
    first * s.ab + second * s.a * s.b,
    first * s.bb + second * s.b * s.b,
  );
const over = s => chain(s, 1 / s.f, -1 / s.f ** 2, 2 / s.f ** 3);
const root = s => {
  const f = Math.sqrt(s.f);
  return chain(s, f, 0.5 / f, -0.25 / (f * s.f));
};
const exp = s => chain(s, Math.exp(s.f), Math.exp(s.f), Math.exp(s.f));
const sin = s => chain(s, Math.sin(s.f), Math.cos(s.f), -Math.sin(s.f));
const cos = s => chain(s, Math.cos(s.f), -Math.sin(s.f), -Math.cos(s.f));
const tanh = s => {
  const f = Math.tanh(s.f);
  const first = 1 - f * f;
  return chain(s, f, first, -2 * f * first);
};

// ---- 2. Formulas ----

// <formulas> Written by python -m sigprop.landscape.javascript; do not edit.
// The loss of the student x + iy beside the teacher u + iv, for inputs of
// autocovariance rho^|lag| and gains sqrt(1 - share |lambda|^2).
export function lossOf({ u, v, rho, share }) {
  const m = u*u + v*v;
  const white = 1 - rho*rho;
  const teacher = rho*rho*v*v + (-rho*u + 1)*(-rho*u + 1);
  const state = (rho*rho + white/(1 - m))/teacher;
  const g_star = Math.sqrt(-m*share + 1);
  return (x, y) => {
    const n = x*x + y*y;
    const apart_re = -u + x;
    const apart_im = -v + y;
    const cross_re = -u*x - v*y + 1;
    const cross_im = -u*y + v*x;
    const nearness = white/((1 - m)*(cross_im*cross_im + cross_re*cross_re));
    const student_re = -rho*x + 1;
    const student_im = -rho*y;
    const slow = 1/(teacher*(student_im*student_im + student_re*student_re));
    const product_re = u*x - v*y;
    const product_im = u*y + v*x;
    const turn_re = u*(1 - n) + x*(1 - m);
    const turn_im = v*(1 - n) + y*(1 - m);
    const rest = -2*rho*(product_im*turn_im + product_re*turn_re) + (-m*n + 1)*(m*n*rho*rho + 1);
    const filtered = slow*(nearness*rest/(1 - n) + rho*rho);
    const above_re = -m*rho*v*y + u*(-m*rho*x + 1);
    const above_im = -m*rho*u*y - v*(-m*rho*x + 1);
    const inner_re = nearness*(above_im*cross_im + above_re*cross_re) + rho;
    const inner_im = nearness*(above_im*cross_re - above_re*cross_im);
    const moment_re = slow*(inner_im*student_im + inner_re*student_re);
    const moment_im = slow*(inner_im*student_re - inner_re*student_im);
    const g = Math.sqrt(-n*share + 1);
    const p = -share*(apart_im*(v + y) + apart_re*(u + x))/(g + g_star);
    const loss = (1/2)*filtered*g*g*(apart_im*apart_im + apart_re*apart_re) + g*p*(-apart_im*moment_im + apart_re*moment_re) + (1/2)*p*p*state;
    return loss;
  };
}

// The loss of a student that is silent: half the teacher's power.
export function silentOf({ u, v, rho, share }) {
  const m = u*u + v*v;
  const white = 1 - rho*rho;
  const teacher = rho*rho*v*v + (-rho*u + 1)*(-rho*u + 1);
  const state = (rho*rho + white/(1 - m))/teacher;
  const g_star = Math.sqrt(-m*share + 1);
  return (1/2)*g_star*g_star*state;
}

// The loss at two jets.
function lossJet({ u, v, rho, share }, x, y) {
  const m = u*u + v*v;
  const white = 1 - rho*rho;
  const teacher = rho*rho*v*v + (-rho*u + 1)*(-rho*u + 1);
  const state = (rho*rho + white/(1 - m))/teacher;
  const g_star = Math.sqrt(-m*share + 1);
  const n = add(mul(x, x), mul(y, y));
  const apart_re = shift(x, -u);
  const apart_im = shift(y, -v);
  const cross_re = shift(add(scale(x, -u), scale(y, -v)), 1);
  const cross_im = add(scale(x, v), scale(y, -u));
  const nearness = scale(over(add(mul(cross_im, cross_im), mul(cross_re, cross_re))), white/(1 - m));
  const student_re = shift(scale(x, -rho), 1);
  const student_im = scale(y, -rho);
  const slow = scale(over(add(mul(student_im, student_im), mul(student_re, student_re))), 1/teacher);
  const product_re = add(scale(x, u), scale(y, -v));
  const product_im = add(scale(y, u), scale(x, v));
  const turn_re = add(scale(shift(scale(n, -1), 1), u), scale(x, 1 - m));
  const turn_im = add(scale(shift(scale(n, -1), 1), v), scale(y, 1 - m));
  const rest = add(mul(shift(scale(n, -m), 1), shift(scale(n, m*rho*rho), 1)), scale(add(mul(product_im, turn_im), mul(product_re, turn_re)), -2*rho));
  const filtered = mul(slow, shift(mul(mul(nearness, rest), over(shift(scale(n, -1), 1))), rho*rho));
  const above_re = add(scale(shift(scale(x, -m*rho), 1), u), scale(y, -m*rho*v));
  const above_im = add(scale(shift(scale(x, -m*rho), 1), -v), scale(y, -m*rho*u));
  const inner_re = shift(mul(nearness, add(mul(above_im, cross_im), mul(above_re, cross_re))), rho);
  const inner_im = mul(nearness, add(mul(above_im, cross_re), scale(mul(above_re, cross_im), -1)));
  const moment_re = mul(slow, add(mul(inner_im, student_im), mul(inner_re, student_re)));
  const moment_im = mul(slow, add(mul(inner_im, student_re), scale(mul(inner_re, student_im), -1)));
  const g = root(shift(scale(n, -share), 1));
  const p = scale(mul(over(shift(g, g_star)), add(mul(apart_im, shift(y, v)), mul(apart_re, shift(x, u)))), -share);
  const loss = add(add(scale(mul(p, p), (1/2)*state), mul(mul(g, p), add(mul(apart_re, moment_re), scale(mul(apart_im, moment_im), -1)))), scale(mul(mul(filtered, mul(g, g)), add(mul(apart_im, apart_im), mul(apart_re, apart_re))), 1/2));
  return loss;
}

// Eigenvalues x + iy of two parameters, and parameters of modulus and angle.
const MAPS = {
  polar: {
    to(a, b) {
      const modulus = a;
      const angle = b;
      return [modulus*Math.cos(angle), modulus*Math.sin(angle)];
    },
    jets(a, b) {
      const modulus = a;
      const angle = b;
      return [mul(modulus, cos(angle)), mul(modulus, sin(angle))];
    },
    from: (modulus, angle) => [modulus, angle],
  },
  exp: {
    to(a, b) {
      const modulus = Math.exp(-Math.exp(a));
      const angle = Math.exp(b);
      return [modulus*Math.cos(angle), modulus*Math.sin(angle)];
    },
    jets(a, b) {
      const modulus = exp(scale(exp(a), -1));
      const angle = exp(b);
      return [mul(modulus, cos(angle)), mul(modulus, sin(angle))];
    },
    from: (modulus, angle) => [Math.log(-Math.log(modulus)), Math.log(angle)],
  },
  tanh: {
    to(a, b) {
      const modulus = Math.tanh(a);
      const angle = b*(1 - modulus*modulus)/(modulus*Math.sqrt(modulus*modulus + 1));
      return [modulus*Math.cos(angle), modulus*Math.sin(angle)];
    },
    jets(a, b) {
      const modulus = tanh(a);
      const angle = mul(mul(mul(b, over(modulus)), over(root(shift(mul(modulus, modulus), 1)))), shift(scale(mul(modulus, modulus), -1), 1));
      return [mul(modulus, cos(angle)), mul(modulus, sin(angle))];
    },
    from: (modulus, angle) => [Math.atanh(modulus), -angle*modulus*Math.sqrt(modulus*modulus + 1)/(modulus*modulus - 1)],
  },
};

// Settings: where they start, what they may be, and their ranges.
const DEFAULTS = {
  modulus: 0.99,
  angle: 0.39269908169872414,
  rho: 0.0,
  share: 1.0,
  parametrisation: "polar",
  optimiser: "descent",
  rate: 0.0004,
  beta: 0.9,
  steps: 1000,
  start: [0.9, 0.17],
  view: "disc",
};
const CHOICES = {
  parametrisation: ["polar", "exp", "tanh", "real"],
  optimiser: ["descent", "momentum", "adam"],
  view: ["disc", "parameters"],
};
const RANGES = {
  modulus: [0.0, 0.999],
  angle: [-3.141592653589793, 3.141592653589793],
  rho: [-0.95, 0.99],
  share: [0.0, 1.0],
  rate: [1e-06, 10.0],
  beta: [0.0, 0.99],
  steps: [20, 5000],
};
// </formulas>

// ---- 3. Descents ----

const RATE_OF_SQUARES = 0.999; // Adam's second decay rate
const EPSILON = 1e-8; // Adam's

export const PARAMETRISATIONS = {
  polar: MAPS.polar,
  exp: MAPS.exp,
  tanh: MAPS.tanh,
  real: {
    to: (a, b) => [a, b],
    jets: (a, b) => [a, b],
    from: (modulus, angle) => [modulus * Math.cos(angle), modulus * Math.sin(angle)],
  },
};

// A teacher and its inputs, as the formulas take them.
export function taskOf({ modulus, angle, rho, share }) {
  return { u: modulus * Math.cos(angle), v: modulus * Math.sin(angle), rho, share };
}

// The loss at two parameters, with its derivatives by them.
export function lossAt(task, parametrisation, a, b) {
  const { jets } = PARAMETRISATIONS[parametrisation];
  const [x, y] = jets(jet(a, 1, 0, 0, 0, 0), jet(b, 0, 1, 0, 0, 0));
  return lossJet(task, x, y);
}

// The parameters of an eigenvalue.  An exponential makes only positive angles.
export function parametersOf(parametrisation, x, y) {
  let angle = Math.atan2(y, x);
  if (parametrisation === "exp" && angle <= 0) angle += 2 * Math.PI;
  return PARAMETRISATIONS[parametrisation].from(Math.hypot(x, y), angle);
}

// The eigenvalues of a symmetric matrix, the larger first.
export function eigenvalues(aa, ab, bb) {
  const mean = (aa + bb) / 2;
  const radius = Math.hypot((aa - bb) / 2, ab);
  return [mean + radius, mean - radius];
}

// What rate times curvature may be at most.  Momentum: Goh (2017).  Adam: of the
// curvature divided by Adam's scales, Cohen et al. (2022).
export function bound(optimiser, beta) {
  if (optimiser === "adam") return (2 + 2 * beta) / (1 - beta);
  return optimiser === "momentum" ? 2 + 2 * beta : 2;
}

// A descent from two parameters: the parameters, losses and largest curvatures of steps
// 0, 1, ...  Adam's curvatures are divided by its scales.  It ends early where it leaves
// the stable students.
export function descend(task, training, start) {
  const { parametrisation, optimiser, rate, beta, steps } = training;
  const { to } = PARAMETRISATIONS[parametrisation];
  const parameters = [];
  const losses = [];
  const curvatures = [];
  let [a, b] = start;
  let [ma, mb, sa, sb] = [0, 0, 0, 0];
  for (let i = 0; ; i++) {
    const [x, y] = to(a, b);
    const here = lossAt(task, parametrisation, a, b);
    if (!(x * x + y * y < 1) || !Number.isFinite(here.f)) break;
    let [da, db] = [here.a, here.b];
    let [pa, pb] = [1, 1]; // what the gradient is divided by
    if (optimiser === "adam") {
      ma = beta * ma + (1 - beta) * da;
      mb = beta * mb + (1 - beta) * db;
      sa = RATE_OF_SQUARES * sa + (1 - RATE_OF_SQUARES) * da * da;
      sb = RATE_OF_SQUARES * sb + (1 - RATE_OF_SQUARES) * db * db;
      const first = 1 - beta ** (i + 1);
      const second = 1 - RATE_OF_SQUARES ** (i + 1);
      pa = Math.sqrt(sa / second) + EPSILON;
      pb = Math.sqrt(sb / second) + EPSILON;
      da = ma / first / pa;
      db = mb / first / pb;
    } else if (optimiser === "momentum") {
      da = ma = beta * ma + da;
      db = mb = beta * mb + db;
    }
    parameters.push([a, b]);
    losses.push(here.f);
    const mixed = here.ab / Math.sqrt(pa * pb);
    curvatures.push(eigenvalues(here.aa / pa, mixed, here.bb / pb)[0]);
    if (i === steps) break;
    a -= rate * da;
    b -= rate * db;
  }
  return { parameters, losses, curvatures, left: losses.length <= steps };
}

// ---- 4. Charts ----

// A chart lays eigenvalues out on the map: h to the right, v upward.
const turnOf = (parametrisation, modulus) =>
  PARAMETRISATIONS[parametrisation].from(modulus, Math.PI)[1];

const CHARTS = {
  disc: {
    window: () => [-1.07, 1.07, -1.07, 1.07],
    to: (h, v) => [h, v],
    from: (x, y) => [x, y],
    names: ["Re λ", "Im λ"],
  },
  polar: { window: () => [-0.5, 3.4, 0, 1.04] },
  exp: { window: () => [-4.2, 1.4, 1.2, -8.5] },
  tanh: {
    window: ({ modulus }) => {
      const turn = turnOf("tanh", modulus);
      return [-turn / 6, 1.1 * turn, 0.3, 4.4];
    },
  },
};
for (const name of ["polar", "exp", "tanh"])
  Object.assign(CHARTS[name], {
    to: (h, v) => MAPS[name].to(v, h),
    from: (x, y) => {
      const [a, b] = parametersOf(name, x, y);
      return [b, a];
    },
    names: ["ω_θ: angle", "ω_ν: modulus"],
  });

const chartOf = ({ view, parametrisation }) =>
  view === "parameters" && parametrisation !== "real" ? parametrisation : "disc";

// ---- 5. Pictures ----

const THEMES = {
  light: {
    ink: "#1b1f24", quiet: "#59616c", line: "#d5d9df", soft: "#f3f5f7", page: "#ffffff",
    link: "#0b5cad", path: "#d9480f", halo: "#ffffff", loss: "#0b5cad", bend: "#d9480f",
  },
  dark: {
    ink: "#e6e9ed", quiet: "#a1a9b4", line: "#39414b", soft: "#1f242b", page: "#14171b",
    link: "#7cbcf5", path: "#ff8a4c", halo: "#14171b", loss: "#7cbcf5", bend: "#ff8a4c",
  },
};
// From a large loss to a small one.
const RAMP = [
  [22, 20, 62], [38, 47, 111], [34, 87, 139], [32, 126, 148], [63, 163, 147],
  [126, 196, 138], [194, 223, 142], [246, 243, 176], [255, 253, 231],
];
const SHADES = 1024;
const ramp = new Uint8Array(3 * (SHADES + 1));
for (let i = 0; i <= SHADES; i++) {
  const place = (i / SHADES) * (RAMP.length - 1);
  const low = Math.min(Math.floor(place), RAMP.length - 2);
  for (let k = 0; k < 3; k++)
    ramp[3 * i + k] = RAMP[low][k] + (place - low) * (RAMP[low + 1][k] - RAMP[low][k]);
}
const DEPTH = 2; // decades below the plateau that are shown, unzoomed
const DARKEST = -0.12; // the first shade's level
const LINES = 24; // contours from level 0 to level 1

// The level at every pixel: the root of the decades below the plateau, which is twice the
// loss of a silent student, in the unit of all that are shown.  The root tells apart what
// is near the plateau.  Outside the stable students it is not a number.
function levelsOf(scene, width, height, levels) {
  const { loss, silent, chart, other, blend, window, otherWindow, view } = scene;
  const [left, right, bottom, top] = window;
  const plateau = Math.log(2 * silent);
  const unit = 1 / (Math.log(10) * (DEPTH + 2 * Math.log10(Math.max(1, view.zoom))));
  for (let j = 0; j < height; j++) {
    const t = view.y - ((j + 0.5) / height - 0.5) / view.zoom;
    const v = bottom + t * (top - bottom);
    for (let i = 0; i < width; i++) {
      const s = view.x + ((i + 0.5) / width - 0.5) / view.zoom;
      let [x, y] = chart.to(left + s * (right - left), v);
      if (other) {
        const [l, r, b, u] = otherWindow;
        const [ox, oy] = other.to(l + s * (r - l), b + t * (u - b));
        x += blend * (ox - x);
        y += blend * (oy - y);
      }
      let level = NaN;
      if (x * x + y * y < 1) {
        const below = (plateau - Math.log(loss(x, y))) * unit;
        level = below < 0 ? -Math.sqrt(-below) : Math.sqrt(below);
      }
      levels[j * width + i] = level;
    }
  }
}

// Colours and contours of the levels.
function paint(levels, width, height, pixels) {
  const shade = SHADES / (1 - DARKEST);
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const k = j * width + i;
      const level = levels[k];
      if (level !== level) {
        pixels[k] = 0;
        continue;
      }
      const index = Math.min(SHADES, Math.max(0, ((level - DARKEST) * shade) | 0)) * 3;
      let r = ramp[index];
      let g = ramp[index + 1];
      let b = ramp[index + 2];
      const across = level - levels[i ? k - 1 : k + 1];
      const down = level - levels[j ? k - width : k + width];
      const steep = LINES * Math.sqrt(across * across + down * down);
      if (steep < 0.5 && level < 1.2) {
        const phase = level * LINES;
        const apart = Math.abs(phase - Math.round(phase)) / steep;
        if (apart < 1) {
          const weight = 0.33 * (1 - apart);
          r -= weight * (r - 20);
          g -= weight * (g - 24);
          b -= weight * (b - 60);
        }
      }
      pixels[k] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
}

// Round numbers between two ends, about so many.
function ticks(low, high, count) {
  const raw = Math.abs(high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= raw);
  const found = [];
  const [first, last] = [Math.min(low, high), Math.max(low, high)];
  for (let i = Math.ceil(first / step); i * step <= last; i++) found.push(i * step);
  return found.map(value => +value.toPrecision(12));
}

const superscript = text => text.replace(/./g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
// A number for people: 0.0123, 1.2×10⁻⁵.
export function shown(value, digits = 3) {
  if (!Number.isFinite(value)) return "∞";
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4))
    return String(+value.toPrecision(digits)).replace("-", "−");
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const text = `${+mantissa}×10${superscript(power.replace("+", ""))}`;
  return text.replace(/^-/, "−");
}

// A canvas as sharp as its screen; the context draws in CSS pixels.
function fit(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const density = globalThis.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// Curves over steps on a logarithmic axis, a dashed limit, and a mark at one step.
function drawCurve(canvas, theme, options) {
  const { values, steps, colour, limit, limitName, floor = 0, head } = options;
  const { context: c, width, height } = fit(canvas);
  const [x0, x1, y0, y1] = [44, width - 10, 10, height - 22];
  let low = Infinity;
  let high = -Infinity;
  for (const value of limit ? [...values, limit] : values)
    if (value > floor) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(low <= high)) return;
  low = Math.floor(Math.log10(low) - 0.05);
  high = Math.ceil(Math.log10(high) + 0.05);
  const xOf = i => x0 + ((x1 - x0) * i) / steps;
  const yOf = value =>
    y0 + ((y1 - y0) * (high - Math.log10(Math.max(value, 1e-300)))) / (high - low);
  c.font = "11px system-ui, sans-serif";
  c.fillStyle = theme.quiet;
  c.strokeStyle = theme.line;
  c.lineWidth = 1;
  c.textAlign = "right";
  c.textBaseline = "middle";
  const stride = Math.ceil((high - low) / 5);
  for (let power = low; power <= high; power += stride) {
    const at = Math.round(yOf(10 ** power)) + 0.5;
    c.beginPath();
    c.moveTo(x0, at);
    c.lineTo(x1, at);
    c.stroke();
    c.fillText(`10${superscript(String(power))}`, x0 - 6, at);
  }
  c.textBaseline = "alphabetic";
  for (const i of ticks(0, steps, 4)) {
    c.textAlign = i === 0 ? "left" : xOf(i) > x1 - 14 ? "right" : "center";
    c.fillText(i, xOf(i), height - 6);
  }
  c.save();
  c.beginPath();
  c.rect(x0, y0 - 4, x1 - x0 + 4, y1 - y0 + 8);
  c.clip();
  if (limit) {
    c.setLineDash([5, 4]);
    c.strokeStyle = theme.ink;
    c.lineWidth = 1.3;
    c.beginPath();
    c.moveTo(x0, yOf(limit));
    c.lineTo(x1, yOf(limit));
    c.stroke();
    c.setLineDash([]);
  }
  const curve = (first, last, alpha) => {
    c.globalAlpha = alpha;
    c.beginPath();
    let pen = false;
    for (let i = first; i <= last; i++) {
      if (values[i] > 0) c[pen ? "lineTo" : "moveTo"](xOf(i), yOf(values[i]));
      pen = values[i] > 0;
    }
    c.stroke();
    c.globalAlpha = 1;
  };
  c.strokeStyle = colour;
  c.lineWidth = 1.5;
  c.lineJoin = "round";
  curve(0, values.length - 1, head < values.length - 1 ? 0.3 : 1);
  if (head < values.length - 1) curve(0, head, 1);
  c.restore();
  if (values[head] > 0) {
    c.beginPath();
    c.arc(xOf(head), yOf(values[head]), 4, 0, 2 * Math.PI);
    c.fillStyle = colour;
    c.fill();
    c.strokeStyle = theme.page;
    c.lineWidth = 1.5;
    c.stroke();
  }
  if (limit) {
    const at = yOf(limit);
    c.fillStyle = theme.ink;
    c.textAlign = "left";
    c.strokeStyle = theme.page;
    c.lineWidth = 4;
    c.lineJoin = "round";
    const text = at > y0 + 18 ? at - 6 : at + 14;
    c.strokeText(limitName, x0 + 4, text);
    c.fillText(limitName, x0 + 4, text);
  }
}

// ---- 6. Controls ----

const FORMULAS = {
  polar: "λ = ω_ν exp(i ω_θ)",
  exp: "λ = exp(−exp ω_ν + i exp ω_θ), as in the LRU",
  tanh: "|λ| = tanh ω_ν = ν, angle ω_θ (1 − ν²) / (ν √(1 + ν²))",
  real: "λ = ω₁ + i ω₂",
};

// What a scene changes of the defaults, and how far it looks into the minimum.
const SCENES = [
  {
    name: "A long memory",
    text: "The teacher, the star, has a time constant of 100 steps. Its minimum is a narrow pit near |λ| = 1, and elsewhere the loss is nearly flat. A rate that is stable in the pit crawls on the plain.",
    to: { share: 0, rate: 7e-6 },
  },
  {
    name: "Normalise",
    text: "Inputs scaled by γ = √(1 − |λ|²) make the pit less steep: the largest stable rate is fifty times as large. A descent at this rate now arrives.",
    to: {},
  },
  {
    name: "Too fast",
    text: "This rate is above the largest stable one at the teacher. The steps bounce from wall to wall of the pit and never settle. Their curvature jumps across the dashed line, 2 / rate.",
    to: { rate: 1e-3 },
    zoom: 9,
  },
  {
    name: "Momentum",
    text: "Momentum adds up gradients along the way. At a quarter of the rate it arrives earlier than gradient descent, but it overshoots and swings back.",
    to: { optimiser: "momentum", rate: 1e-4 },
  },
  {
    name: "Adam",
    text: "Adam divides each gradient by its recent size, so it crosses the plain and the pit at one speed. What counts is the curvature divided by Adam’s scales.",
    to: { optimiser: "adam", rate: 3e-3 },
  },
  {
    name: "The LRU’s maps",
    text: "The LRU trains ω_ν and ω_θ, with |λ| = exp(−exp ω_ν) and the angle exp ω_θ. The pit is now wide along the modulus, but still sharp along the angle, so one rate cannot suit both.",
    to: { view: "parameters", parametrisation: "exp", rate: 2.5e-3, steps: 5000 },
  },
  {
    name: "The best maps",
    text: "These maps make the curvature by each parameter 1 while the other is held. Together they are not round: the angle depends on both parameters, so the valley bends, and more so at large angles.",
    to: {
      view: "parameters", parametrisation: "tanh", angle: Math.PI / 100, rate: 0.09,
      start: [0.8, 0.1],
    },
  },
  {
    name: "Slow inputs",
    text: "Successive inputs have a correlation of 0.95. Students near λ = 1 add up such slow inputs, so their loss is large. A student that rotates averages them out.",
    to: { share: 0, rho: 0.95, rate: 1e-5 },
  },
];
const marked = text => text.replace(/_(.)/g, "<sub>$1</sub>");
const HELP =
  "The colour is the exact loss of a student λ that learns the teacher λ* (the star). Click to start a descent, drag the star, or choose a scene.";
const PATH = "#e8480c";

const STYLE = `
:host { display: block; color: var(--ink); font: 15px/1.5 system-ui, -apple-system,
  "Segoe UI", Roboto, "Noto Sans", sans-serif; container-type: inline-size; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.scenes { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .7rem; padding: 0; border: 0; }
.scenes legend { float: left; padding: .28rem .5rem .28rem 0; font-weight: 600; }
button { font: inherit; color: var(--ink); background: var(--soft); cursor: pointer;
  border: 1px solid var(--line); border-radius: .45rem; padding: .25rem .7rem; }
button:hover { border-color: var(--quiet); }
button[aria-pressed=true] { color: var(--page); background: var(--link);
  border-color: var(--link); }
.lesson { margin: 0 0 1rem; min-height: 3em; max-width: 52rem; }
.grid { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr);
  grid-template-areas: "left" "curves" "controls" "below"; align-items: start; }
.left { grid-area: left; }
.controls { grid-area: controls; }
.curves { grid-area: curves; }
.below { grid-area: below; }
.stage { position: relative; }
.map { display: block; width: 100%; aspect-ratio: 1; border-radius: .5rem;
  background: var(--soft); touch-action: none; cursor: crosshair; }
.looks { display: flex; flex: 1 0 100%; justify-content: space-between; align-items: center; }
.zoom { display: flex; gap: .3rem; }
.zoom button { width: 2.1rem; height: 2.1rem; padding: 0; line-height: 1; }
.under { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: center;
  justify-content: space-between; margin-top: .5rem; font-size: .85rem;
  color: var(--quiet); }
.key { display: inline-flex; align-items: center; gap: .45rem; }
.bar { width: 5.5rem; height: .7rem; border-radius: .2rem; }
.steep { width: .95rem; height: .7rem; border-radius: .2rem;
  border: 1.5px dashed var(--ink); background: repeating-linear-gradient(
  135deg, var(--path) 0 1.5px, transparent 1.5px 4px); }
.choice { display: flex; flex-wrap: wrap; gap: .2rem .5rem; align-items: center; margin: 0;
  padding: 0; border: 0; min-width: 0; }
.choice legend { float: left; width: 8.8rem; padding: 0; }
.choice div { display: inline-flex; flex-wrap: wrap; border: 1px solid var(--line);
  border-radius: .45rem; overflow: hidden; background: var(--soft); }
.choice label { position: relative; padding: .2rem .65rem; cursor: pointer; }
.choice input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.choice label:has(:checked) { background: var(--link); color: var(--page); }
.choice label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: -4px;
  outline-color: currentColor; }
.under .choice legend { width: auto; padding-right: .3rem; }
.under .choice div { color: var(--ink); }
.controls { display: grid; gap: .38rem; }
.slider { display: grid; grid-template-columns: 8.8rem minmax(0, 1fr) 6.2rem; gap: 0 .5rem;
  align-items: center; }
.slider output { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.track { position: relative; display: block; }
.track input { display: block; width: 100%; margin: .25rem 0; accent-color: var(--link); }
.track i { position: absolute; bottom: -.42rem; width: 0; height: 0; margin-left: -5px;
  border: 5px solid transparent; border-bottom-color: var(--path); border-top: 0;
  pointer-events: none; }
.formula { margin: 0; font-size: .88rem; color: var(--quiet); }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin: .25rem 0 0; }
.curves { display: grid; gap: .2rem 1.2rem; grid-template-columns: minmax(0, 1fr); }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .85rem; color: var(--quiet); }
.curves canvas { display: block; width: 100%; height: 9.2rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr));
  gap: .3rem 1rem; margin: 0; padding: .7rem 0 0; border-top: 1px solid var(--line); }
.facts dt { font-size: .8rem; color: var(--quiet); line-height: 1.3; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; font-size: 1.02rem; }
.status { margin: .7rem 0 0; min-height: 3em; }
sub { font-size: .75em; line-height: 0; }
details { margin-top: .6rem; font-size: .88rem; color: var(--quiet); }
summary { cursor: pointer; color: var(--link); }
details ul { margin: .3rem 0 0; padding-left: 1.2rem; }
kbd { font: inherit; border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3rem;
  background: var(--soft); color: var(--ink); }
@container (min-width: 54rem) {
  .grid { grid-template-columns: minmax(0, min(33rem, 47%)) minmax(0, 1fr);
    grid-template-areas: "left controls" "left curves" "left below";
    grid-template-rows: auto auto 1fr; }
  .curves { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@container (max-width: 30rem) {
  .grid { display: flex; flex-direction: column; align-items: stretch; }
  .left { display: contents; }
  .stage { position: sticky; top: 0; z-index: 1; background: var(--page); }
  .under, .status { margin: 0; }
  .curves { order: 1; }
  .below { order: 2; }
  .slider { grid-template-columns: minmax(0, 1fr) auto; margin-bottom: .1rem; }
  .slider .track { grid-row: 2; grid-column: 1 / -1; }
  .track input { height: 1.7rem; }
  .track i { bottom: -.15rem; }
  .choice legend { width: 100%; }
  .choice label { padding: .4rem .6rem; }
  .zoom button { width: 2.6rem; height: 2.6rem; }
  .scenes legend { width: 100%; padding: 0; }
}
`;

// Sliders: how a setting is drawn out and told.  `to` and `from` the slider's own scale.
const SLIDERS = [
  {
    key: "modulus", name: "Teacher’s memory", step: 0.005,
    to: value => -Math.log10(1 - value), from: place => 1 - 10 ** -place,
    tell: value => `${shown(1 / (1 - value))} steps`,
  },
  {
    key: "angle", name: "Teacher’s angle", step: 0.005,
    to: value => value / Math.PI, from: place => place * Math.PI,
    tell: value => `${shown(value / Math.PI)} π`,
  },
  { key: "rho", name: "Input correlation", step: 0.005, tell: value => `ρ = ${shown(value)}` },
  {
    key: "share", name: "Normalisation", step: 0.01,
    tell: value => ({ 0: "none", 1: "full" })[value] ?? `${Math.round(100 * value)} %`,
  },
  {
    key: "rate", name: "Learning rate", step: 0.01, to: Math.log10, from: x => 10 ** x,
    tell: value => shown(value),
  },
  { key: "beta", name: "Momentum β", step: 0.005, tell: value => shown(value) },
  {
    key: "steps", name: "Steps", step: 0.01, to: Math.log10,
    from: place => Math.round(10 ** place), tell: value => String(value),
  },
].map(slider => ({ to: value => value, from: place => place, ...slider }));
const NAMES = {
  parametrisation: {
    legend: "Parametrisation", polar: "polar", exp: "exp (LRU)", tanh: "tanh", real: "Re, Im",
  },
  optimiser: {
    legend: "Optimiser", descent: "gradient descent", momentum: "momentum", adam: "Adam",
  },
  view: { legend: "Axes", disc: "λ", parameters: "parameters ω" },
};

const sliderRow = ({ key, name }) => `<label class="slider" data-row="${key}">
  <span>${name}</span><span class="track"><input type="range" data-slider="${key}">
  ${key === "rate" ? "<i hidden></i>" : ""}</span><output data-told="${key}"></output></label>`;
const choiceRow = (key, id) => `<fieldset class="choice"><legend>${NAMES[key].legend}</legend>
  <div>${CHOICES[key]
    .map(
      value => `<label><input type="radio" name="${key}${id}" data-choice="${key}"
        value="${value}">${NAMES[key][value]}</label>`,
    )
    .join("")}</div></fieldset>`;

const page = id => `
<section aria-label="Loss landscape of one unit">
<fieldset class="scenes"><legend>Show</legend>${SCENES.map(
  ({ name }, i) => `<button type="button" data-scene="${i}" aria-pressed="false">${name}</button>`,
).join("")}</fieldset>
<p class="lesson"></p>
<div class="grid">
<div class="left">
<div class="stage">
<canvas class="map" tabindex="0" role="application" aria-describedby="keys${id}"
  aria-label="Map of the loss. The star is the teacher, the ring is the start."></canvas>
</div>
<div class="under">
<span class="key"><span>low</span><canvas class="bar" role="img"
  aria-label="Colours from a low loss to a high loss"></canvas><span>high loss</span></span>
<span class="key" data-steep><span class="steep"></span>too sharp for the rate</span>
<div class="looks">${choiceRow("view", id)}
<div class="zoom"><button type="button" data-zoom="2" aria-label="Zoom in">+</button>
<button type="button" data-zoom="0.5" aria-label="Zoom out">−</button>
<button type="button" data-zoom="0" aria-label="Show all">⤢</button></div></div>
</div>
<p class="status" role="status"></p>
</div>
<div class="controls">
${SLIDERS.slice(0, 4).map(sliderRow).join("")}
${choiceRow("parametrisation", id)}
<p class="formula"></p>
${choiceRow("optimiser", id)}
${SLIDERS.slice(4).map(sliderRow).join("")}
<div class="buttons"><button type="button" data-play>Play</button>
<button type="button" data-tune>Tune for the minimum</button></div>
</div>
<div class="curves">
<figure><figcaption>Loss by step</figcaption><canvas data-curve="losses" role="img"></canvas></figure>
<figure><figcaption data-bend></figcaption><canvas data-curve="curvatures" role="img"></canvas></figure>
</div>
<div class="below">
<dl class="facts">
<div><dt>▲ largest stable rate</dt><dd data-fact="stable"></dd></div>
<div><dt>curvatures at the teacher</dt><dd data-fact="curvatures"></dd></div>
<div><dt>loss at the end</dt><dd data-fact="loss"></dd></div>
</dl>
<details id="keys${id}"><summary>Mouse, touch and keys</summary><ul>
<li>Click or tap the map to start a descent there. Drag the star or the start.</li>
<li>Drag elsewhere to pan; turn the wheel or pinch to zoom.</li>
<li>On the map: arrows pan, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> shows all,
<kbd>Shift</kbd> with arrows moves the start, <kbd>Space</kbd> plays,
<kbd>[</kbd> <kbd>]</kbd> change the rate.</li></ul></details>
</div>
</div>
</section>`;

const PATIENCE = 8; // milliseconds that a map may take of a frame

let count = 0;

// Put an explorer into an element.  It calls `changed` with its settings and its descent
// after each change.  Returns what a host needs: settings, set, descent, remove.
export function mount(place, given = {}, changed = () => {}) {
  const host = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  host.adoptedStyleSheets = [sheet];
  host.innerHTML = page(++count);
  const find = selector => host.querySelector(selector);
  const all = selector => [...host.querySelectorAll(selector)];
  const map = find(".map");
  const picture = document.createElement("canvas");
  const curves = Object.fromEntries(all("[data-curve]").map(one => [one.dataset.curve, one]));

  const settings = { ...DEFAULTS };
  const view = { x: 0.5, y: 0.5, zoom: 1 };
  let scene = -1;
  let task, loss, silent, teacher; // teacher: eigenvalues of the Hessian there
  let run; // the descent that is shown
  let head = 0; // step up to which it is shown
  let playing = 0; // time at which it began
  let morph = null; // from another chart
  let tween = null; // towards a scene
  let frame = 0;
  let stale = { map: true, run: true };
  let quality = 1; // pixels of the map per CSS pixel
  let cost = 8; // milliseconds that a map takes at quality 1
  let refine = 0;
  let levels, pixels, image;
  let grid = null; // curvatures on a coarse grid, for the dashed line
  let theme = THEMES.light;

  // -- settings --

  function accept(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (key in RANGES && Number.isFinite(value)) {
        const [low, high] = RANGES[key];
        settings[key] = Math.min(high, Math.max(low, value));
      } else if (CHOICES[key]?.includes(value)) settings[key] = value;
      else if (key === "start" && Math.hypot(...value) < 1) settings.start = [...value];
    }
    settings.steps = Math.round(settings.steps);
  }

  function set(changes, { quiet = false } = {}) {
    const before = chartOf(settings);
    const seen = { ...settings };
    accept(changes);
    const moved = key => settings[key] !== seen[key];
    if (chartOf(settings) !== before) {
      morph = { name: before, begun: performance.now() };
      Object.assign(view, { x: 0.5, y: 0.5, zoom: 1 });
    }
    const ofMap = ["modulus", "angle", "rho", "share", "parametrisation"].some(moved);
    if (ofMap || chartOf(settings) !== before) stale.map = true;
    stale.run = true;
    if (!quiet) changedLater();
    draw();
  }

  let later = 0;
  function changedLater() {
    clearTimeout(later);
    later = setTimeout(() => changed({ ...settings }, run), 200);
  }

  function stop() {
    tween = null;
    playing = 0;
  }

  // -- what is computed --

  function compute() {
    task = taskOf(settings);
    loss = lossOf(task);
    silent = silentOf(task);
    const { parametrisation } = settings;
    const at = lossAt(task, parametrisation, ...parametersOf(parametrisation, task.u, task.v));
    teacher = eigenvalues(at.aa, at.ab, at.bb);
    run = descend(task, settings, parametersOf(parametrisation, ...settings.start));
    head = playing ? Math.min(head, run.losses.length - 1) : run.losses.length - 1;
  }

  // -- the map --

  function shownScene() {
    const name = chartOf(settings);
    const blend = morph ? 1 - ease((performance.now() - morph.begun) / 450) : 0;
    if (blend <= 0) morph = null;
    const other = morph ? CHARTS[morph.name] : null;
    return {
      loss, silent, blend, other, view,
      chart: CHARTS[name],
      window: CHARTS[name].window(settings),
      otherWindow: other?.window(settings),
    };
  }

  function placeOn(chart, window, [x, y]) {
    const [h, v] = chart.from(x, y);
    return inWindow(window, h, v);
  }

  function inWindow([left, right, bottom, top], h, v) {
    return [(h - left) / (right - left), (v - bottom) / (top - bottom)];
  }

  // From the window's unit square to CSS pixels.
  function toPixels([s, t], size) {
    return [
      ((s - view.x) * view.zoom + 0.5) * size,
      (0.5 - (t - view.y) * view.zoom) * size,
    ];
  }

  function fromPixels(px, py, size) {
    return [view.x + (px / size - 0.5) / view.zoom, view.y - (py / size - 0.5) / view.zoom];
  }

  // The eigenvalue at a pixel.
  function eigenvalueAt(px, py, size) {
    const name = chartOf(settings);
    const [left, right, bottom, top] = CHARTS[name].window(settings);
    const [s, t] = fromPixels(px, py, size);
    return CHARTS[name].to(left + s * (right - left), bottom + t * (top - bottom));
  }

  function drawMap(drawn, size) {
    const side = Math.max(1, Math.round(size * quality));
    if (!image || image.width !== side) {
      [picture.width, picture.height] = [side, side];
      image = new ImageData(side, side);
      levels = new Float64Array(side * side);
      pixels = new Uint32Array(image.data.buffer);
    }
    const begun = performance.now();
    levelsOf(drawn, side, side, levels);
    paint(levels, side, side, pixels);
    cost += 0.3 * ((performance.now() - begun) / quality ** 2 - cost);
    picture.getContext("2d").putImageData(image, 0, 0);
  }

  // Curvatures on a coarse grid, some rows a frame.
  const FAR = 50; // below the bound, where the curvature is negative
  const CELLS = 80;
  function drawSteep(drawn) {
    if (settings.optimiser === "adam" || morph || tween) return false;
    if (!grid) grid = { values: new Float64Array((CELLS + 1) ** 2), row: 0 };
    const begun = performance.now();
    const { chart, window } = drawn;
    const [left, right, bottom, top] = window;
    const own = chart === CHARTS[settings.parametrisation] || settings.parametrisation === "real";
    while (grid.row <= CELLS && performance.now() - begun < 5) {
      const t = view.y - (grid.row / CELLS - 0.5) / view.zoom;
      const v = bottom + t * (top - bottom);
      for (let i = 0; i <= CELLS; i++) {
        const h = left + (view.x + (i / CELLS - 0.5) / view.zoom) * (right - left);
        const [x, y] = chart.to(h, v);
        let value = NaN;
        if (x * x + y * y < 1) {
          const flat = settings.parametrisation === "real";
          const at = flat ? [x, y] : own ? [v, h] : parametersOf(settings.parametrisation, x, y);
          const { aa, ab, bb } = lossAt(task, settings.parametrisation, ...at);
          value = eigenvalues(aa, ab, bb)[0];
        }
        grid.values[grid.row * (CELLS + 1) + i] = value;
      }
      grid.row++;
    }
    return grid.row <= CELLS;
  }

  // Where rate times curvature is above its bound: hatched, with a dashed edge.
  function overlaySteep(c, size) {
    if (!grid || grid.row <= CELLS || settings.optimiser === "adam") return;
    const limit = Math.log(bound(settings.optimiser, settings.beta) / settings.rate);
    const above = (i, j) => {
      const value = grid.values[j * (CELLS + 1) + i];
      return value > 0 ? Math.log(value) - limit : Number.isNaN(value) ? NaN : -FAR;
    };
    // A point that is above the bound almost alone is a valley that the grid has missed.
    const around = [-1, 0, 1].flatMap(a => [-1, 0, 1].map(b => [a, b]));
    const heightsOf = new Float64Array((CELLS + 1) ** 2);
    for (let j = 0; j <= CELLS; j++)
      for (let i = 0; i <= CELLS; i++) {
        const value = above(i, j);
        const inner = i > 0 && j > 0 && i < CELLS && j < CELLS;
        const alone =
          value > 0 && inner && around.filter(([a, b]) => !(above(i + a, j + b) <= 0)).length < 4;
        heightsOf[j * (CELLS + 1) + i] = alone ? -1e-3 : value;
      }
    const at = (i, j) => heightsOf[j * (CELLS + 1) + i];
    // Beside the unstable students the grid is too coarse for an edge.
    const whole = (i, j) =>
      i > 0 && j > 0 && i < CELLS - 1 && j < CELLS - 1 &&
      [-1, 0, 1, 2].every(a => [-1, 0, 1, 2].every(b => !Number.isNaN(at(i + a, j + b))));
    const cell = size / CELLS;
    const edge = new Path2D();
    const inside = new Path2D();
    for (let j = 0; j < CELLS; j++)
      for (let i = 0; i < CELLS; i++) {
        const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const heights = corners.map(([a, b]) => at(a, b));
        if (heights.some(Number.isNaN)) continue;
        const cut = [];
        const area = [];
        for (let k = 0; k < 4; k++) {
          const [p, q] = [heights[k], heights[(k + 1) % 4]];
          const [from, to] = [corners[k], corners[(k + 1) % 4]];
          if (p > 0) area.push(from);
          if (p > 0 !== q > 0) {
            const share = p / (p - q);
            const point = [0, 1].map(a => from[a] + share * (to[a] - from[a]));
            cut.push(point);
            area.push(point);
          }
        }
        area.forEach(([a, b], k) => inside[k ? "lineTo" : "moveTo"](a * cell, b * cell));
        if (!whole(i, j)) continue;
        for (let k = 0; k + 1 < cut.length; k += 2) {
          edge.moveTo(cut[k][0] * cell, cut[k][1] * cell);
          edge.lineTo(cut[k + 1][0] * cell, cut[k + 1][1] * cell);
        }
      }
    c.save();
    c.clip(inside);
    c.strokeStyle = theme.path;
    c.globalAlpha = 0.55;
    c.lineWidth = 1.2;
    c.beginPath();
    for (let k = -size; k < size; k += 7) {
      c.moveTo(k, size);
      c.lineTo(k + size, 0);
    }
    c.stroke();
    c.restore();
    c.strokeStyle = "#ffffff";
    c.lineWidth = 1.6;
    c.stroke(edge);
  }

  function drawAxes(c, size, drawn) {
    const [left, right, bottom, top] = drawn.window;
    const span = 1 / view.zoom;
    c.font = "11px system-ui, sans-serif";
    c.lineJoin = "round";
    c.fillStyle = theme.ink;
    c.strokeStyle = theme.halo;
    c.lineWidth = 3;
    const put = (text, x, y) => {
      c.strokeText(text, x, y);
      c.fillText(text, x, y);
    };
    // An axis' name, with its subscript, from the left or up to the right.
    const label = (text, x, y, right) => {
      const [, name, low = "", rest] = text.match(/^(.*?)(?:_(.))?((?:$|[:\s]).*)$/);
      const parts = [[name, 0], [low, 4], [rest, 0]];
      const font = drop => `600 ${drop ? 9 : 12}px system-ui, sans-serif`;
      const widths = parts.map(([part, drop]) => {
        c.font = font(drop);
        return c.measureText(part).width;
      });
      c.textAlign = "left";
      let at = right ? x - widths.reduce((sum, width) => sum + width) : x;
      parts.forEach(([part, drop], i) => {
        c.font = font(drop);
        put(part, at, y + drop);
        at += widths[i];
      });
    };
    c.textBaseline = "alphabetic";
    c.textAlign = "center";
    const [h0, h1] = [view.x - span / 2, view.x + span / 2].map(s => left + s * (right - left));
    for (const h of ticks(h0, h1, 5)) {
      const [x] = toPixels([(h - left) / (right - left), 0], size);
      if (x > 50 && x < size - 24) put(tick(h, h1 - h0), x, size - 4);
    }
    c.textAlign = "left";
    c.textBaseline = "middle";
    const [v0, v1] = [view.y - span / 2, view.y + span / 2].map(t => bottom + t * (top - bottom));
    for (const v of ticks(v0, v1, 5)) {
      const [, y] = toPixels([0, (v - bottom) / (top - bottom)], size);
      if (y > 34 && y < size - 24) put(tick(v, v1 - v0), 4, y);
    }
    c.textBaseline = "alphabetic";
    label(`${drawn.chart.names[1]} ↑`, 7, 19, false);
    label(`${drawn.chart.names[0]} →`, size - 7, size - 24, true);
  }

  const tick = (value, span) => {
    if (value === 0) return "0";
    const digits = Math.max(0, Math.ceil(-Math.log10(Math.abs(span) / 4)));
    return value.toFixed(Math.min(digits, 9)).replace("-", "−");
  };

  function drawBoundary(c, size, drawn) {
    c.strokeStyle = theme.ink;
    c.lineWidth = 1.5;
    if (drawn.other) return;
    if (drawn.chart === CHARTS.disc) {
      const [x, y] = toPixels(inWindow(drawn.window, 0, 0), size);
      const [right] = toPixels(inWindow(drawn.window, 1, 0), size);
      c.beginPath();
      c.arc(x, y, right - x, 0, 2 * Math.PI);
      c.stroke();
    } else if (drawn.chart === CHARTS.polar) {
      const [, y] = toPixels(inWindow(drawn.window, 0, 1), size);
      c.beginPath();
      c.moveTo(0, y);
      c.lineTo(size, y);
      c.stroke();
    }
  }

  // Where a student is drawn; of a step of the descent by its own parameters, whose angle
  // may have turned beyond a half.
  function pixelOf(drawn, eigenvalue, parameters, size) {
    const direct = drawn.chart !== CHARTS.disc && parameters;
    let at = direct
      ? inWindow(drawn.window, parameters[1], parameters[0])
      : placeOn(drawn.chart, drawn.window, eigenvalue);
    if (drawn.other) {
      const was = placeOn(drawn.other, drawn.otherWindow, eigenvalue);
      at = at.map((value, i) => value + drawn.blend * (was[i] - value));
    }
    return toPixels(at, size);
  }

  function drawPath(c, size, drawn) {
    const { to } = PARAMETRISATIONS[settings.parametrisation];
    const points = run.parameters.map(at => pixelOf(drawn, to(...at), at, size));
    const far = 20 * size;
    // A long step is a thin line that ends in a dot, so that a descent which bounces
    // shows where it lands.
    const smooth = new Path2D();
    const jumps = new Path2D();
    const latest = new Path2D();
    const landings = new Path2D();
    const bounded = value => Math.max(-far, Math.min(far, value));
    for (let i = 1; i <= head && i < points.length; i++) {
      const [px, py] = points[i - 1].map(bounded);
      const [x, y] = points[i].map(bounded);
      const long = Math.hypot(x - px, y - py) > 0.03 * size;
      const line = !long ? smooth : i > head - 12 || i < 60 ? latest : jumps;
      line.moveTo(px, py);
      line.lineTo(x, y);
      if (long || i < 60) {
        const radius = i < 60 ? 2 : 1.5;
        landings.moveTo(x + radius, y);
        landings.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
    c.lineJoin = "round";
    c.lineCap = "round";
    const trace = (line, colour, width, alpha) => {
      c.globalAlpha = alpha;
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.stroke(line);
      c.globalAlpha = 1;
    };
    trace(smooth, "#ffffff", 3.6, 1);
    trace(jumps, PATH, 0.7, 0.12);
    trace(latest, "#ffffff", 2.6, 0.8);
    trace(latest, PATH, 1.2, 1);
    trace(smooth, PATH, 1.8, 1);
    c.fillStyle = PATH;
    c.fill(landings);
    if (points.length) disc(c, points[Math.min(head, points.length - 1)], 5.5, PATH, "#ffffff");
    const first = points[0] ?? pixelOf(drawn, settings.start, null, size);
    c.beginPath();
    c.arc(...first, 7, 0, 2 * Math.PI);
    c.lineWidth = 5;
    c.strokeStyle = "#ffffff";
    c.stroke();
    c.lineWidth = 2.4;
    c.strokeStyle = PATH;
    c.stroke();
  }

  function disc(c, [x, y], radius, fill, edge) {
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.fillStyle = fill;
    c.fill();
    c.lineWidth = 1.6;
    c.strokeStyle = edge;
    c.stroke();
  }

  function drawStar(c, [x, y]) {
    c.beginPath();
    for (let k = 0; k < 10; k++) {
      const radius = k % 2 ? 4.4 : 10;
      const angle = (k * Math.PI) / 5 - Math.PI / 2;
      c[k ? "lineTo" : "moveTo"](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
    c.closePath();
    c.lineJoin = "round";
    c.lineWidth = 4;
    c.strokeStyle = "#16143e";
    c.stroke();
    c.fillStyle = "#ffffff";
    c.fill();
  }

  function starAt(drawn, size) {
    return pixelOf(drawn, [task.u, task.v], null, size);
  }

  function startAt(drawn, size) {
    const at = run.parameters[0] ?? null;
    return pixelOf(drawn, settings.start, at, size);
  }

  // -- a frame --

  const ease = t => (t >= 1 ? 1 : t <= 0 ? 0 : t * t * (3 - 2 * t));
  const CHANGING = ["rho", "share", "beta"];

  function step(now) {
    frame = 0;
    if (tween) {
      const t = ease((now - tween.begun) / 700);
      const { from, to } = tween;
      const between = (a, b) => a + t * (b - a);
      const changes = Object.fromEntries(CHANGING.map(key => [key, between(from[key], to[key])]));
      changes.modulus = 1 - Math.exp(between(Math.log(1 - from.modulus), Math.log(1 - to.modulus)));
      changes.angle = between(from.angle, to.angle);
      changes.rate = Math.exp(between(Math.log(from.rate), Math.log(to.rate)));
      changes.start = [0, 1].map(i => between(from.start[i], to.start[i]));
      accept(t < 1 ? changes : to);
      stale = { map: true, run: true };
      const look = tween.look;
      view.zoom = Math.exp(between(Math.log(look.from.zoom), Math.log(look.to.zoom)));
      // Its centre moves as fast as the zoom lets it be seen.
      const share = look.to.zoom === look.from.zoom ? t
        : (1 / view.zoom - 1 / look.from.zoom) / (1 / look.to.zoom - 1 / look.from.zoom);
      view.x = look.from.x + share * (look.to.x - look.from.x);
      view.y = look.from.y + share * (look.to.y - look.from.y);
      if (t >= 1) {
        tween = null;
        changedLater();
        play();
      }
    }
    if (stale.run) compute();
    if (playing && !tween) {
      const last = run.losses.length - 1;
      const seconds = Math.min(6, 1.5 + last / 250);
      const share = Math.max(0, now - playing) / 1000 / seconds;
      head = Math.min(last, Math.floor(share ** 1.6 * last));
      if (head >= last) {
        playing = 0;
        tell();
      }
    }
    const { context: c, width: size } = fit(map);
    if (!size) return;
    const drawn = shownScene();
    if (stale.map || drawn.other) {
      quality = cost > PATIENCE ? 0.5 : 1; // while it moves
      drawMap(drawn, size);
      grid = null;
      clearTimeout(refine);
      const best = Math.min(2, globalThis.devicePixelRatio || 1);
      if (quality < best) refine = setTimeout(() => sharpen(best), 160);
    }
    // The hatching waits until nothing moves the map.
    const more = stale.map || drawSteep(drawn);
    c.imageSmoothingEnabled = true;
    c.drawImage(picture, 0, 0, size, size);
    overlaySteep(c, size);
    drawBoundary(c, size, drawn);
    drawAxes(c, size, drawn);
    drawPath(c, size, drawn);
    drawStar(c, starAt(drawn, size));
    drawCurves();
    if (stale.run || stale.map) reflect();
    stale = { map: false, run: false };
    if (playing || tween || morph || more) draw();
  }

  function sharpen(best) {
    if (tween || morph || !map.isConnected) return;
    quality = best;
    drawMap(shownScene(), fit(map).width);
    draw();
  }

  function draw() {
    frame ||= requestAnimationFrame(step);
  }

  function drawCurves() {
    const steps = settings.steps;
    drawCurve(curves.losses, theme, {
      values: run.losses, steps, colour: theme.loss, floor: 1e-16 * silent, head,
    });
    drawCurve(curves.curvatures, theme, {
      values: run.curvatures, steps, colour: theme.bend, head,
      limit: bound(settings.optimiser, settings.beta) / settings.rate,
      limitName: `${shown(bound(settings.optimiser, settings.beta))} / rate`,
    });
  }

  // -- words --

  const stableRate = () => bound(settings.optimiser, settings.beta) / teacher[0];

  // Write only what has changed, which spares the page much layout.
  const said = new Map();
  function say(element, text, how = "textContent") {
    if (said.get(element)?.[how] === text) return;
    said.set(element, { ...said.get(element), [how]: text });
    if (how in element) element[how] = text;
    else element.setAttribute(how, text);
  }

  const inputs = Object.fromEntries(SLIDERS.map(({ key }) => [key, find(`[data-slider=${key}]`)]));
  const told = Object.fromEntries(SLIDERS.map(({ key }) => [key, find(`[data-told=${key}]`)]));
  const radios = all("[data-choice]");
  const facts = Object.fromEntries(all("[data-fact]").map(one => [one.dataset.fact, one]));
  const lesson = find(".lesson");
  const formula = find(".formula");
  const bend = find("[data-bend]");
  const mark = find(".track i");
  const tune = find("[data-tune]");
  const steep = find("[data-steep]");
  const beta = find("[data-row=beta]");
  const sceneButtons = all("[data-scene]");

  function reflect() {
    for (const { key, to, tell: words } of SLIDERS) {
      const text = words(settings[key]);
      inputs[key].value = to(settings[key]);
      say(told[key], text);
      say(inputs[key], text, "aria-valuetext");
    }
    for (const input of radios)
      input.checked = settings[input.dataset.choice] === input.value;
    const adam = settings.optimiser === "adam";
    say(beta, settings.optimiser === "descent", "hidden");
    say(tune, adam, "disabled");
    say(steep, adam, "hidden");
    say(mark, adam, "hidden");
    say(formula, marked(FORMULAS[settings.parametrisation]), "innerHTML");
    say(lesson, marked(scene < 0 ? HELP : SCENES[scene].text), "innerHTML");
    say(bend, adam ? "Curvature over Adam’s scales" : "Largest curvature by step");
    const [low, high] = RANGES.rate.map(Math.log10);
    const place = (Math.log10(stableRate()) - low) / (high - low);
    const share = Math.min(1, Math.max(0, place)).toFixed(4);
    mark.style.left = `calc(8px + (100% - 16px) * ${share})`;
    say(facts.curvatures, teacher.map(x => shown(x)).join(" and "));
    say(facts.stable, adam ? "depends on the run" : shown(stableRate()));
    say(facts.loss, run.losses.length ? shown(run.losses.at(-1)) : "∞");
    sceneButtons.forEach((button, i) => say(button, String(i === scene), "ariaPressed"));
    say(curves.losses, `Loss by step: ${ends(run.losses)}`, "ariaLabel");
    say(curves.curvatures, `Largest curvature by step: ${ends(run.curvatures)}`, "ariaLabel");
    tell();
  }

  const ends = values =>
    values.length ? `from ${shown(values[0])} to ${shown(values.at(-1))}` : "none";

  let telling = 0;
  function tell() {
    clearTimeout(telling);
    telling = setTimeout(() => {
      find(".status").textContent = sentence();
    }, 250);
  }

  function sentence() {
    const last = run.losses.length - 1;
    if (last < 0) return "The start is not a stable student.";
    if (run.left)
      return `Step ${last + 1} leaves the stable students, |λ| < 1. The curvature on the way allows a rate of ${shown(bound(settings.optimiser, settings.beta) / Math.max(...run.curvatures))} at most.`;
    const end = run.losses[last];
    const reached = run.losses.findIndex(value => value < 1e-6 * silent);
    const first =
      reached >= 0
        ? `At step ${reached} the loss falls below a millionth of that of a silent student.`
        : `After ${last} steps the loss is ${shown(end / silent)} times that of a silent student.`;
    if (settings.optimiser !== "adam" && settings.rate * teacher[0] > bound(settings.optimiser, settings.beta) && reached < 0)
      return `${first} The rate is above ${shown(stableRate())}, the largest stable one at the teacher.`;
    const product = (settings.rate * run.curvatures[last]) / bound(settings.optimiser, settings.beta);
    const second =
      product > 1.02
        ? "At the end the rate is above the largest stable one, so the steps bounce."
        : product > 0
          ? `At the end the rate is ${shown(product, 2)} of the largest stable one.`
          : "At the end the loss has no positive curvature.";
    return `${first} ${second}`;
  }

  // -- what a reader does --

  function play() {
    playing = performance.now();
    head = 0;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      playing = 0;
      head = run ? run.losses.length - 1 : 0;
    }
    draw();
  }

  function show(index) {
    stop();
    scene = index;
    const { to } = SCENES[index];
    const before = { ...settings, start: [...settings.start] };
    const { view: axes, parametrisation, optimiser, steps } = { ...DEFAULTS, ...to };
    set({ view: axes, parametrisation, optimiser, steps });
    const after = { ...DEFAULTS, ...to };
    const look = { x: 0.5, y: 0.5, zoom: SCENES[index].zoom ?? 1 };
    if (look.zoom > 1) {
      const chart = CHARTS[chartOf(after)];
      const { u, v } = taskOf(after);
      [look.x, look.y] = placeOn(chart, chart.window(after), [u, v]);
    }
    tween = { from: before, to: after, look: { from: { ...view }, to: look }, begun: performance.now() };
    draw();
  }

  function zoom(factor, px, py) {
    const size = map.getBoundingClientRect().width;
    const [s, t] = fromPixels(px ?? size / 2, py ?? size / 2, size);
    const next = Math.min(1e6, Math.max(0.5, view.zoom * factor));
    const ratio = view.zoom / next;
    view.x = s + (view.x - s) * ratio;
    view.y = t + (view.y - t) * ratio;
    view.zoom = next;
    lookAgain();
  }

  function pan(dx, dy) {
    const size = map.getBoundingClientRect().width;
    view.x = Math.min(2, Math.max(-1, view.x - dx / size / view.zoom));
    view.y = Math.min(2, Math.max(-1, view.y + dy / size / view.zoom));
    lookAgain();
  }

  function lookAgain() {
    stale.map = true;
    draw();
  }

  // A new start or teacher at a pixel; outside the stable students nothing happens.
  function moveTo(what, px, py) {
    const [x, y] = eigenvalueAt(px, py, map.getBoundingClientRect().width);
    const modulus = Math.hypot(x, y);
    if (!(modulus < 1)) return;
    scene = -1;
    if (what === "teacher") set({ modulus, angle: Math.atan2(y, x) });
    else set({ start: [x, y] });
  }

  const pointers = new Map();
  let dragged = null; // teacher, start, map, or a click so far
  let pinch = null;

  const local = event => {
    const box = map.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function under(px, py, reach) {
    const size = map.getBoundingClientRect().width;
    const drawn = shownScene();
    const near = ([x, y]) => Math.hypot(x - px, y - py) < reach;
    if (near(startAt(drawn, size))) return "start";
    return near(starAt(drawn, size)) ? "teacher" : "click";
  }

  map.addEventListener("pointerdown", event => {
    if (event.button) return;
    map.setPointerCapture(event.pointerId);
    const at = local(event);
    pointers.set(event.pointerId, at);
    stop();
    if (pointers.size === 2) {
      const [p, q] = [...pointers.values()];
      pinch = { distance: Math.hypot(p[0] - q[0], p[1] - q[1]) };
      dragged = "map";
    } else dragged = under(...at, event.pointerType === "touch" ? 26 : 14);
  });
  map.addEventListener("pointermove", event => {
    const at = local(event);
    if (!pointers.has(event.pointerId)) {
      const hit = event.pointerType === "mouse" ? under(...at, 14) : "click";
      map.style.cursor = hit === "click" ? "crosshair" : "grab";
      return;
    }
    const before = pointers.get(event.pointerId);
    const [dx, dy] = [at[0] - before[0], at[1] - before[1]];
    if (dragged === "click" && Math.hypot(dx, dy) < 5) return;
    pointers.set(event.pointerId, at);
    if (pinch && pointers.size === 2) {
      const [p, q] = [...pointers.values()];
      const distance = Math.hypot(p[0] - q[0], p[1] - q[1]);
      pan(dx / 2, dy / 2);
      zoom(distance / pinch.distance, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
      pinch.distance = distance;
    } else if (dragged === "start" || dragged === "teacher") moveTo(dragged, ...at);
    else {
      dragged = "map";
      pan(dx, dy);
    }
  });
  const lift = event => {
    const at = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (pointers.size) return;
    if (dragged === "click" && event.type === "pointerup") {
      moveTo("start", ...at);
      play();
    }
    dragged = pinch = null;
  };
  map.addEventListener("pointerup", lift);
  map.addEventListener("pointercancel", lift);
  map.addEventListener(
    "wheel",
    event => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), ...local(event));
    },
    { passive: false },
  );
  map.addEventListener("keydown", event => {
    const arrow = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow && event.shiftKey) {
      const size = map.getBoundingClientRect().width;
      const [px, py] = startAt(shownScene(), size);
      stop();
      moveTo("start", px + 6 * arrow[0], py + 6 * arrow[1]);
    } else if (arrow) pan(-24 * arrow[0], -24 * arrow[1]);
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") showAll();
    else if (event.key === " " || event.key === "Enter") playing ? stop() : play();
    else if (event.key === "[" || event.key === "]") {
      stop();
      set({ rate: settings.rate * (event.key === "]" ? 1.1 : 1 / 1.1) });
    } else return;
    event.preventDefault();
    draw();
  });

  function showAll() {
    Object.assign(view, { x: 0.5, y: 0.5, zoom: 1 });
    lookAgain();
  }

  for (const button of all("[data-zoom]"))
    button.addEventListener("click", () => {
      +button.dataset.zoom ? zoom(+button.dataset.zoom) : showAll();
    });
  for (const button of all("[data-scene]"))
    button.addEventListener("click", () => show(+button.dataset.scene));
  for (const slider of SLIDERS) {
    const input = find(`[data-slider=${slider.key}]`);
    const [low, high] = RANGES[slider.key].map(slider.to);
    Object.assign(input, { min: low, max: high, step: slider.step });
    input.addEventListener("input", () => {
      stop();
      scene = -1;
      set({ [slider.key]: slider.from(+input.value) });
    });
  }
  for (const input of all("[data-choice]"))
    input.addEventListener("change", () => {
      stop();
      scene = -1;
      set({ [input.dataset.choice]: input.value });
    });
  find("[data-play]").addEventListener("click", () => {
    stop();
    play();
  });
  // Goh (2017): the rate, and momentum's beta, that are fastest on the quadratic there.
  find("[data-tune]").addEventListener("click", () => {
    stop();
    const [large, small] = teacher;
    if (!(small > 0)) return;
    if (settings.optimiser === "descent") set({ rate: 2 / (large + small) });
    else {
      const [p, q] = [Math.sqrt(large), Math.sqrt(small)];
      set({ rate: (2 / (p + q)) ** 2, beta: ((p - q) / (p + q)) ** 2 });
    }
    play();
  });

  // -- looks --

  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  function retheme() {
    const jupyter = document.body?.dataset.jpThemeLight;
    const dark = jupyter ? jupyter === "false" : prefersDark.matches;
    theme = THEMES[dark ? "dark" : "light"];
    for (const [name, colour] of Object.entries(theme))
      place.style.setProperty(`--${name}`, colour);
    place.style.colorScheme = dark ? "dark" : "light";
    const bar = fit(find(".bar"));
    for (let i = 0; i < bar.width; i++) {
      const k = 3 * Math.round(SHADES * (1 - i / bar.width));
      bar.context.fillStyle = `rgb(${ramp[k]} ${ramp[k + 1]} ${ramp[k + 2]})`;
      bar.context.fillRect(i, 0, 1, bar.height);
    }
    draw();
  }
  prefersDark.addEventListener("change", retheme);
  const watch = new ResizeObserver(() => {
    stale.map = true;
    retheme();
  });
  watch.observe(map);

  accept(given);
  retheme();
  compute();
  play();

  const api = {
    settings: () => ({ ...settings, start: [...settings.start] }),
    set(changes) {
      stop();
      scene = -1;
      set(changes, { quiet: true });
    },
    show,
    descent: () => run,
    stable: () => stableRate(),
    view: () => ({ ...view }),
    remove() {
      cancelAnimationFrame(frame);
      clearTimeout(refine);
      clearTimeout(later);
      clearTimeout(telling);
      watch.disconnect();
      prefersDark.removeEventListener("change", retheme);
      host.replaceChildren();
    },
  };
  place.explorer = api;
  return api;
}

// ---- Hosts ----

// Jupyter, by anywidget: settings in both directions, the descent to Python.
export default {
  render({ model, el }) {
    const read = () =>
      Object.fromEntries(Object.keys(DEFAULTS).map(key => [key, model.get(key)]));
    let own = false; // true while the changes are ours
    const place = el.appendChild(document.createElement("div"));
    const explorer = mount(place, read(), (settings, run) => {
      own = true;
      for (const [key, value] of Object.entries(settings)) model.set(key, value);
      model.set("parameters", run.parameters);
      model.set("losses", run.losses);
      model.set("curvatures", run.curvatures);
      model.save_changes();
      own = false;
    });
    const update = () => own || explorer.set(read());
    const events = Object.keys(DEFAULTS).map(key => `change:${key}`).join(" ");
    model.on(events, update);
    return () => {
      model.off(events, update);
      explorer.remove();
    };
  },
};

// A page: every element that asks for an explorer.
for (const place of globalThis.document?.querySelectorAll("[data-explorer]") ?? [])
  if (!place.shadowRoot) mount(place, JSON.parse(place.dataset.explorer || "{}"));
