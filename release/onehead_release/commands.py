"""The instructor's commands, which the command line finds by entry point."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


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
def selftest(only: tuple[str, ...], jobs: int | None) -> None:
    """The grader against its bank of right and wrong answers."""
    from onehead.pace import Progress
    from onehead_release import selftest as test

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    text, well = test.run(only, jobs or cores or 1, Progress(sys.stderr, "answers"))
    click.echo(text)
    if not well:
        raise SystemExit(1)


@click.group()
def release() -> None:
    """Build the bundles of a release, and look for secrets in them."""


@release.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where it goes.")
def build(out: Path) -> None:
    """Every bundle, from the sources."""
    from onehead_release import bundle

    bundle.build(out)
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
