"""What judges the rows of ``theory.papers.zucchet.hessian``."""
