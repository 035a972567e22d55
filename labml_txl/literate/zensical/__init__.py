"""# Zensical

The site as a folder of Markdown that Zensical, the successor of Material, builds.
"""
