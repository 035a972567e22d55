"""# What may run, load or appear on a page

Modules, prose, templates and the registry of equations belong to the project, so they
may hold HTML. Three kinds of text do not:

- **Translations** are written and read by strangers. Nothing in a PO file, a
  `language.toml` or an imported JSON file may add an element, an attribute or an
  address that its English sentence does not have. `foreign` checks this when a catalog
  is read, before any format is written.
- **Notes** of annotated code may come from anybody. `trusted` separates the engine's
  own HTML from theirs, which is sanitised after rendering, on what a browser would
  parse (`elements`): no script, form or frame is left, and no class or style that
  could place an element over the rest of the page. The classes of our style sheet stay
  only where the engine has marked them.
- **Drawings** are inserted into pages. `svg` keeps only what draws.

Should something still get into a page, the browser does not run it: `policy` gives
every page a content security policy. It allows the scripts of the site, and no other
host than those that the project names, for a single page or for all pages.

A project's other files are read, and never run: links that lead out of the project are
refused (`sources.source`), entries of the cache are JSON in a folder that nobody else
can write to (`project.cache`), and what is downloaded has a known hash
(`equations.node`). Only `txl notebooks` and `txl observe` run code of the project.
"""
