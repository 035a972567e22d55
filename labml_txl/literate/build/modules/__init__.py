r"""# The modules

The source files of a project, each as what is known of it, in the order of reading.

The modules: `files`, `order`, `front`, `excerpts`, `observed`,
`figures`, `digests`.
"""
