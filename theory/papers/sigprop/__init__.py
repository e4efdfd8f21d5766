"""Our own statements, which go beyond the papers."""
