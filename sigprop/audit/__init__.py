"""What theory says of a trained network or of a series, against what is measured."""
