"""Evidence on gated layers with time constants up to 1000 steps: neurons, and heads."""

from functools import partial

from sigprop.evidence.sigprop import delta_memories, neuron_memories
from sigprop.evidence.sigprop.neuron_memories import HANDS, HEADLINE
from sigprop.judge.basis import Basis, Case, by_case

ROUTES = ("steps", "monte_carlo")

EVIDENCE: dict[str, Basis] = {
    "sigprop:memories": by_case(
        {
            name.removeprefix("gate-"): Case(
                partial(neuron_memories.memories, name),
                partial(neuron_memories.score, name),
                ROUTES,
                partial(neuron_memories.memories, name, size=HEADLINE),
            )
            for name in HANDS
        }
        | {
            "deltanet": Case(
                delta_memories.memories,
                delta_memories.score,
                ROUTES,
                partial(delta_memories.memories, size=HEADLINE),
            )
        }
    ),
}
