"""What judges the rows of ``theory.papers.rotrnn``."""
