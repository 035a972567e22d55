r"""# Translations

English sentences and what stands for them in other languages. A catalog holds the
messages of a page. Catalogs are read from PO files, and the files follow the English
when it changes. Nothing here knows how a page is written.
"""
