"""What every number rests on: precision, devices, files, seeds, SymPy made numeric."""
