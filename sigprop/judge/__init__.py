"""From a statement to its status: plans, routes, simulations, verdicts.

*Routes.*  A quantity is computed in several ways that share nothing: derived with SymPy
(``sym``); summed by brute force in high precision (``ref``); from the impulse response of
the JAX recurrence, with the sensitivity by forward differentiation (``imp``), or by
differentiating a loss backwards (``ad``); by the stable code in floating point (``cf``);
and by simulating independent trajectories from the zero state (``mc``).  All but the last
agree to rounding or the claim fails.

*Simulation.*  "Not rejected" is not "confirmed".  The ratio of the measured moment to the
closed form is *refuted* if its interval excludes 1, *confirmed* if both one-sided tests
show it to lie within the margin (5 %, or 1 % in the headline tier), and *inconclusive*
otherwise, which counts as a failure.  The number of trajectories is fixed beforehand, so
that a form wrong by the margin is confirmed with probability below 1e-6 and a right one
missed with probability below 1e-7.  A run is finite and starts from rest: a stationary
form is carried to the simulated number of steps by the share of the limit that these build
up.  What else a simulation could be off by is bounded by a hundredth of the margin, or a
run refuses to begin.

*Seeds.*  No seed is special: the sweep ``fresh_seeds`` takes the simulations again at
others and counts wrong words.

*Mutants.*  A check that cannot fail is a defect.  Each formula is changed in one sign, power,
factor or conjugate at a time, and the column ``mutants`` says how many of these wrong
versions the evidence refutes.
"""
