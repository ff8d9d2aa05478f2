"""The site that needs no installation: what is in it, and that it is looked through."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import onehead_solutions
from onehead.errors import OneheadError
from onehead_release import bundle, commands, site
from onehead_release.bundle import manifest
from onehead_release.solved import stems
from onehead_release.verify import layout_problems, verify


def settings(folder: Path) -> dict[str, Any]:
    """How the site's kernel is set up."""
    document = json.loads((folder / "jupyter-lite.json").read_text())
    (kernel,) = document["jupyter-config-data"]["litePluginSettings"].values()
    return dict(kernel)


def test_it_holds_what_a_learner_is_given_elsewhere(release: Path) -> None:
    for stem in stems():
        given = (release / "learner" / f"{stem}.ipynb").read_bytes()
        assert (release / "site" / "files" / f"{stem}.ipynb").read_bytes() == given
    (wheel,) = (release / "learner").glob("*.whl")
    assert (release / "site" / "pypi" / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_kernel_finds_the_wheel_in_two_ways_and_no_index(release: Path) -> None:
    folder, kernel = release / "site", settings(release / "site")
    (package,) = kernel["loadPyodideOptions"]["packages"]
    (worker,) = folder.glob("extensions/**/comlink.worker.*.js")
    assert (worker.parent / package).resolve().is_file()
    index = json.loads((folder / kernel["pipliteUrls"][0].partition("?")[0]).read_bytes())
    assert sorted(index) == ["comm", "onehead"]
    for releases in index.values():
        ((wheel,),) = releases["releases"].values()
        data = (folder / "pypi" / wheel["url"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == wheel["digests"]["sha256"]
    assert kernel["disablePyPIFallback"] is True


def test_nothing_in_it_depends_on_where_it_lies(release: Path) -> None:
    kernel = settings(release / "site")
    assert all(url.startswith("./") for url in kernel["pipliteUrls"])
    front = (release / "site" / "index.html").read_text()
    assert 'href="/' not in front and 'src="' not in front


def test_a_wheel_that_is_packed_again_has_the_modules(release: Path) -> None:
    (wheel,) = (release / "site" / "pypi").glob("comm-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if not name.endswith("/RECORD")}
        (record,) = {*packed.namelist()} - names
        listed = {line.split(",")[0] for line in packed.read(record).decode().splitlines()}
    assert {"comm/__init__.py", "comm/base_comm.py"} < names
    assert listed == names | {record}


@pytest.mark.parametrize("stem", stems())
def test_the_first_cell_imports_numpy(release: Path, stem: str) -> None:
    """In a browser a package is fetched for the cell that imports it, not for what that imports."""
    cells = json.loads((release / "learner" / f"{stem}.ipynb").read_text())["cells"]
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    tree = ast.parse("".join(first["source"]))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    imported = {alias.name for node in imports for alias in node.names}
    assert "numpy" in imported


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("pyodide", "./pyodide"),
        ("./pyodide/pyodide.mjs", "./pyodide"),
        ("https://example.org/full/", "https://example.org/full"),
        ("/pyodide/", "/pyodide"),
    ],
)
def test_pyodide_may_lie_elsewhere(given: str, folder: str) -> None:
    assert site.pyodide_folder(given) == folder


def test_without_jupyterlite_the_rest_is_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(site, "NEEDS", {"no_such_module": "what-it-needs[all]", "json": "json"})
    done = CliRunner().invoke(commands.build, ["--out", str(tmp_path / "release")])
    assert (done.exit_code, done.stderr) == (
        0,
        "onehead: no site was made, since JupyterLite is not all installed: "
        "pip install 'what-it-needs[all]'\n",
    )
    assert (tmp_path / "release" / "learner").is_dir()
    assert not (tmp_path / "release" / "site").exists()
    assert layout_problems(tmp_path / "release") == []


@pytest.mark.parametrize(
    ("options", "asked_for"),
    [([], (True, None)), (["--no-site", "--pyodide", "here"], (False, "here"))],
)
def test_the_command_says_how(
    monkeypatch: pytest.MonkeyPatch, options: list[str], asked_for: tuple[bool, str | None]
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(bundle, "build", lambda *given: asked.append(given))
    done = CliRunner().invoke(commands.build, ["--out", "x", *options])
    assert (done.exit_code, asked) == (0, [(Path("x"), *asked_for)])


def test_a_site_that_cannot_be_told_from_others_files_is_refused(
    monkeypatch: pytest.MonkeyPatch, release: Path
) -> None:
    site.upstream.cache_clear()
    monkeypatch.setattr(site, "NEEDS", {"no_such_module": "what-it-needs"})
    with pytest.raises(OneheadError, match=r"holds a site.*pip install 'what-it-needs'"):
        layout_problems(release)


# --- secrets -----------------------------------------------------------------------------


def solved_notebook(release: Path) -> str:
    shutil.copy(
        release / "solved" / "notebooks" / "04_matrix_form.ipynb",
        release / "site" / "files" / "04_matrix_form.ipynb",
    )
    return "site/files/04_matrix_form.ipynb: source of"


def changed_script(release: Path) -> str:
    script = release / "site" / "config-utils.js"
    script.write_text(script.read_text() + "// import onehead_solutions\n")
    return "site/config-utils.js: names the package onehead_solutions"


def another_wheel(release: Path) -> str:
    (release / "site" / "pypi" / "more-1.0-py3-none-any.whl").write_bytes(b"more")
    return "site/pypi/more-1.0-py3-none-any.whl: an unexpected file"


def in_settings(release: Path) -> str:
    path = release / "site" / "jupyter-lite.json"
    source = Path(onehead_solutions.__file__).with_name("attention.py").read_text()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"note": source}))
    return "site/jupyter-lite.json: source of attention.py"


def test_what_does_not_belong_into_it_is_found(release: Path, tmp_path: Path) -> None:
    copy = tmp_path / "release"
    for name in ("site", "solved"):
        shutil.copytree(release / name, copy / name)
    due = [plant(copy) for plant in (solved_notebook, changed_script, another_wheel, in_settings)]
    (copy / "MANIFEST.json").write_bytes(manifest(copy))
    found = [problem for problem in verify(copy) if problem.startswith("site/")]
    for start in due:
        assert any(problem.startswith(start) for problem in found), start
