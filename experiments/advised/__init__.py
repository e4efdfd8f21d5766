"""Trainings that begin as ``sigprop advise`` says, against those that begin by default."""
