"""The instructor's commands, which the command line finds by entry point."""

from __future__ import annotations

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
