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

// The same of two jets.
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
