r"""# From the settings of a project to its pages

Read in this order: `project` (settings), `modules` and `content` (what the files hold),
`localized` (the pages of a language), `files` (what stands beside them), `publication`
(putting a site into its place). `cache` holds results of earlier builds; `check` looks
for what is unfinished.
"""
