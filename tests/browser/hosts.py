"""Servers of a test's own: a host of static files, and a proxy that refuses and notes."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self


class _Server:
    """A server in a thread of its own, within a ``with`` statement."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class StaticHost(_Server):
    """The files of a folder, and the paths that were asked for."""

    def __init__(self, root: Path) -> None:
        self.asked: list[str] = []
        super().__init__(partial(_Files, self.asked, directory=str(root)))


class RefusingProxy(_Server):
    """What a browser asks of any other host: the host and port, or the address.

    Unlike a page's own events it sees what workers ask, too.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(partial(_Refusal, self.asked))


class _Files(http.server.SimpleHTTPRequestHandler):
    def __init__(self, asked: list[str], *arguments: Any, **named: Any) -> None:
        self._asked = asked
        super().__init__(*arguments, **named)

    def do_GET(self) -> None:
        self._asked.append(self.path.partition("?")[0])
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """Nothing."""


class _Refusal(http.server.BaseHTTPRequestHandler):
    def __init__(self, asked: list[str], *arguments: Any) -> None:
        self._asked = asked
        super().__init__(*arguments)

    def do_CONNECT(self) -> None:
        self._asked.append(self.path)
        self.send_error(502)

    do_GET = do_POST = do_CONNECT

    def log_message(self, *_: object) -> None:
        """Nothing."""
