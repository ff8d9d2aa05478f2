"""nbgrader's gradebook: marks and comments go in through its own API, cell by cell.

What a person has entered there stays: manual scores, manual comments, extra credit, extensions.
Late penalties are nbgrader's own, with the course's settings. A submission that the grader failed
on gets no mark; where nbgrader knows the learner, its cells wait for manual grading.

Imported only where a gradebook is asked for: nbgrader is not needed otherwise.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from onehead import cell_names
from onehead.autograded import Released, notebook
from onehead.errors import OneheadError
from onehead.folder_names import safe_names
from onehead.ledger import write_atomically
from onehead.model import Exercise, ExerciseResult, Graded, PartResult, Result
from onehead.reporting import load
from onehead.submission import Submission, SubmissionFolder, read

CONFIG = "nbgrader_config.py"


@dataclass
class Saved:
    """What came of it, by learner: marks entered, told apart from what had to be left."""

    place: str
    saved: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)  # to be graded by hand in formgrader
    unknown: list[str] = field(default_factory=list)  # not graded, and not in the gradebook

    def lines(self) -> Iterator[str]:
        """What its user has to know."""
        yield f"{len(self.saved)} submissions entered in {self.place}"
        for name in self.waiting:
            yield f"{name} has no new marks there: its cells wait for manual grading"
        for name in self.unknown:
            yield f"{name} is not entered there"


class Book:
    """A gradebook and the course around it.

    Raises:
        OneheadError: nbgrader is not installed, or the gradebook can't be used.
    """

    def __init__(self, where: str, exercises: Sequence[Exercise]) -> None:
        if find_spec("nbgrader") is None:
            raise OneheadError(
                "--gradebook needs nbgrader, which is not installed here: "
                "pip install 'onehead[nbgrader]'"
            )
        self._exercises = exercises
        self._root, self._url = _located(where)
        self._config = _settings(self._root)
        if not Path(self._url.removeprefix("sqlite:///")).exists():
            self._source()  # else nbgrader makes an empty gradebook before it is refused
        with self._open() as book:
            self._assignment = self._find(book) or self._record(book)
            self._released = self._cells(book)

    # --- the course ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _open(self) -> Iterator[Any]:
        """nbgrader's gradebook; what its database refuses is one line.

        Its own code draws warnings from newer versions of SQLAlchemy, and looks its ``alembic`` up
        on the PATH: this interpreter's comes first.
        """
        from nbgrader.api import Gradebook
        from sqlalchemy.exc import SQLAlchemyError

        course_id = self._config.get("CourseDirectory", {}).get("course_id", "")
        with warnings.catch_warnings(), _own_programs_first():
            warnings.simplefilter("ignore")
            try:
                with Gradebook(self._url, course_id) as book:
                    yield book
            except SQLAlchemyError as error:
                said = str(getattr(error, "orig", None) or error).splitlines()[0]
                raise OneheadError(
                    f"nbgrader's gradebook {self._url} can't be used ({said}): is it a gradebook, "
                    "of this version of nbgrader (nbgrader db upgrade), and not in use?"
                ) from None

    def _find(self, book: Any) -> str | None:
        """The assignment with the course's notebooks in it."""
        stems = {exercise.stem for exercise in self._exercises}
        names = [
            assignment.name
            for assignment in book.assignments
            if stems <= {notebook.name for notebook in assignment.notebooks}
        ]
        if len(names) > 1:
            raise OneheadError(
                f"more than one assignment of the gradebook {self._url} holds this course's "
                f"notebooks ({', '.join(sorted(names))}): remove all but one with nbgrader"
            )
        return names[0] if names else None

    def _source(self) -> Path:
        """The course's source notebooks, which a new gradebook is made from."""
        first = self._exercises[0].stem
        folders = [path.parent for path in sorted((self._root / "source").glob(f"*/{first}.ipynb"))]
        if len(folders) != 1:
            raise OneheadError(
                f"the gradebook {self._url} has no assignment with this course's notebooks, and "
                f"{str(self._root / 'source')!r} holds none: give the gradebook.db in the course "
                "folder of a release, or run nbgrader generate_assignment there first"
            )
        return folders[0]

    def _record(self, book: Any) -> str:
        """Enter the assignment as ``nbgrader generate_assignment`` does, from the course's source.

        The released notebooks stay as they are.
        """
        import nbformat
        from nbgrader.preprocessors import ComputeChecksums, SaveCells

        folder = self._source()
        book.update_or_create_assignment(folder.name)
        for exercise in self._exercises:
            path = folder / f"{exercise.stem}.ipynb"
            if not path.is_file():
                raise OneheadError(f"{str(path)!r} is missing: build the release again")
            resources = {
                "nbgrader": {
                    "notebook": exercise.stem,
                    "assignment": folder.name,
                    "db_url": self._url,
                }
            }
            source = nbformat.read(path, as_version=4)
            for step in (ComputeChecksums, SaveCells):
                source, resources = step(config=self._config).preprocess(source, resources)
        return folder.name

    def _cells(self, book: Any) -> dict[str, dict[str, Released]]:
        """The cells of each notebook as released; the gradebook's points must be the course's."""
        found = {}
        for exercise in self._exercises:
            there = book.find_notebook(exercise.stem, self._assignment)
            points = {cell.name: cell.max_score for cell in there.grade_cells}
            due = {cell_names.check(part.name): float(part.points) for part in exercise.parts}
            stubs = {cell_names.stub(part.name) for part in exercise.parts}
            found[exercise.stem] = {
                cell.name: Released(cell.source, cell.checksum) for cell in there.source_cells
            }
            known = {*found[exercise.stem]} & {cell.name for cell in there.solution_cells}
            if points != due or not stubs <= known:
                raise OneheadError(
                    f"the gradebook's notebook {exercise.stem!r} has other cells or points than "
                    "this course: run nbgrader generate_assignment --force on the new release"
                )
        return found

    # --- marks ---------------------------------------------------------------------------

    def save(self, graded: Graded, submission: Callable[[str], Submission]) -> Saved:
        """Enter a class: marks, comments, and the notebooks that nbgrader's pages are made of.

        ``submission`` gives what a result was made from, by name. A learner whom the gradebook
        does not know is added.
        """
        done = Saved(self._url)
        ids = safe_names(graded.names)
        with self._open() as book:
            for result in graded.results:
                self._save(book, ids[result.submission], result, submission(result.submission))
                done.saved.append(result.submission)
            for name in sorted(graded.failed):
                known = self._leave_to_hand(book, ids[name])
                (done.waiting if known else done.unknown).append(name)
        return done

    def save_run(self, learners: Sequence[SubmissionFolder], out: Path) -> Saved:
        """Enter a run of these submissions that has just been written to ``out``."""
        stems = [exercise.stem for exercise in self._exercises]
        folders = {learner.name: learner for learner in learners}
        return self.save(load(out), lambda name: read(folders[name], stems))

    def _save(self, book: Any, student: str, result: Result, files: Submission) -> None:
        from nbgrader.api import MissingEntry

        try:
            book.find_student(student)
        except MissingEntry:
            book.add_student(student)
        when = {"timestamp": time} if (time := _parsed(files.timestamp)) else {}
        submission = book.update_or_create_submission(self._assignment, student, **when)
        results = {exercise.id: exercise for exercise in result.exercises}
        notebooks = {notebook.name: notebook for notebook in submission.notebooks}
        for exercise in self._exercises:
            marked = results[exercise.id]
            _enter(notebooks[exercise.stem], marked)
            self._write(student, exercise, marked, files)
        book.db.commit()
        self._penalise(book, student, submission)

    def _penalise(self, book: Any, student: str, submission: Any) -> None:
        """nbgrader's own late penalty, by the course's plugin and settings."""
        if submission.total_seconds_late <= 0:
            for entry in submission.notebooks:
                entry.late_submission_penalty = None
            book.db.commit()
            return
        import nbformat
        from nbgrader.preprocessors import AssignLatePenalties

        for exercise in self._exercises:
            resources = {
                "nbgrader": {
                    "notebook": exercise.stem,
                    "assignment": self._assignment,
                    "student": student,
                    "db_url": self._url,
                }
            }
            step = AssignLatePenalties(config=self._config)
            step.preprocess(nbformat.v4.new_notebook(), resources)

    def _leave_to_hand(self, book: Any, student: str) -> bool:
        """Have a known learner's cells wait for manual grading; whether there is such a learner.

        Marks of an earlier submission stay. A learner who is not there is not added, since
        nbgrader's export would write a 0 for somebody without marks.
        """
        from nbgrader.api import MissingEntry

        try:
            book.find_student(student)
        except MissingEntry:
            return False
        submission = book.update_or_create_submission(self._assignment, student)
        for entry in submission.notebooks:
            for grade in entry.grades:
                grade.needs_manual_grade = True
        book.db.commit()
        return True

    def _write(
        self, student: str, exercise: Exercise, result: ExerciseResult, files: Submission
    ) -> None:
        folder = self._root / "autograded" / student / self._assignment
        folder.mkdir(parents=True, exist_ok=True)
        source, released = files.sources[exercise.stem], self._released[exercise.stem]
        text = json.dumps(notebook(exercise, result, source, released), indent=1)
        write_atomically(folder / f"{exercise.stem}.ipynb", f"{text}\n", durable=False)


