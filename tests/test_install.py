"""It imports fast and works wherever it is put: threads, forks, missing packages, locked folders.

Each test runs a process of its own; the environment decides where numba may keep what it compiled.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import protospot as ps
from protospot.kernels import cpu
from tests.problems import METRICS

PACKAGE = Path(ps.__file__).parent
HEAVY = {"torch", "ray", "pyarrow", "matplotlib", "sklearn", "scipy", "numba", "pandas", "narwhals"}
START = """
import sys
import numpy as np
import protospot as ps
rng = np.random.default_rng(0)
source, target = rng.normal(size=(1500, 6)), rng.normal(size=(2000, 6))  # enough for two threads
def picks(**options):
    return ps.select(source, target, 12, **options).indices.tolist()
def work(_):
    return picks()
"""


def expected(**options):
    space: dict[str, Any] = {}
    exec(START, space)
    return space["picks"](**options)


def run(code, folder=PACKAGE.parent, *, python=("-W", "error"), **environment):
    """What a new Python that imports protospot from this folder prints."""
    known = {"PATH", "HOME", "LANG", "SYSTEMROOT", "NUMBA_CACHE_DIR"}
    inherited = {name: value for name, value in os.environ.items() if name in known}
    paths = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *python, "-c", code],
        env=inherited | paths | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def copied(tmp_path):
    """The package alone in another folder, without anything compiled."""
    folder = tmp_path / "site"
    shutil.copytree(
        PACKAGE, folder / "protospot", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    return folder


def test_importing_pulls_in_nothing_heavy():
    code = f"import sys, protospot; print({HEAVY} & set(sys.modules))"
    assert run(code) == "set()\n"
    assert run(code, python=("-W", "error", "-OO")) == "set()\n"


def test_every_public_name_is_there_and_documented():
    code = """
import protospot as ps
assert set(ps.__all__) == set(dir(ps))
for name in ps.__all__:
    assert getattr(ps, name).__doc__, name
try:
    ps.nothing
except AttributeError as error:
    print(error)
"""
    assert run(code) == "module 'protospot' has no attribute 'nothing'\n"


def test_it_prints_nothing_on_its_own():
    code = START + "sel = ps.evaluate(picks(), source, target); ps.explain(source, target, k=3)"
    assert run(code + "; ps.transport(sel, target); ps.criticisms(sel, source, target)") == ""


def test_threads_may_select_at_once_even_while_kernels_are_compiled(tmp_path):
    code = (
        START
        + """
import os
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(6) as pool:
    waiting = [pool.submit(picks, memory=m) for m in ["1GiB", "20MiB"] * 6]
found = {tuple(each.result()) for each in waiting}
assert len(found) == 1, found
print(*found)
"""
    )
    # The second process finds everything compiled, and leaves it as it is.
    cache, folder = tmp_path / "cache", copied(tmp_path)
    printed = run(code, folder, NUMBA_CACHE_DIR=str(cache))
    assert printed == f"{tuple(expected())}\n"
    compiled = {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")}
    assert compiled
    assert run(code, folder, NUMBA_CACHE_DIR=str(cache)) == printed
    assert {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")} == compiled
    assert not list(folder.rglob("*.nb?"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_forked_child_selects_what_its_parent_did(threads):
    code = (
        START
        + """
import multiprocessing, os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads, in newer Pythons
mine = picks()
child = os.fork()
if not child:
    os._exit(0 if picks() == mine else 1)
print(os.waitpid(child, 0)[1])
with multiprocessing.get_context("fork").Pool(2) as pool:
    print([theirs == mine for theirs in pool.map(work, range(3))])
"""
    )
    assert run(code, PROTOSPOT_NUM_THREADS=threads) == "0\n[True, True, True]\n"


@pytest.mark.parametrize(
    "missing",
    [
        ["numba"],
        ["scipy", "sklearn", "threadpoolctl"],
        ["numba", "scipy", "sklearn", "threadpoolctl", "narwhals", "pandas"],
    ],
    ids=" ".join,
)
def test_fast_metrics_work_where_packages_are_missing(missing):
    block = f"import sys\nfor name in {missing}: sys.modules[name] = None\n"
    code = f"""
for metric in {METRICS}:
    print(metric, picks(metric=metric))
chosen = ps.select(source, target, 3)
assert ps.assign(chosen, source, target)[0].tolist() == chosen.owner.tolist()
print(chosen.made_by["kernels"])
"""
    lines = [f"{metric} {expected(metric=metric)}" for metric in METRICS]
    lines.append("generic" if "numba" in missing else "cpu")
    assert run(block + START + code).splitlines() == lines


def test_where_scipy_is_missing_errors_say_what_is_wrong():
    block = "import sys\nfor name in ['scipy', 'sklearn']: sys.modules[name] = None\n"
    code = """
for metric in ("sqeuclidian", "chebyshev"):
    try:
        picks(metric=metric)
    except (ps.InputError, ImportError) as error:
        print(error)
"""
    unknown, other = run(block + START + code).splitlines()
    assert "Did you mean 'sqeuclidean'?" in unknown
    assert "scipy" in other.lower()


def test_a_folder_that_cannot_be_written_to_still_works(tmp_path):
    folder = copied(tmp_path)
    # Even root cannot make a folder where a file is, so nothing can be kept anywhere.
    for place in [folder / "protospot", *(folder / "protospot").rglob("*/")]:
        (place / "__pycache__").touch()
    wall = tmp_path / "wall"
    wall.touch()
    before = sorted(tmp_path.rglob("*"))
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "IPYTHONDIR"), str(wall))
    code = START + "print(picks(), ps.select(source, k=1).made_by['kernels'])"
    assert run(code, folder, **nowhere) == f"{expected()} cpu\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_the_cache_can_be_switched_off(tmp_path):
    code = START + "print(picks())"
    environment = {"PROTOSPOT_NUMBA_CACHE": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(code, **environment) == f"{expected()}\n"
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.parametrize("metric", [*METRICS, "chebyshev"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_second_call_compiles_nothing(metric, dtype):
    def compiled():
        return {name: list(getattr(cpu, name).signatures) for name in cpu.__all__}

    rng = np.random.default_rng(1)
    source, target = (rng.normal(size=(n, 6)).astype(dtype) for n in (300, 500))
    for memory in ("1GiB", "20MiB"):
        ps.select(source, target, 30, metric=metric, memory=memory)
        before = compiled()
        assert any(before.values())
        ps.select(source * 2, target[:450], 40, metric=metric, memory=memory)
        assert compiled() == before
