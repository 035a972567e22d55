r"""# Finished pages

What is done with pages once they are HTML: the last step of each, the look at all their
links, and the look at a translated page beside the English one.

The modules: `code`, `html`, `links`, `wall`.
"""
