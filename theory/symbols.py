"""The notation table: every symbol, its assumptions and its letter in the papers."""

from sympy import Function, Symbol, symbols

# The eigenvalue and its conjugate are two independent symbols, so that every moment is
# a rational function of them: |lambda|^2 is lam * lam_bar, |1 - rho lambda|^2 is
# (1 - rho lam)(1 - rho lam_bar), and equality of two forms is decided exactly.
lam = Symbol("lambda")
lam_bar = Symbol(r"\bar{\lambda}")
alpha, beta = symbols("alpha beta")  # Lemmas 1 and 2: two unrelated eigenvalues
rho = Symbol("rho", real=True)  # decay rate of the input's autocovariance
a = Symbol("a", nonnegative=True)  # variance of the white part of a mixed input
b = Symbol("b", nonnegative=True)  # variance of its exponentially correlated part
R = Function("R")  # autocovariance of the input; even in its lag

T = Symbol("T", integer=True, positive=True)  # number of inputs since the zero state
n, m = symbols("n m", integer=True, nonnegative=True)  # ages of two inputs
Delta = Symbol("Delta", integer=True, positive=True)  # a lag

r = Symbol("r", positive=True)  # |lambda|
theta = Symbol("theta", real=True)  # arg lambda
r_min = Symbol("r_min", nonnegative=True)  # inner radius of the ring
r_max = Symbol("r_max", positive=True)  # outer radius of the ring
u1 = Symbol("u_1", nonnegative=True)  # uniform on [0, 1], gives the radius
u2 = Symbol("u_2", nonnegative=True)  # uniform on [0, 1], gives the phase

# Ingredients of the stable forms: each is positive and computed without cancellation,
# and the forms only add, multiply and divide them (see diagonal.stable_*).
w = Symbol("w", positive=True)  # 1 / (1 - |lambda|^2)
q = Symbol("q", nonnegative=True)  # |rho lambda|
k = Symbol("k", positive=True)  # (1 - q) w
p = Symbol("p", positive=True)  # (1 - q) w / |1 - rho lambda|^2
chi = Symbol("chi", nonnegative=True)  # 1 - (1 - q)^2 / |1 - rho lambda|^2
tau = Symbol("tau", nonnegative=True)  # (1 - rho^2) / (1 - q)

NOTATION: tuple[tuple[object, str, str, str], ...] = (
    (lam, "lam", "one eigenvalue of the recurrence", "λ in Zucchet, LRU, BLUR"),
    (lam_bar, "lam_bar", "its complex conjugate", "λ̄ in Zucchet, λ* in LRU"),
    (alpha, "alpha", "first of two unrelated eigenvalues", "α in Zucchet Lemma 1"),
    (beta, "beta", "second of two unrelated eigenvalues", "β in Zucchet Lemma 1"),
    (rho, "rho", "decay rate of the autocovariance, in [-1, 1]", "ρ in Zucchet"),
    (a, "a", "variance of the white part of the input", "0.332 in Zucchet Fig. 12"),
    (b, "b", "variance of the correlated part", "0.044 in Zucchet Fig. 12"),
    (R, "R", "autocovariance of the input", "R_x in Zucchet; u_n in its Lemma 1"),
    (T, "T", "number of inputs seen from the zero state", "T in Zucchet, k in LRU"),
    (n, "n", "age of an input, 0 for the newest", "n in Zucchet, j in LRU Eq. 4"),
    (m, "m", "age of a second input", "m in Zucchet"),
    (Delta, "Delta", "lag between two inputs", "Δ in Zucchet"),
    (r, "r", "modulus of the eigenvalue", "r in LRU"),
    (theta, "theta", "phase of the eigenvalue, in radians", "θ in all papers"),
    (r_min, "r_min", "inner radius of the ring", "r_min in LRU"),
    (r_max, "r_max", "outer radius of the ring", "r_max in LRU"),
    (u1, "u1", "uniform variable that gives the radius", "u_1 in LRU Lemma 3.2"),
    (u2, "u2", "uniform variable that gives the phase", "u_2 in LRU Lemma 3.2"),
)
