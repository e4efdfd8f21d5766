"""The website: all pages of this project in one folder, built by Sphinx.

First, everything that Sphinx reads is written to a folder.  It consists of ``docs``,
the reference of public names, and the pages of the ledger, the notebooks and the
gallery as raw HTML.  All pages then share navigation, search and style.
"""
