"""Errors that are the user's to fix."""


class UserError(Exception):
    """A mistake in the input or a lack of this machine, told in one message without a traceback.

    The message names the file and the key, shows the value and says what is accepted.
    """
