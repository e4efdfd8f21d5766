"""The rules of ``sigprop lint``, in one table."""

from sigprop.audit.lint import decays, others
from sigprop.audit.lint.findings import Case, Rule


def _elsewhere(case: Case) -> tuple[str, ...]:
    """Nothing: what is no layer's is looked for in the file as a whole."""
    return ()


ANOTHER = "initialise the layer again in float32, after all other initialisers"
RULES: tuple[Rule, ...] = (
    Rule(
        "decay-not-finite",
        "error",
        "a decay parameter is infinite or NaN",
        "|lam| = exp(-exp(A_log) dt) is 1 at A_log = -inf; zucchet:45",
        f"{ANOTHER}; bfloat16 can round a uniform sample to 0, whose logarithm is -inf",
        decays.not_finite,
    ),
    Rule(
        "weights-not-finite",
        "error",
        "a tensor contains an infinity or a NaN",
        "a NaN in one weight makes every later state NaN",
        "restore an earlier checkpoint; check the loss scale and the code that loads it",
        _elsewhere,
    ),
    Rule(
        "decay-all-zero",
        "error",
        "all numbers of a decay parameter are zero",
        "|lam| = exp(-exp(0) dt) is the same for all modes",
        f"{ANOTHER}; with several devices, do so on each or before sharding",
        decays.all_zero,
    ),
    Rule(
        "decay-overwritten",
        "warning",
        "a decay parameter is initialised like a weight matrix",
        "|lam| = exp(-exp(x)) with x of mean 0: time constants of about one step",
        f"{ANOTHER}; exclude it from the general initialisation",
        decays.overwritten,
    ),
    Rule(
        "one-memory",
        "warning",
        "all modes have the same time constant",
        "the Hessian of equal eigenvalues is singular; zucchet:132",
        f"{ANOTHER}; spread the time constants over the range that the data need",
        decays.equal_decays,
    ),
    Rule(
        "mode-exploding",
        "error",
        "some modes have a modulus above 1",
        "|lam|^T grows without limit if |lam| > 1",
        "clip Re A below zero, or store its logarithm",
        decays.exploding,
    ),
    Rule(
        "mode-frozen",
        "error",
        "some modes have modulus 1 in float32",
        "E|h_T|^2 = (1 - |lam|^2T)/(1 - |lam|^2) tends to T; "
        "sigprop.neuron.stable.finite_state_moment_white",
        "keep -log|lam| above 2^-25; choose an outer radius below 1",
        decays.frozen,
    ),
    Rule(
        "frozen-for-length",
        "warning",
        "most modes do not decay within the sequence",
        "E|h_T|^2 = T (1 - nu T + ...), nu = -log|lam|; "
        "sigprop.neuron.stable.finite_state_moment_white",
        "choose time constants of at most the sequence length",
        decays.frozen_for_length,
    ),
    Rule(
        "mode-instant",
        "warning",
        "most modes decay within one step",
        "|lam| is below 2^-25: the state forgets within one step",
        "choose time constants above one step; check the sign of the logarithm",
        decays.instant,
    ),
    Rule(
        "memory-short",
        "warning",
        "no mode remembers the start of the sequence",
        "after L steps |lam|^L of an input remains, which rounding removes as inputs are added",
        "raise |lam|: a larger r_max (LRU), smaller steps dt (S4D, S5, Mamba), or a forget "
        "bias of log(L - 1) (GRU, LSTM)",
        decays.short,
    ),
    Rule(
        "resolution-lost",
        "warning",
        "the number format cannot distinguish long time constants",
        "moduli below 1 are 2^-p apart: 2^p (1/a - 1/b) values from a to b steps; "
        "sigprop.audit.lint.resolution",
        "compute lam in float32 from nu = -log|lam|, whatever the storage format",
        decays.resolution,
    ),
    Rule(
        "steps-small",
        "warning",
        "step sizes are far below the usual initial range 0.001 to 0.1",
        "-log|lam| = dt |Re A|: the time constant is inversely proportional to dt",
        "check whether dt is squared, or softplus or exp is applied twice",
        decays.small_steps,
    ),
    Rule(
        "steps-large",
        "warning",
        "step sizes are far above the usual initial range 0.001 to 0.1",
        "softplus(0) = 0.69 gives -log|lam| = 0.69 exp(A_log)",
        "set the bias to the inverse softplus of log-uniform steps, after other "
        "initialisers",
        decays.large_steps,
    ),
    Rule(
        "ring-wrong",
        "warning",
        "a, and not the applied power a^8, lies on the ring (0.9, 0.999)",
        "|lam| = a^(8 r), r the gate: 0.999^8 = 0.992; Griffin, Eq. 3 and Section 2.4",
        "sample a^8 on the ring: softplus(Lambda) = -log(a)/8",
        decays.wrong_ring,
    ),
    Rule(
        "decay-clipped",
        "warning",
        "many decay parameters lie at one end of their range",
        "the gradient of a clipped value is zero",
        "lower the group's learning rate, or use a parametrisation without bounds",
        decays.clipped,
    ),
    Rule(
        "mode-dead",
        "warning",
        "some modes reach no output or receive no input",
        "dL/dlam is proportional to C and to B; zucchet:126",
        "initialise B and C again; a mode at zero has no gradient",
        others.dead,
    ),
    Rule(
        "mode-duplicated",
        "warning",
        "several modes of one input have the same eigenvalue",
        "equal eigenvalues make the Hessian singular; zucchet:132",
        "sample every mode with a random key of its own",
        others.duplicated,
    ),
    Rule(
        "gamma-mismatch",
        "warning",
        "the normalisation does not match the eigenvalues",
        "E|h|^2 = gamma^2/(1 - |lam|^2); lru:7, sigprop.neuron.ring.normalisation",
        "set gamma_log to log sqrt(1 - |lam|^2) of the present eigenvalues",
        others.gamma_off,
    ),
    Rule(
        "gates-saturated",
        "warning",
        "gates are saturated, so that no input moves them",
        "s' = s (1 - s) is about exp(-|b|) for large |b|; zucchet:32",
        "lower the biases; log T gives a time constant of T steps",
        others.saturated,
    ),
    Rule(
        "phase-aliased",
        "warning",
        "phases rotate by more than half a turn per step",
        "Re lam^k is the same for theta and 2 pi - theta",
        "choose smaller steps or frequencies; keep phases below 2 pi",
        others.aliased,
    ),
    Rule(
        "phase-turns",
        "note",
        "slow modes rotate many times within the sequence",
        "theta L / (2 pi) turns; lru Figure 4, sigprop.neuron.ring.mean_turns",
        "for long sequences choose phases within [0, pi/10]",
        others.turning,
    ),
    Rule(
        "weight-decay",
        "error",
        "weight decay pulls recurrence parameters to zero",
        "w exp(-rate decay t): as A_log tends to 0, A tends to 1",
        "move them to a parameter group without weight decay",
        others.decayed,
    ),
)
BY_ID = {rule.id: rule for rule in RULES}
