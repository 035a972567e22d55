r"""# MkDocs

The host that builds this site. Only this room imports MkDocs or Material.

The modules: `plugin`, which MkDocs calls, and `words`, which cuts Chinese for its
search.
"""
