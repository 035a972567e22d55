"""# What may run, load or appear on a page

Modules, prose, templates and the registry of equations belong to the project, so they
may hold HTML. Three kinds of text do not:

- **Translations** are written and read by strangers. Nothing in a PO file, a
  `language.toml` or an imported JSON file may add an element, an attribute or an
  address that its English sentence does not have. `foreign` checks this when a catalog
  is read, before any format is written.
- **Notes** of annotated code may come from anybody. `trusted` separates the engine's
  own HTML from theirs, which is sanitised after rendering, on what a browser would
  parse (`elements`).
- **Drawings** are inserted into pages. `svg` keeps only what draws.

Should something still get into a page, the browser does not run it: `policy` gives
every page a content security policy.
"""
