"""Our own statements: second moments through whole networks."""

from sigprop.theory.rows import Part

part = Part("", "layers")

part.row(
    "sigprop:network-moments",
    "moment",
    "confirmed",
    "Streams and states of every block of a deep network",
    r"\mathbb{E}\|h^{(l)}_t\|^2 \approx \sum_{n,m} \operatorname{tr} H_n R^{(l)}(m - n) H_m^*, "
    r"\; R^{(l+1)} = R^{(l)} + R_b + R_{bx} + R_{xb}, \; R_b = \mathrm{Cov}[v\, \sigma(g)], "
    r"\; (v, g) = W \, \phi(K * x^{(l)}), \; R_{bx}(\tau) = G \sum_n K_n R^{(l)}(\tau - n)",
    where="whole deep networks",
    code="sigprop.networks.propagation.predict_signals",
    assumes="independent input channels of a stationary Gaussian process, here AR(1); "
    "streams taken for Gaussian and stationary; layers linear and causal; after as many "
    "steps as it takes to forget the zero state; where there is mixing, the margin of 15 % "
    "is ours",
    note="H and K are the responses of a layer's states and outputs, phi is the GELU and G "
    "the expected Jacobian of the mixing; covariances of v sigma(g) follow from Stein's "
    "lemma and Mehler's series.  A network without mixing is exact; with it the network of "
    "Zucchet & Orvieto is judged at 32 features, every weight moved by noise of deviation "
    "0.2, so that its blocks weigh as much as the stream.",
)
