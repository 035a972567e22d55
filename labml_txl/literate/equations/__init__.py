r"""# Equations

The registry holds each equation of a paper once, with its symbols and the names that
they have in the code. Formulas are set by KaTeX, in one process that lives as long as a
build. Nothing here knows which program makes the site.

The modules: `registry`, `symbols`, `node`, `math`, `extension`.
"""
