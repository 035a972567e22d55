r"""# Hosts

A host is a program that makes a site of Markdown. Each has a place of its own here, and
nothing else in the engine knows that it is there. The templates and the style of the
pages stand beside the hosts, in the folder `theme`.

What every host uses: `templates`, `policy`, `navigation`, `chinese`, `preview`. What a
host uses that reads a folder: `tree`. What commands ask for: `project`. The hosts: the
room `mkdocs`, and `zensical`.
"""
