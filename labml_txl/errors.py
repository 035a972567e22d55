"""What goes wrong, told in one line to the person at the command line."""


class UserError(Exception):
    """Something that the user can put right: one line, and the exit status 1."""

    status = 1


class UsageError(UserError):
    """The command line, or the place it was called in, does not fit."""

    status = 2
