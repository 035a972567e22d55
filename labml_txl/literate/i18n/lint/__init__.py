r"""# Faults in words

What is wrong with a translation that a program can see: a lost formula, a changed
number, a term that is not that of the glossary. Each finding has a code and a message.
Nothing here knows where translations are kept.

The modules: `markup`, `letters`, `wording`, `leftovers`, `english`,
`glossary`, `findings`.
"""
