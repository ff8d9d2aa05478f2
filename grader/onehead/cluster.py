"""Grading on a Dask cluster: groups of submissions go out, answers come back, each once.

What is finished is the caller's to keep: results in workers' memory die with them. A worker that
dies costs nothing, since the scheduler has its groups done again elsewhere. Where a group's workers
die again and again, its submissions are tried one by one, with nothing beside them, so that the one
to blame is known for certain.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from onehead import dispatch, remote
from onehead.dispatch import Dispatch, Group, at_work
from onehead.errors import OneheadError
from onehead.installed import Installed
from onehead.isolation import LEVELS, Proof, check_name, common
from onehead.model import Exercise
from onehead.pool import Answer, Answers, How, failed
from onehead.remote import Worker, refusal
from onehead.sandbox import Limits
from onehead.submission import Submission, SubmissionFolder, read

CONNECT_SECONDS = 15.0
CLOSE_SECONDS = 5.0
GROUP_SECONDS = 5.0  # a task's overhead is some ms, a box's start 100; a dead worker costs a group
GROUP_SIZE, GROUP_BYTES = 50, 2**20  # at most, of submissions and of their code
AHEAD = 2  # groups under way for each worker, so that none waits for the next
IN_A_ROW = 8  # failures without any success between them: then the cluster is at fault
DEATHS = 2  # workers that a submission may cost when it is alone


@contextlib.contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at that address, until the end.

    Raises:
        OneheadError: there is none, or ``distributed`` is not installed.
    """
    try:
        from distributed import Client, Security
    except ModuleNotFoundError:
        raise OneheadError(
            "grading on a cluster needs distributed: pip install 'onehead[cluster]'"
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":  # what matters is told in a line of our own
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        given = Security().get_connection_args("client")
        if address.startswith("tls:") and given.get("ssl_context") is None:
            raise ValueError("no certificates given: see docs/cluster.md")
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="onehead")
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise OneheadError(
            f"no scheduler answers at {address!r} ({error or 'time ran out'}): give the address "
            "that dask scheduler prints, such as tcp://HOST:8786"
        ) from None
    try:
        yield Cluster(client, address)
    finally:
        with contextlib.suppress(Exception):  # of a scheduler that is gone
            client.close(timeout=CLOSE_SECONDS)


def caution(address: str) -> str:
    """What has to be known of an address that others may reach; nothing of a safe one."""
    url = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        private = ipaddress.ip_address(url.hostname or "").is_loopback
    except ValueError:
        private = url.hostname == "localhost"
    if private or url.scheme == "tls":
        return ""
    return (
        f"whoever reaches {address} can run code on every worker: keep it to a private network, or "
        "use tls:// with certificates for both sides"
    )


