"""The command line: arguments only. What a command does stands in the module that it calls."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

try:
    import click
except ModuleNotFoundError:  # a learner's package needs numpy alone; the command needs its extra
    sys.stderr.write("onehead: the command needs click: pip install 'onehead[cli]'\n")
    raise SystemExit(2) from None

from onehead import actions, course, grading, notebooks, reporting, reports, terminal, watching
from onehead import regrade as regrading
from onehead.errors import OneheadError
from onehead.render import text
from onehead.sandbox import Limits, SandboxError
from onehead.sorting import Late

COMMANDS = "onehead.commands"  # entry points of the instructor's package


_FOLDER = click.argument("folder", default=".", type=click.Path(path_type=Path))


def _how(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how code is run, and what of a folder."""
    options = (
        click.option("--jobs", type=click.IntRange(1), default=None, help="Submissions at a time."),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Grade on the Dask cluster of this scheduler: tcp://HOST:8786.",
        ),
        click.option(
            "--isolation",
            default="auto",
            show_default=True,
            help="auto, namespaces, kernel or process.",
        ),
        click.option(
            "--resume/--fresh", default=True, help="Keep what an earlier run finished, or not."
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0.1),
            default=Limits().seconds,
            show_default=True,
            help="CPU seconds for one exercise; a call has a tenth of it.",
        ),
        click.option(
            "--memory",
            type=click.IntRange(16),
            default=Limits().memory,
            show_default=True,
            help="MB above the bare interpreter.",
        ),
        click.option(
            "--late",
            type=click.Choice(["read", "leave"]),
            default="read",
            show_default=True,
            help="What to do with files that the LMS marks as late.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


class _Group(click.Group):
    """Commands of this package and of the instructor's, where that is installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(
            {*super().list_commands(ctx), *(point.name for point in course.entry_points(COMMANDS))}
        )

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for point in course.entry_points(COMMANDS).select(name=name):
            command: click.Command = point.load()
            return command
        return super().get_command(ctx, name)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="onehead")
def onehead() -> None:
    """An autograded workbook on single-head self-attention."""


@onehead.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where results go.")
@_how
@click.option(
    "--gradebook", metavar="DB", help="Enter marks and comments in nbgrader's gradebook.db, too."
)
@click.option("--dry-run", is_flag=True, help="Only show what each file would be read as.")
def grade(
    submissions: Path,
    out: Path | None,
    jobs: int | None,
    scheduler: str | None,
    isolation: str,
    resume: bool,
    timeout: float,
    memory: int,
    late: Late,
    gradebook: str | None,
    dry_run: bool,
) -> None:
    """Grade a class: one folder per learner, or what an LMS hands out, even zipped."""
    if dry_run:
        for line in grading.dry_run(submissions, late):
            click.echo(line)
        return
    if out is None:
        raise click.UsageError("Missing option '--out'.", click.get_current_context())
    order = grading.Order(
        submissions,
        out,
        Limits(timeout, memory),
        isolation,
        _jobs(jobs, scheduler),
        resume,
        late,
        gradebook,
        scheduler,
    )
    try:
        run = grading.run(order, click.echo, partial(click.echo, err=True))
    except KeyboardInterrupt:
        click.echo(
            f"stopped; what is finished is kept: run the same command again to go on (--out {out})",
            err=True,
        )
        sys.exit(130)
    sys.exit(1 if run.failures else 0)


@onehead.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the results are."
)
@_how
@click.option("--exercise", metavar="ID", help="Only this one: lesson-04.  [default: all]")
@click.option("--apply", is_flag=True, help="Change the marks; without it, only show the changes.")
def regrade(
    submissions: Path,
    out: Path,
    jobs: int | None,
    scheduler: str | None,
    isolation: str,
    resume: bool,
    timeout: float,
    memory: int,
    late: Late,
    exercise: str | None,
    apply: bool,
) -> None:
    """Grade again after a fix: show whose marks would change, and why, before they do."""
    order = grading.Order(
        submissions,
        out,
        Limits(timeout, memory),
        isolation,
        _jobs(jobs, scheduler),
        resume,
        late,
        scheduler=scheduler,
    )
    run = regrading.run(order, exercise, apply, click.echo)
    sys.exit(1 if run.failures else 0)


def _jobs(jobs: int | None, scheduler: str | None) -> int:
    if jobs is not None and scheduler is not None:
        raise click.UsageError(
            "--jobs is for this machine's own processes: with --scheduler, the cluster has as many "
            "as it has workers.",
            click.get_current_context(),
        )
    return jobs or available_jobs()


def available_jobs() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@onehead.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--github", is_flag=True, help="In a workflow: annotations and the step's summary, too."
)
def check(paths: tuple[Path, ...], github: bool) -> None:
    """Check your own files against the public checks, in place."""
    where = paths or (Path(),)
    if github:
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        right = actions.check(course.load(), where, sys.stdout, summary)
    else:
        right = terminal.check(course.load(), where, sys.stdout)
    sys.exit(0 if right else 1)


@onehead.command()
@_FOLDER
def watch(folder: Path) -> None:
    """Check again at every save, one exercise at a time."""
    watching.watch(course.load(), folder, sys.stdout)


@onehead.command()
@click.argument("part")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--open",
    "opened",
    type=click.IntRange(1, 3),
    default=1,
    show_default=True,
    help="How many of the three hints.",
)
def hint(part: str, paths: tuple[Path, ...], opened: int) -> None:
    """A hint for the first thing that is not right in a part: a question, then where, then why."""
    terminal.hint(course.load(), part, paths or (Path(),), opened, sys.stdout)


@onehead.command()
@_FOLDER
def progress(folder: Path) -> None:
    """How much of the chapter is done."""
    terminal.progress(course.load(), folder, sys.stdout)


_FILLED = ("canvas", "moodle")  # formats that are an LMS's own file, filled


@onehead.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format", "name", required=True, type=click.Choice(list(reports.formats())), help="Which."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where it goes.  [default: DIR/reports]"
)
@click.option(
    "--fill",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="canvas, moodle: the gradebook that the LMS exported, which is copied and filled.",
)
@click.option("--column", help="canvas, moodle: the column of that file that takes the marks.")
def report(
    folder: Path, name: str, out: Path | None, fill: Path | None, column: str | None
) -> None:
    """Write a graded class in another format; DIR is what grade had as --out."""
    if (fill or column) and name not in _FILLED:
        raise click.UsageError(f"--fill and --column are for {' and '.join(_FILLED)}, not {name}.")
    wishes = reports.Wishes(None if fill is None else reporting.exported(fill), column)
    written, notes = reporting.write(folder, name, wishes, out)
    for note in notes:
        click.echo(text.printable(note), err=True)
    click.echo(reporting.summary(written))


@onehead.command()
@_FOLDER
def init(folder: Path) -> None:
    """Write the notebooks into a folder; what is there already stays."""
    _say(notebooks.init(folder))


@onehead.command()
@_FOLDER
def update(folder: Path) -> None:
    """Bring a newer release's notebooks into a folder; your answers stay."""
    _say(notebooks.update(folder))


@onehead.command()
@click.argument("name")
@_FOLDER
def reset(name: str, folder: Path) -> None:
    """Write one notebook anew, as it was released; the old copy is kept."""
    _say(notebooks.reset(name, folder))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def main(arguments: list[str] | None = None) -> Any:
    """Run a command; what stops it is one line on stderr and exit code 2."""
    try:
        return onehead.main(arguments, standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message())
        sys.exit(0)
    except click.ClickException as error:
        command = (
            error.ctx.command_path
            if isinstance(error, click.UsageError) and error.ctx
            else "onehead"
        )
        said = error.format_message().rstrip()
        _stop(f"{said}{'' if said.endswith(('.', '?')) else '.'} See {command} --help.")
    except OneheadError as error:
        _stop(str(error))
    except OSError as error:
        place = error.filename2 or error.filename
        if place is None:
            raise
        _stop(f"can't use {str(place)!r} ({error.strerror}): mend that, or give another place")
    except SandboxError as error:
        click.echo(f"onehead: the grader failed: {error}", err=True)
        sys.exit(1)


def _stop(line: str) -> None:
    click.echo("onehead: " + " ".join(line.split()), err=True)
    sys.exit(2)
