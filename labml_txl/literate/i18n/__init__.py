"""# Translations

Reads the catalogs, which map the English messages of a page to their translations, from
PO files; checks and sanitises the translations, and updates the files when the English
changes. Nothing here depends on how a page is rendered.
"""
