"""Zucchet & Orvieto (2024), on the curse of memory.

"Recurrent neural networks: vanishing and exploding gradients are not the end of the
story", NeurIPS 2024.  The packages are

- ``moments``: Section 2.2;
- ``curse``: Sections 1 to 3;
- ``networks``: Appendix A;
- ``proofs``: Appendix B;
- ``landscape``: Appendix C.1;
- ``hessian``: Appendix C.2;
- ``experiments``: Sections 4 to 6 and the rest.
"""

from sigprop.theory.claims import Numbered

NUMBERED = Numbered(equations=161, figures=15, tables=3, others=("lemma1", "lemma2"))
