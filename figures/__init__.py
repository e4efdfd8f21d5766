"""One script per figure of the papers: load, draw, save."""
