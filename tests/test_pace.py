"""Progress: rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io

import pytest

from onehead.pace import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(stream: io.StringIO, steps: list[tuple[float, int]], total: int) -> str:
    now = [0.0]
    progress = Progress(stream, clock=lambda: now[0])
    for at, done in steps:
        now[0] = at
        progress(done, total)
    return stream.getvalue()


def test_a_terminal_shows_rate_and_time_left_on_one_line() -> None:
    text = told(Terminal(), [(0.0, 0), (0.05, 1), (4.0, 8), (5.0, 10)], 10)
    assert text.split("\r")[1:] == [
        "0 of 10 submissions",
        "8 of 10 submissions, 2.0 a second, 1 s left",
        "10 of 10 submissions, 2.0 a second".ljust(43) + "\n",
    ]


def test_what_an_earlier_run_did_is_not_in_the_rate() -> None:
    text = told(Terminal(), [(0.0, 90), (5.0, 95)], 100)
    assert text.endswith("95 of 100 submissions, 1.0 a second, 5 s left")


@pytest.mark.parametrize("steps", [[(0.0, 0), (1.0, 4), (2.0, 10)], [(0.0, 10)]])
def test_a_short_run_says_nothing_where_output_is_kept(steps: list[tuple[float, int]]) -> None:
    assert told(io.StringIO(), steps, 10) == ""


def test_plain_lines_come_now_and_then_where_output_is_kept() -> None:
    text = told(io.StringIO(), [(0.0, 0), (4.0, 8), (10.0, 20), (12.0, 24), (21.0, 42)], 100)
    assert text == (
        "20 of 100 submissions, 2.0 a second, 40 s left\n"
        "42 of 100 submissions, 2.0 a second, 29 s left\n"
    )
