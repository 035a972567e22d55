r"""# MkDocs

The host that builds this site. Only this room imports MkDocs or Material.

The modules: `plugin`, `settings`, `navigation`, `pages`, `search`, `words`,
`languages`, `preview`.
"""
