"""What judges the rows of ``theory.papers.zucchet.landscape``."""
