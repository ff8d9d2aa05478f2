"""The instructor's commands, which the command line finds by entry point."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from onehead_release.new import Written


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Where the sample class, its results and its feedback go.",
)
def demo(out: Path) -> None:
    """The whole loop on a small sample class."""
    from onehead_release.demo import run  # slow imports only for the command that needs them

    click.echo(run(out))


@click.command()
@click.option("--exercise", "only", multiple=True, metavar="ID", help="Only this one; repeatable.")
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one for each core]")
@click.option("--pairs/--no-pairs", help="Answers with two known mistakes.  [default: no]")
@click.option("--mutants/--no-mutants", help="Mutants of the references.  [default: no]")
def selftest(only: tuple[str, ...], jobs: int | None, pairs: bool, mutants: bool) -> None:
    """The grader against its bank of right and wrong answers, and what its checks can't see."""
    from onehead.pace import Progress
    from onehead_release import selftest as test

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    tell = Progress(sys.stderr, "answers")
    text, well = test.run(only, jobs or cores or 1, tell, pairs, mutants)
    click.echo(text)
    if not well:
        raise SystemExit(1)


@click.group()
def release() -> None:
    """Build the bundles of a release, and look for secrets in them."""


@release.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where it goes.")
@click.option("--site/--no-site", default=True, help="With the site that runs in a browser.")
@click.option(
    "--pyodide",
    metavar="URL",
    help="Where that site finds Pyodide's folder: a URL, or a path within the site.  "
    "[default: its public host]",
)
def build(out: Path, site: bool, pyodide: str | None) -> None:
    """Every bundle, from the sources."""
    from onehead_release import bundle

    if (lacking := bundle.build(out, site, pyodide)) is not None:
        click.echo(f"onehead: {lacking}", err=True)
    click.echo(f"The release is in {out}; look it over with: onehead release verify {out}")


@release.command()
@click.argument("folder", type=click.Path(path_type=Path))
def verify(folder: Path) -> None:
    """No secret in what learners get, and every file as it was built."""
    from onehead_release import verify as verification

    problems = verification.verify(folder)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise SystemExit(1)
    click.echo(f"{folder}: nothing secret, nothing unexpected, nothing changed")


@release.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("autograder.zip"),
    show_default=True,
    help="Where it goes.",
)
def gradescope(out: Path) -> None:
    """An autograder.zip for Gradescope. It holds all answers: for the instructor alone."""
    from onehead_release import gradescope as bundle

    bundle.write(out)
    click.echo(f"{out}: upload it under Configure Autograder. It holds all answers.")


@click.command("new-chapter")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", help="What the chapter is called.  [asked for where it is missing]")
def new_chapter(folder: Path, title: str | None) -> None:
    """A package for a chapter of your own; FOLDER's name is the chapter's."""
    from onehead_release import new

    _say(new.chapter(folder, _asked(title, "title", folder.name.replace("-", " ").capitalize())))


@click.command("new-exercise")
@click.option("--name", help="Of the exercise and its module: split_heads.")
@click.option("--title", help="What stands over the notebook.")
@click.option("--part", help="The function that learners write.")
@click.option("--points", type=float, help="What it is worth.")
def new_exercise(
    name: str | None, title: str | None, part: str | None, points: float | None
) -> None:
    """The files of a new exercise in the chosen course: templates that work, to write over.

    What is not given as an option is asked for; without a terminal, the title and the part are made
    from the name, and there are 10 points.
    """
    from onehead_release import new
    from onehead_release.chapter import chapter

    course = chapter()
    name = _asked(name, "name", None)
    title = _asked(title, "title", name.replace("_", " ").capitalize())
    part = _asked(part, "part", name)
    points = _asked(points, "points", 10.0)
    _say(new.exercise(course, new.NewExercise(name, title, part, points)))


def _asked(given: Any, option: str, default: Any) -> Any:
    """What was given; else what is typed; without a terminal the default."""
    if given is not None:
        return given
    if sys.stdin.isatty():
        return click.prompt(option.capitalize(), default=default)
    if default is None:
        raise click.UsageError(f"Missing option '--{option}'.", click.get_current_context())
    return default


def _say(written: Written) -> None:
    here = Path.cwd()
    for path in written.paths:
        click.echo(f"{path.relative_to(here) if path.is_relative_to(here) else path} written")
    click.echo("Next:")
    for command in written.following:
        click.echo(f"  {command}")