@contextlib.contextmanager
def _own_programs_first() -> Iterator[None]:
    path = os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), path])
    try:
        yield
    finally:
        os.environ["PATH"] = path


def _parsed(timestamp: str) -> Any:
    """The time that a learner's folder claims; None where it is none."""
    from nbgrader.utils import parse_utc

    try:
        return parse_utc(timestamp) if timestamp else None
    except (ValueError, OverflowError):
        return None


def _located(where: str) -> tuple[Path, str]:
    """The course's folder and the database's URL, of a path or a URL."""
    if "://" in where and not where.startswith("sqlite:///"):
        return Path.cwd(), where
    path = Path(os.path.abspath(where.removeprefix("sqlite:///")))
    if path.is_dir():
        path /= "gradebook.db"
    if not path.parent.is_dir():
        raise OneheadError(
            f"no folder {str(path.parent)!r} for the gradebook: give the gradebook.db of a course"
        )
    return path.parent, f"sqlite:///{path}"


def _settings(root: Path) -> Any:
    """The course's own settings for nbgrader; its defaults where there are none."""
    from traitlets.config import Config
    from traitlets.config.loader import PyFileConfigLoader

    if not (root / CONFIG).is_file():
        return Config()
    try:
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise OneheadError(f"{str(root / CONFIG)!r} can't be loaded: {said}") from None


