"""# From the settings of a project to its pages

Read in this order: `settings`, `modules` and `content` (reading the
files), `localized` (the pages of a language), `files` (the other files of a site),
`publication` (replacing the published site atomically). `cache` stores the results of
earlier builds; `check` is `txl check`. `inventory` collects the messages to translate.
"""
