r"""# MkDocs

The host that builds this site. Only this room imports MkDocs or Material.

The modules: `plugin`, `settings`, `pages`, `search`, `writing`, `languages`, `serving`.
"""