def _enter(notebook: Any, result: ExerciseResult) -> None:
    """Marks and comments of one notebook. Like nbgrader's: a manual score stands, for review."""
    parts = {part.name: part for part in result.parts}
    by_check = {cell_names.check(name): part for name, part in parts.items()}
    by_stub = {cell_names.stub(name): part for name, part in parts.items()}
    for grade in notebook.grades:
        if grade.name in by_check:
            grade.auto_score = by_check[grade.name].score
            grade.needs_manual_grade = grade.manual_score is not None
    for comment in notebook.comments:
        if comment.name in by_stub:
            comment.auto_comment = comment_text(by_stub[comment.name])


def comment_text(part: PartResult) -> str:
    """What nbgrader shows beside a part: it takes it for Markdown, so texts are quoted as code."""
    if part.status == "unfinished" and not part.findings and part.override is None:
        return "No response."
    lines = [f"{part.score:g} of {part.max_score:g} points."]
    if part.status == "graded":
        lines[0] += f" {part.checks_passed} of {len(part.checks)} checks are right."
    if part.override is not None:
        lines.append(
            f"* **Your instructor's mark.** {_quoted(part.override.reason)} "
            f"(The grader's: {part.override.graded:g}.)"
        )
    for finding in part.findings:
        name = f"**{finding.misconception}** " if finding.misconception else ""
        lines.append(f"* {name}{_quoted(finding.message)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"`` {plain.replace('`', chr(39))} ``" if plain else ""
