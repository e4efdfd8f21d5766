"""One linear recurrence: scans, stable closed forms, rings, Monte-Carlo moments."""
