r"""# What was observed, on a page

Which name of the code column shows which value of a record, the shapes that a method
leads through, and what a browser is given of the values when it asks.

The modules: `uses`, `marks`, `data`.
"""
