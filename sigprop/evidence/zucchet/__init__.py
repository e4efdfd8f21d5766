"""What judges the rows of ``sigprop.theory.papers.zucchet``."""
