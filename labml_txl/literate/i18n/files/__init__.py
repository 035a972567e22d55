r"""# Files of translations

The form that translators' programs read and write.

The modules: `po`, `plurals`, `wrapping`.
"""
