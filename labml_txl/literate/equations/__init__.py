"""# Equations

The registry contains each equation of a paper once, with its symbols and the names that
they have in the code. KaTeX renders all formulas, in one process for the whole build.
This package does not depend on the program that builds the site.

The modules: `registry`, `symbols`, `node`, `math`, `extension`.
"""
