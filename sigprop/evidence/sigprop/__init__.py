"""What judges the rows of ``theory.papers.sigprop``."""
