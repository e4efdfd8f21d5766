"""Every statement of the papers as printed, with its derivation, paper by paper.

A paper is a package with a module for each subject.  The first line of a module names its
sections and equations.  The first lines of all modules, ``head -qn1
theory/papers/zucchet/*/*.py``, are therefore a table of contents.

From an id to its row: ``sigprop show zucchet:45`` names the module.
"""
