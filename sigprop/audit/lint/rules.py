"""The rules of ``sigprop lint``, in one table."""

from sigprop.audit.lint import decays, others
from sigprop.audit.lint.findings import Case, Rule


def _elsewhere(case: Case) -> tuple[str, ...]:
    """Nothing: what is no layer's is looked for in the file as a whole."""
    return ()


ANOTHER = "draw the layer again, after whatever initialises all modules, and in float32"
RULES: tuple[Rule, ...] = (
    Rule(
        "decay-not-finite",
        "error",
        "a parameter of the decay is infinite or not a number",
        "|lam| = exp(-exp(A_log) dt): 1 at A_log = -inf; zucchet:45",
        f"{ANOTHER}: bfloat16 rounds a uniform draw to 0, whose logarithm is -inf",
        decays.not_finite,
    ),
    Rule(
        "weights-not-finite",
        "error",
        "a tensor has an infinity or a NaN",
        "a NaN in any weight is one in every later state",
        "go back to the checkpoint before, and look at the loss scale and the reload",
        _elsewhere,
    ),
    Rule(
        "decay-all-zero",
        "error",
        "a parameter of the decay is zero throughout",
        "|lam| = exp(-exp(0) dt), one for all modes",
        f"{ANOTHER}; on several devices, on every one or before they are sharded",
        decays.all_zero,
    ),
    Rule(
        "decay-overwritten",
        "warning",
        "a parameter of the decay is drawn as a weight matrix is",
        "|lam| = exp(-exp(x)), x of mean 0: memories of about one step",
        f"{ANOTHER}; exclude it from the general initialisation",
        decays.overwritten,
    ),
    Rule(
        "one-memory",
        "warning",
        "all modes forget at one rate",
        "the Hessian of equal eigenvalues is singular; zucchet:132",
        f"{ANOTHER}: rates are to be spread over the memories that the data need",
        decays.one_memory,
    ),
    Rule(
        "mode-exploding",
        "error",
        "moduli are above one",
        "|lam|^T = exp(-nu T) with nu < 0",
        "clip Re A below zero, or store its logarithm",
        decays.exploding,
    ),
    Rule(
        "mode-frozen",
        "error",
        "moduli are one in float32",
        "E|h_T|^2 = (1 - |lam|^2T)/(1 - |lam|^2), T in the limit; "
        "sigprop.neuron.stable.finite_state_moment_white",
        "keep nu above 2^-25; draw with an outer radius below one",
        decays.frozen,
    ),
    Rule(
        "frozen-for-length",
        "warning",
        "most modes forget nothing within the sequence",
        "E|h_T|^2 = T (1 - nu T + ...); sigprop.neuron.stable.finite_state_moment_white",
        "draw memories of about the sequence's length and below",
        decays.frozen_for_length,
    ),
    Rule(
        "mode-instant",
        "warning",
        "most modes forget in one step",
        "|lam| = exp(-nu) below 2^-25",
        "draw memories of more than a step; look at the sign of the logarithm",
        decays.instant,
    ),
    Rule(
        "memory-short",
        "warning",
        "no mode carries anything over the sequence",
        "|lam|^L = exp(-nu L), below the format's resolution 2^-p",
        "raise the outer radius, or the forget bias to log(L - 1) (chrono)",
        decays.short,
    ),
    Rule(
        "resolution-lost",
        "warning",
        "the format does not tell long memories apart",
        "moduli below 1 are 2^-p apart: 2^p (1/a - 1/b) memories from a to b steps; "
        "sigprop.audit.lint.resolution",
        "compute lam in float32, from nu = -log|lam|, whatever the weights are stored in",
        decays.resolution,
    ),
    Rule(
        "steps-small",
        "warning",
        "steps are far below the 0.001 to 0.1 that they begin with",
        "nu = dt |Re A|: memory is inverse to the step",
        "look whether dt is squared, or a softplus or an exponential applied twice",
        decays.small_steps,
    ),
    Rule(
        "steps-large",
        "warning",
        "steps are far above the 0.001 to 0.1 that they begin with",
        "softplus(0) = 0.69: nu = 0.69 exp(A_log)",
        "set the bias to the inverse softplus of log-uniform steps, after other "
        "initialisers",
        decays.large_steps,
    ),
    Rule(
        "ring-wrong",
        "warning",
        "a, and not the power a^8 that is applied, lies on the ring (0.9, 0.999)",
        "|lam| = a^(8 r), r the gate: 0.999^8 = 0.992; Griffin, Eq. 3 and Section 2.4",
        "draw a^8 on the ring: softplus(Lambda) = -log(a)/8",
        decays.wrong_ring,
    ),
    Rule(
        "decay-clipped",
        "warning",
        "many parameters of the decay stand at one end of their range",
        "the gradient of a clipped value is zero",
        "lower the learning rate of the group, or use a parametrisation without an edge",
        decays.clipped,
    ),
    Rule(
        "mode-dead",
        "warning",
        "modes reach no output, or see no input",
        "dL/dlam is proportional to C and to B; zucchet:126",
        "draw B and C again; a mode at zero stays there",
        others.dead,
    ),
    Rule(
        "mode-duplicated",
        "warning",
        "modes of one input share their eigenvalues",
        "equal eigenvalues: what they share in the Hessian is all of it; zucchet:132",
        "draw every mode with a key of its own",
        others.duplicated,
    ),
    Rule(
        "gamma-mismatch",
        "warning",
        "the normalisation is not that of the ring",
        "E|h|^2 = gamma^2/(1 - |lam|^2); lru:7, sigprop.neuron.ring.normalisation",
        "set gamma_log to log sqrt(1 - |lam|^2) of the eigenvalues that are there",
        others.gamma_off,
    ),
    Rule(
        "gates-saturated",
        "warning",
        "gates rest where no input moves them",
        "s' = s (1 - s) = exp(-|b|) far from 0; zucchet:32",
        "lower the biases: log T for memories of T steps",
        others.saturated,
    ),
    Rule(
        "phase-aliased",
        "warning",
        "phases turn too far in a step",
        "Re lam^k is the same for theta and 2 pi - theta",
        "draw smaller steps or frequencies; phases below 2 pi",
        others.aliased,
    ),
    Rule(
        "phase-turns",
        "note",
        "slow modes turn many times within the sequence",
        "theta L / (2 pi) turns; lru Figure 4, sigprop.neuron.ring.mean_turns",
        "for long sequences draw phases from [0, pi/10] or less",
        others.turning,
    ),
    Rule(
        "weight-decay",
        "error",
        "the optimiser pulls parameters of the recurrence to zero",
        "w exp(-rate decay t): A_log to 0 means A to 1",
        "put them into a group without weight decay",
        others.decayed,
    ),
)
BY_ID = {rule.id: rule for rule in RULES}
