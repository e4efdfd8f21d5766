"""Our own statements on the Hessian of the teacher-student loss, at any parameters."""

from theory.claims import Claim, Kind, Status
from theory.evidence import Evidence

EXPANSIONS = "sigprop.references.expansions."
SLIPS = {
    "the error left out": "without_error",
    "white input": "of_white_input",
    "couplings left out": "without_couplings",
    "five per cent more": "a_twentieth_more",
}
ROUTINES = {
    "closed_form": "by_route",
    "gramian": "by_gramian",
    "autodiff": "by_autodiff",
}
DIAGONAL = ("cartesian", "lru", "s4")
LATEX = (
    r"\partial_p \partial_q L = \sum_{j,k} w_{jk} \left( \langle \partial_p g_j, "
    r"\partial_q g_k \rangle + \langle d_j, \partial_p \partial_q g_k \rangle \right)"
)
CONDITION = (
    "linear student and teacher, infinitely long sequences, R = a delta + b rho^|Delta|; "
    "eigenvalues up to 0.9999 in modulus; entries over the root of both diagonal entries "
    "of the part without the error"
)


def _exact(
    name: str, title: str, points: tuple[tuple[str, str], ...], *routes: str, note: str
) -> Claim:
    return Claim(
        f"sigprop:curvature-{name}",
        "Hessian away from optimality",
        Kind.IDENTITY,
        f"The exact Hessian of the expected loss: {title}",
        LATEX,
        "evidence",
        Status.CONFIRMED,
        "sigprop.curvature.hessian.expand",
        assumes=CONDITION,
        note=note,
        topic="hessian",
        evidence=Evidence(
            tuple({"layer": layer, "law": law} for layer, law in points),
            {
                route: f"{EXPANSIONS}{routine}"
                for route, routine in ((one, ROUTINES[one]) for one in routes)
            },
            form=f"{EXPANSIONS}by_differences",
            tolerance=1e-8,
            slips={slip: EXPANSIONS + routine for slip, routine in SLIPS.items()},
            alone="" if len(routes) > 1 else "autodiff's loss needs a causal layer",
        ),
    )


def claims() -> tuple[Claim, ...]:
    """Our claims on the Hessian at any parameters."""
    return (
        _exact(
            "diagonal",
            "diagonal layers",
            tuple((layer, "mixed") for layer in DIAGONAL),
            "closed_form",
            "autodiff",
            note="Complex diagonal layers, the LRU and S4, all of their parameters: four "
            "tables, of s and its derivatives, and inner products.",
        ),
        _exact(
            "dense",
            "dense and block-diagonal layers",
            (("dense", "mixed"), ("block", "rho=0.9")),
            "closed_form",
            "gramian",
            note="Divided differences of s at the eigenvalues; or covariances of tangent "
            "systems, which know neither eigenvalues nor ages.",
        ),
        _exact(
            "blur",
            "BLUR",
            (("blur", "mixed"),),
            "closed_form",
            note="Filters of opposite directions of time share R(n + m).",
        ),
    )
