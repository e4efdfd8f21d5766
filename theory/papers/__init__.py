"""Every statement of the papers as printed, linked to what is derived; by its paper.

A paper is a package with a module a subject.  Its ``__init__``, and that of each
package inside it, lists its parts in order; nothing else composes them.  The first line
of a module names the sections and equations that it holds, so the first lines of a
folder, ``head -qn1 theory/papers/zucchet/*/*.py``, are its table of contents.

From an id to its row: ``sigprop show zucchet:45`` names the module.
"""
