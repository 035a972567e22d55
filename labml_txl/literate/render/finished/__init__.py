r"""# Finished pages

What is done with pages once they are HTML: the last step of each, the check of all
their links, and the check of the blocks of a text.

The modules: `html`, `links`, `blocks`.
"""