class Cluster:
    """The workers of a scheduler, which may come and go."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._workers = 0  # that were examined

    def as_json(self) -> Mapping[str, Any]:
        return {"scheduler": self._address, "workers": self._workers}

    # --- before the first group ----------------------------------------------------------

    def prove(self, asked: str, limits: Limits) -> Proof:
        """The level that every worker's own probe proves; for "auto" the strongest such.

        Raises:
            OneheadError: no worker is there, or one can't give that level, has other versions
                than this machine or several threads.
        """
        check_name(asked)
        try:
            self._client.wait_for_workers(1, timeout=dispatch.SILENT_SECONDS)
        except TimeoutError:
            raise OneheadError(
                f"the scheduler at {self._address} has no worker: start some, such as "
                f"dask worker {self._address} --nthreads 1 --nworkers 4"
            ) from None
        proofs = self._proofs(asked, limits)
        weakest = max((proof.level for proof in proofs), key=LEVELS.index)
        if any(proof.level != weakest for proof in proofs):
            proofs = self._proofs(weakest, limits)
        self._workers = len(proofs)
        return replace(common(proofs), asked=asked)

    def _proofs(self, asked: str, limits: Limits) -> list[Proof]:
        here, proofs, reasons = Installed.here(limits), [], []
        known = at_work(self._client, self._address)
        found = self._client.run(remote.examine, asked, limits, on_error="return")
        for address in sorted(found):
            why = _objection(found[address], here, known.get(address, {}).get("nthreads", 1))
            if why:
                reasons.append(refusal(_host(found[address], address), why))
            else:
                proofs.append(found[address].proof)
        if reasons:
            more = f" (and {len(reasons) - 1} more workers)" if len(reasons) > 1 else ""
            raise OneheadError(f"{reasons[0]}{more}")
        return proofs

    # --- grading -------------------------------------------------------------------------

    def answers(
        self, how: How, exercises: Sequence[Exercise], todo: Sequence[SubmissionFolder]
    ) -> Iterator[Answers]:
        """Each submission's answer, a group at a time as they come.

        Raises:
            OneheadError: scheduler or workers are gone, a worker that came later must not grade,
                or workers die whatever they are given.
        """
        sender = Dispatch(self._client, self._address, Installed.here(how.limits), how)
        groups = _Groups(todo, [exercise.stem for exercise in exercises])
        row = _Row()
        suspects: list[str] = []
        for group, outcome in sender.outcomes(groups, lambda: AHEAD * max(1, sender.workers)):
            row.count(outcome)
            groups.workers = sender.workers
            if isinstance(outcome, Exception):
                suspects += [submission.name for submission in group]
            else:
                groups.learn(outcome)
                yield outcome
        folders = {learner.name: learner for learner in todo}
        alone = _Groups([folders[name] for name in suspects], groups.stems, most=1)
        for group in alone:
            answer, outcome = _alone(sender, group)
            row.count(outcome)
            yield [(group[0].name, answer)]
        yield [*groups.unread, *alone.unread]


def _objection(worker: Worker | Exception, here: Installed, threads: int) -> str:
    """Why a worker must not grade, and what to do; nothing where it may."""
    if isinstance(worker, Exception):
        told = f"{type(worker).__name__}: {worker}"
        return f"it has no onehead such as this one ({told}): install the same there"
    if why := remote.objection(worker, here):
        return why
    if threads != 1:
        return (
            f"it does {threads} tasks at a time in one process, where one that dies takes the "
            "others along: start it with --nthreads 1, and more of them with --nworkers"
        )
    return ""


def _host(worker: Worker | Exception, address: str) -> str:
    return worker.host if isinstance(worker, Worker) else urlsplit(address).hostname or address


def _alone(sender: Dispatch, suspect: Group) -> tuple[Answer, Answers | Exception]:
    """A submission whose group failed, with nothing else under way: this one is to blame or not."""
    from distributed import KilledWorker

    died = 0
    while died < DEATHS:
        ((_, outcome),) = sender.outcomes(iter([suspect]), lambda: 1)
        if isinstance(outcome, KilledWorker):
            died += outcome.allowed_failures + 1
        else:
            answer = failed(outcome) if isinstance(outcome, Exception) else outcome[0][1]
            return answer, outcome
    return Answer(None, failure=f"its worker on the cluster ended {died} times"), outcome


class _Row:
    """Failures in a row: many of them are no submission's fault."""

    def __init__(self) -> None:
        self._length = 0

    def count(self, outcome: Answers | Exception) -> None:
        self._length = self._length + 1 if isinstance(outcome, Exception) else 0
        if self._length == IN_A_ROW:
            raise OneheadError(
                f"{IN_A_ROW} tasks in a row failed on the cluster (the last: {outcome}): what is "
                "finished is kept; look at a worker's log, and run the same command again to go on"
            )


class _Groups:
    """The class in groups that take some seconds each, small enough that every worker has one."""

    def __init__(
        self, todo: Sequence[SubmissionFolder], stems: Sequence[str], most: int = GROUP_SIZE
    ) -> None:
        self.stems, self.workers = stems, 1  # as many as are there, when that is known
        self._waiting, self._most = deque(todo), most
        self._graded, self._seconds = 0, 0.0
        self.unread: Answers = []  # the grader's own failures to read

    def __iter__(self) -> Iterator[Group]:
        return self

    def __next__(self) -> Group:
        group: list[Submission] = []
        size, room = self._size(), GROUP_BYTES
        while self._waiting and len(group) < size and room > 0:
            learner = self._waiting.popleft()
            try:
                group.append(read(learner, self.stems))
            except Exception as error:
                self.unread.append((learner.name, failed(error)))
            else:
                cells = (c for source in group[-1].sources.values() for c in source.cells)
                room -= sum(len(cell.source) for cell in cells)
        if not group:
            raise StopIteration
        return group

    def learn(self, answers: Answers) -> None:
        """How long submissions take."""
        self._graded += len(answers)
        self._seconds += sum(a.grader_seconds + a.learner_seconds for _, a in answers)

    def _size(self) -> int:
        share = len(self._waiting) // (2 * AHEAD * max(1, self.workers))
        fitting = GROUP_SECONDS * self._graded / self._seconds if self._seconds else 1
        return max(1, min(self._most, share, int(fitting)))
