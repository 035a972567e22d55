"""# MkDocs

The host that builds this site. `plugin` handles the events of MkDocs, `settings` reads
`mkdocs.yml`, `navigation` expands and translates the navigation, `pages` caches the
HTML of pages and `search` their search entries, and `serving` rebuilds the preview
after each save. `navigation`, `policy`, `settings` and `templates` are used by the host
Zensical too.
"""
