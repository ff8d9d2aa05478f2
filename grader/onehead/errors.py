"""What stops a command: one line that says what is wrong and what to do (exit code 2)."""


class OneheadError(Exception):
    """A command can't run as asked. The message is the one line that its user reads."""
