"""A site that needs no installation: JupyterLite with the notebooks and the learner's wheel.

Static files for any host, under any path. Python runs in the learner's browser (Pyodide), and what
the learner writes is kept there. The wheels that the kernel needs and Pyodide does not bring are in
the site, so no package index is asked. Pyodide itself, with numpy, is fetched from ``pyodide``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from onehead.errors import OneheadError
from onehead.model import Exercise
from onehead.render.html import shown
from onehead.render.page import page
from onehead_release.chapter import chapter
from onehead_release.wheel import record, wheel_name, zipped

# What is installed besides, by the module that shows that it is there.
NEEDS = {
    "jupyterlite_core": "jupyterlite-core[contents]",
    "jupyterlite_pyodide_kernel": "jupyterlite-pyodide-kernel",
    "jupyter_server": "jupyterlite-core[contents]",
    "comm": "comm",
}
APPS = ("lab", "notebooks", "tree", "edit")
EPOCH = 315532800  # 1980, the earliest that a zip can say; every time in the site
KERNEL = "@jupyterlite/pyodide-kernel-extension"
# From the kernel's worker, in extensions/OWNER/NAME/static, to the root of the site.
ROOT_OF_WORKER = "../../../.."
SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},  # find and read all of it
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
}


def missing() -> str | None:
    """What a site needs and is not installed, as a sentence; None where it can be made."""
    absent = [need for module, need in NEEDS.items() if importlib.util.find_spec(module) is None]
    if not absent:
        return None
    named = " ".join(f"'{need}'" for need in dict.fromkeys(absent))
    return f"no site was made, since JupyterLite is not all installed: pip install {named}"


def build(
    out: Path,
    exercises: Sequence[Exercise],
    notebooks: Mapping[str, bytes],
    wheel: bytes,
    pyodide: str | None = None,
) -> None:
    """Write the chapter's site to ``out``, a folder that does not exist.

    ``pyodide`` is the folder of a Pyodide distribution: a URL, or a path relative to the site;
    None for the one that the kernel was made for, on its public host.

    Raises:
        OneheadError: JupyterLite failed.
    """
    folder = pyodide_folder(pyodide)
    with tempfile.TemporaryDirectory(prefix="onehead-site-") as scratch:
        lite = Path(scratch)
        wheels = {wheel_name(): wheel} | _repacked("comm")
        for place, files in (("files", notebooks), ("pypi", wheels)):
            (lite / place).mkdir()
            for name, data in files.items():
                (lite / place / name).write_bytes(data)
        _write_json(lite / "jupyter_lite_config.json", {"LiteBuildConfig": _build_settings()})
        _write_json(lite / "jupyter-lite.json", _site_settings(folder))
        _run_jupyterlite(lite, out)
    _sort_contents(out / "api" / "contents" / "all.json")
    (out / "index.html").write_text(_front_page(exercises, folder), encoding="utf-8")
    (out / ".nojekyll").write_bytes(b"")  # GitHub Pages is to serve each file as it is


def pyodide_folder(given: str | None) -> str:
    """The URL of Pyodide's folder, without a slash at its end."""
    if given is None:
        from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL

        return str(PYODIDE_CDN_URL)
    folder = given.removesuffix("pyodide.mjs").rstrip("/")
    if urlsplit(folder).scheme or folder.startswith("/"):
        return folder
    return f"./{folder.removeprefix('./')}"


# --- what JupyterLite is told ------------------------------------------------------------


def _build_settings() -> dict[str, object]:
    return {
        "apps": APPS,
        "federated_extensions": [str(_kernel_extension())],
        "ignore_sys_prefix": True,  # other extensions that happen to be installed stay out
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "source_date_epoch": EPOCH,
    }


def _site_settings(pyodide: str) -> dict[str, object]:
    kernel = {
        "disablePyPIFallback": True,
        # Loaded with Python itself, so that the notebooks are those of every other bundle.
        "loadPyodideOptions": {"packages": [f"{ROOT_OF_WORKER}/pypi/{wheel_name()}"]},
        "pyodideUrl": f"{pyodide}/pyodide.mjs",
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": chapter().title,
            "litePluginSettings": {f"{KERNEL}:kernel": kernel},
            "settingsOverrides": SETTINGS,
        },
    }


def _kernel_extension() -> Path:
    return Path(sysconfig.get_path("data")) / "share" / "jupyter" / "labextensions" / KERNEL


