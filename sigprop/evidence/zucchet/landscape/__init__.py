"""Evidence for the rows of ``sigprop.theory.papers.zucchet.landscape``."""
