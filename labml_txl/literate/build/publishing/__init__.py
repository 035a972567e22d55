r"""# Publishing

A site in all its languages, built at the same time, and put in its place when it is
whole.

The modules: `site`, `places`, `workers`, `rebuilding`.
"""
