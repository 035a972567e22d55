r"""# MkDocs

The host that builds this site. Only this room imports MkDocs or Material.

The modules: `plugin`, `settings`, `navigation`, `pages`, `search`, `languages`,
`preview`.
"""
