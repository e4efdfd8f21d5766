"""Exact statements: symbols, derivations and claims.

The modules import only SymPy, mpmath and the standard library.
"""

import os

# SymPy remembers so many results of each function, by default a thousand, of which little is
# left when a derivation asks again.  It is read once, when SymPy is imported.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
