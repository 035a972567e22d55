r"""# A whole project

All the steps of the engine, run over the files of a project. What did not change is not
made again, and each language is built in a process of its own. Programs that make a
site, and the commands, see the same values.

The modules: `modules`, `build`, `edition`, `making`, `forms`, `reading`, `progress`,
`cache`, `publishing`, `check`.
"""
