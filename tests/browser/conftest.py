"""One Jupyter server on a learner's installation and one Chromium, for the whole suite.

Both are started when the first test asks for them. Without Playwright or Chromium every test here
is skipped with a sentence. Pictures of what was seen go to ``build/screenshots``, or to the folder
that ONEHEAD_SCREENSHOTS names.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.front_ends import SECONDS
from tests.browser.hosts import RefusingProxy

HERE = Path(__file__).parent
_CHROMIUM = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--disable-features=AutofillServerCommunication",
]  # fmt: skip
_SETTINGS = {
    # Nothing asks the network, nothing hides a cell that is far away.
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}


def _missing() -> str | None:
    """Why there is no browser to test with."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed: `make browser` installs it"
    if _chromium() is None:
        return "no Chromium is on the PATH (Debian: apt-get install chromium fonts-dejavu-core)"
    return None


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    why = _missing()
    for item in items:
        if why is not None and HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=why))


# --- the browser -------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=_chromium(), args=_CHROMIUM)
        yield launched
        launched.close()


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture
def page(
    browser: Any, picture: Callable[[Any, str], None], request: pytest.FixtureRequest
) -> Iterator[Any]:
    """A page of its own; a request to any other machine fails the test.

    Of a test that failed there is a picture of where it stood.
    """
    with RefusingProxy() as elsewhere:
        context = browser.new_context(
            viewport={"width": 1280, "height": 1000},
            proxy={"server": elsewhere.url, "bypass": "127.0.0.1"},
        )
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        yield page
        if request.node.stash.get(_FAILED, False):
            picture(page, f"failed-{request.node.name}")
        context.close()
    assert elsewhere.asked == []


@pytest.fixture(scope="session")
def picture() -> Callable[[Any, str], None]:
    """Keep a picture of a page, or of a part of one, under a name."""
    folder = Path(os.environ.get("ONEHEAD_SCREENSHOTS", "build/screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda shown, name: shown.screenshot(path=folder / f"{name}.png")


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """What axe-core finds in a page, or in what a selector names there, and is no trifle."""
    from axe_playwright_python.sync_playwright import Axe

    def run(page: Any, selector: str | None = None) -> list[str]:
        response = Axe().run(page, context=selector).response
        assert response["passes"]  # it has looked at something
        return [
            f"{found['id']}: {node['html']}"
            for found in response["violations"]
            if found["impact"] in ("serious", "critical")
            for node in found["nodes"]
        ]

    return run


# --- Jupyter, as a learner has it --------------------------------------------------------


@pytest.fixture(scope="session")
def learner_python(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The learner's wheel in a virtual environment that is lent Jupyter and all that it needs.

    What the repository itself has installed, answers among it, is not lent.
    """
    folder = tmp_path_factory.mktemp("learner") / "venv"
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "onehead" not in entry.name and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    for name in ("share", "etc"):
        (folder / name).symlink_to(Path(sys.prefix) / name)
    (wheel,) = (release / "learner").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return folder / "bin" / "python"


class Server:
    """A Jupyter server: where it is, the folder that it serves, and formgrader's course."""

    def __init__(self, url: str, root: Path, course: Path) -> None:
        self.url, self.root, self.course = url, root, course

    def theme(self, name: str) -> None:
        """Choose JupyterLab's theme, as its settings editor does."""
        self._put("lab/api/settings/@jupyterlab/apputils-extension:themes", {"theme": name})

    def _put(self, path: str, settings: dict[str, str]) -> None:
        body = json.dumps({"raw": json.dumps(settings)}).encode()
        request = urllib.request.Request(f"{self.url}/{path}", body, method="PUT")
        urllib.request.urlopen(request, timeout=SECONDS).close()


@pytest.fixture(scope="session")
def server(learner_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab, Notebook 7 and nbgrader's extensions, all on one server."""
    folder = tmp_path_factory.mktemp("jupyter")
    root, config, course = folder / "work", folder / "config", folder / "work" / "course"
    root.mkdir()
    for name, settings in _SETTINGS.items():
        file = folder / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    config.mkdir()
    (config / "nbgrader_config.py").write_text(
        f"c.CourseDirectory.root = {str(course)!r}\nc.CourseDirectory.course_id = 'onehead'\n"
    )
    port = _free_port()
    log = folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                learner_python, "-m", "jupyterlab", "--no-browser", "--allow-root",
                "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
                "--IdentityProvider.token=", "--ServerApp.password=",
                "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={root}",
            ],
            env=_environment(folder, learner_python), cwd=folder,
            stdout=stream, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/api/status", process, log)
        yield Server(url, root, course)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _environment(folder: Path, python: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    kept.pop("PYTHONPATH", None)
    return kept | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "HOME": str(folder),
    }


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"Jupyter did not start:\n{log.read_text(errors='replace')}")
