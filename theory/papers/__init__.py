"""Each paper's numbered statements as printed, linked to their derivations."""
