"""Groups of submissions on their way to a cluster's workers and back.

A few groups for each worker are under way at a time, however large the class: what is sent, what is
waited for and what has come back are that much and no more.
"""

from __future__ import annotations

import contextlib
import queue
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any

from onehead import remote
from onehead.errors import OneheadError
from onehead.installed import Installed
from onehead.pool import Answers, How
from onehead.submission import Submission

SILENT_SECONDS = 60.0  # without a worker, or a word from the scheduler, before a run stops
LOOK_SECONDS = 5.0  # between two looks at who is there
RESULT_SECONDS = 10.0  # for a result whose worker died meanwhile; then it is waited for again

Group = Sequence[Submission]


class Dispatch:
    """Sends groups by a ``distributed.Client`` that is connected, to be graded in one way."""

    def __init__(self, client: Any, address: str, expected: Installed, how: How) -> None:
        self._client, self._address = client, address
        self._expected, self._how = expected, how
        self._run, self._sent = uuid.uuid4().hex[:12], 0  # no older result answers to such a key
        self._looked, self._seen = float("-inf"), time.monotonic()
        self.workers = 0

    def outcomes(
        self, groups: Iterator[Group], width: Callable[[], int]
    ) -> Iterator[tuple[Group, Answers | Exception]]:
        """Each group once with its answers, or what kept it from having any, as they come.

        At most ``width()`` are under way.

        Raises:
            OneheadError: scheduler or workers are gone, or a worker refused to grade.
        """
        flying: dict[str, tuple[Any, Group]] = {}  # a future that nobody holds is given up
        landed: queue.SimpleQueue[Any] = queue.SimpleQueue()
        while True:
            self._look()
            while len(flying) < width() and (group := next(groups, None)) is not None:
                future = self._send(group)
                flying[future.key] = future, group
                future.add_done_callback(landed.put)
            if not flying:
                return
            try:
                future = landed.get(timeout=LOOK_SECONDS)
                outcome = self._outcome(future, flying[future.key][1])
            except queue.Empty:
                continue
            if outcome is None:
                future.add_done_callback(landed.put)
            else:
                yield flying.pop(future.key)[1], outcome

    def _send(self, group: Group) -> Any:
        self._sent += 1
        return self._client.submit(
            remote.grade_group,
            self._expected,
            remote.packed(self._how, group),
            key=f"onehead-{self._run}-{self._sent}",
            pure=False,
        )

    def _outcome(self, future: Any, group: Group) -> Answers | Exception | None:
        """None where the result was lost with its worker, and is being made again."""
        try:
            answers = remote.unpacked(future.result(timeout=RESULT_SECONDS))
        except TimeoutError:
            return None
        except CancelledError:  # so are all when the connection breaks
            raise self._lost("does not answer any more") from None
        except OneheadError:
            raise
        except Exception as error:
            if self._client.status != "running":
                raise self._lost("does not answer any more") from None
            return error
        return list(zip([submission.name for submission in group], answers, strict=True))

    # --- who is there --------------------------------------------------------------------

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        workers = at_work(self._client, self._address)
        self.workers, self._looked = len(workers), time.monotonic()
        if workers:
            self._seen = self._looked
        elif now - self._seen > SILENT_SECONDS:
            raise self._lost(f"has had no worker for {SILENT_SECONDS:.0f} s")

    def _lost(self, why: str) -> OneheadError:
        return gone(self._address, why)


def gone(address: str, why: str) -> OneheadError:
    return OneheadError(
        f"the scheduler at {address} {why}: what is finished is kept; see to the cluster, and run "
        "the same command again to go on"
    )


def at_work(client: Any, address: str) -> Mapping[str, Any]:
    """By address, the workers that take work, as the scheduler describes them.

    Raises:
        OneheadError: the scheduler does not answer.
    """
    with contextlib.suppress(OSError, TimeoutError, CancelledError, AttributeError):
        info = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=SILENT_SECONDS)
        return {k: v for k, v in info["workers"].items() if v.get("status") == "running"}
    raise gone(address, "does not answer any more")
