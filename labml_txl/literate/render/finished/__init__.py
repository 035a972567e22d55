r"""# Finished pages

What is done with pages once they are HTML: the last step of each, the look at all their
links, the look at a translated page beside the English one, and the look at the blocks
of a text.

The modules: `code`, `html`, `links`, `wall`, `blocks`.
"""
