r"""# MkDocs

The host that builds this site: `plugin` is what MkDocs asks, `settings` what stands in
`mkdocs.yml`, `pages` and `search` what is kept of its pages, `serving` the site while
somebody writes. `policy` and `templates` serve Zensical too.
"""
