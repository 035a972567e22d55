"""# Zensical

Builds the site with Zensical, the successor of Material: `tree` writes and reads
folders, `zensical` runs the build.
"""
