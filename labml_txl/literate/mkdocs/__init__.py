"""# MkDocs

The host that builds this site. `plugin` handles the events of MkDocs, `settings` reads
`mkdocs.yml`, `pages` caches the HTML of pages and `search` their search entries, and
`serving` rebuilds the preview after each save. `settings` is used by the host Zensical
too.
"""
