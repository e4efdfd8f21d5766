"""The website: pages of this project in one folder, built by Sphinx.

Everything that Sphinx reads is written first: ``docs`` as it stands, the reference of
public names, and the pages of the ledger, the notebooks and the gallery as bodies of raw
HTML.  All pages then share navigation, search and look.
"""
