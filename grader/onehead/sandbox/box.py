"""One worker slot."""

from __future__ import annotations

from typing import Self

from onehead.sandbox.budget import Budget
from onehead.sandbox.child import Child
from onehead.sandbox.questions import Dead, SandboxError
from onehead.sandbox.zygote import Zygote


class Box(Zygote):
    """A zygote that hands out children, one after the other. A context manager."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def child(self, module: str, budget: Budget) -> Child:
        """A fresh, locked child whose cells run in a module of that name.

        Raises Dead when the budget is spent, SandboxError when no child can be made.
        """
        if budget.spent:
            raise Dead("timed-out")
        for last_try in (False, True):
            try:
                return Child(self, module, budget)
            except OSError as error:  # an earlier child may have killed the zygote
                self.close()
                if last_try:
                    raise SandboxError(f"no worker: {error}") from error
        raise AssertionError
