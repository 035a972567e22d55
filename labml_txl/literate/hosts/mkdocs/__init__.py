r"""# MkDocs

The host that builds this site. Only this room imports MkDocs or Material.

The module: `plugin`.
"""