def _repacked(name: str) -> dict[str, bytes]:
    """A wheel of an installed distribution in pure Python, the same bytes each time."""
    distribution = metadata.distribution(name)
    left_out = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")
    files = {
        str(file): file.locate().read_bytes()  # type: ignore[attr-defined]
        for file in distribution.files or ()
        if file.suffix != ".pyc" and file.name not in left_out and ".." not in file.parts
    }
    (info,) = {file.split("/")[0] for file in files if ".dist-info/" in file}
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    return {f"{name}-{distribution.version}-py3-none-any.whl": zipped(files)}


def _write_json(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _run_jupyterlite(lite: Path, out: Path) -> None:
    nowhere = str(lite / "no-configuration")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    done = subprocess.run(
        [
            sys.executable, "-P", "-m", "jupyterlite_core", "build",
            "--lite-dir", lite, "--output-dir", out.resolve(),
        ],
        cwd=lite, capture_output=True, text=True, check=False,
        env=kept | {"JUPYTER_CONFIG_DIR": nowhere, "JUPYTER_CONFIG_PATH": nowhere},
    )  # fmt: skip
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise OneheadError(
            f"JupyterLite could not make the site: {said[-1] if said else 'no word'}"
        )


def _sort_contents(path: Path) -> None:
    """The list of the files, which JupyterLite writes as the file system gives them."""
    listed = json.loads(path.read_bytes())
    listed["content"].sort(key=lambda entry: entry["path"])
    _write_json(path, listed)


# --- the front page ----------------------------------------------------------------------

# JupyterLite's own pages read the first page of their site, too, and look for this in it.
_CONFIGURATION = '<script id="jupyter-config-data" type="application/json">{}</script>'


def _front_page(exercises: Sequence[Exercise], pyodide: str) -> str:
    source = urlsplit(pyodide).hostname
    source = f"<code>{shown(source)}</code>" if source else "this site"
    lessons = "".join(
        f'<li><a href="lab/index.html?path={shown(e.stem)}.ipynb">{shown(e.title)}</a></li>'
        for e in exercises
    )
    return page(
        chapter().title,
        f"<h1>{shown(chapter().title)}</h1>",
        "<p>Notebooks to work through in order, with a check for each part. They run in this "
        "browser; nothing has to be installed.</p>",
        f"<ol>{lessons}</ol>",
        "<p>Run the cells of a notebook from the top, with Shift and Enter, and replace each stub. "
        "The first cell takes a while: Python has to start.</p>",
        "<h2>Where your work is</h2>",
        "<p>Nothing that you write leaves this computer. It is kept in this browser: saved "
        "notebooks are there when you come back with the same browser to the same address. They "
        "are gone when you clear the browser's data for this site, or close a private window. To "
        "hand in a notebook, or to be safe, choose File, Download.</p>",
        "<h2>What is fetched</h2>",
        f"<p>The pages, the notebooks and their checks come from this site. Python itself and "
        f"numpy come from {source}. No other place is asked.</p>",
        _CONFIGURATION,
    )


# --- what a site is made of --------------------------------------------------------------


def own_files(stems: Sequence[str]) -> set[str]:
    """The names in a site of what is not JupyterLite's own, as it was installed."""
    return {
        ".nojekyll",
        "index.html",
        "jupyter-lite.json",
        "api/contents/all.json",
        "api/translations/all.json",
        "api/translations/en.json",
        "build/schemas/all_federated.json",
        "pypi/all.json",
        *(f"pypi/{name}" for name in (wheel_name(), *_repacked("comm"))),
        *(f"files/{stem}.ipynb" for stem in stems),
    }


@lru_cache
def upstream() -> frozenset[str]:
    """The SHA-256 of each file of JupyterLite and its kernel, as they are installed here.

    Raises:
        OneheadError: they are not.
    """
    if missing():
        raise OneheadError(
            "the release holds a site, and JupyterLite's own files can't be told from others here, "
            "since it is not installed: pip install " + " ".join(map(repr, NEEDS.values()))
        )
    return frozenset(hashlib.sha256(data).hexdigest() for data in _upstream())


def _upstream() -> Iterator[bytes]:
    from jupyterlite_core.constants import ALL_APP_ARCHIVES

    for path in ALL_APP_ARCHIVES:
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                if (stream := archive.extractfile(member)) is not None:
                    yield stream.read()
    for path in _kernel_extension().rglob("*"):
        if path.is_file():
            yield path.read_bytes()
