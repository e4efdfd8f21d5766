"""Judge statements: plans, routes, simulations and verdicts.

*Routes.*  A quantity is computed in several independent ways:

- derived with SymPy (``sym``);
- summed by brute force in high precision (``ref``);
- from the impulse response of the JAX recurrence, with the sensitivity by forward
  differentiation (``imp``);
- by differentiating a loss backwards (``ad``);
- by the stable code in floating point (``cf``);
- by simulating independent trajectories from the zero state (``mc``).

All except the simulation must agree up to rounding.

*Simulation.*  The verdict is about the ratio of the measured moment to the closed form.  The
form is *refuted* if the interval of the ratio excludes 1.  It is *confirmed* if both one-sided
tests show that the ratio is within the margin (5 %, or 1 % in the headline tier).  Otherwise
the result is *inconclusive*, which counts as a failure.  The number of trajectories is fixed
before the run.  A form that is wrong by the margin is confirmed with probability below 1e-6,
and a right form is not confirmed with probability below 1e-7.  A simulation has finitely many
steps from the zero state.  A stationary form is therefore multiplied by the share of the limit
that these steps reach.  Other deviations must be below a hundredth of the margin.

*Seeds.*  The sweep ``fresh_seeds`` repeats the simulations at other seeds and counts wrong
verdicts.

*Mutants.*  Each formula is changed in one sign, power, factor or conjugate at a time.  The
column ``mutants`` gives the number of these wrong versions that the evidence refutes.
"""
