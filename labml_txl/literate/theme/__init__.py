"""# The theme

What every page of a site shares, whichever host builds it: `overrides` holds the
templates, style sheets and scripts; `templates` gives the templates their variables;
`navigation` expands and translates the navigation; `sheets` makes the style sheets of a
built site smaller.
"""
