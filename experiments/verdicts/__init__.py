"""The simulated part of verification at fresh seeds: verdicts that change."""
