"""What every test can ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from protospot.kernels import choose

# No deadline: a first call may compile. In CI a failure must not depend on the day's luck.
settings.register_profile("protospot", deadline=None, max_examples=50)
settings.register_profile("protospot-ci", settings.get_profile("protospot"), derandomize=True)
settings.load_profile("protospot-ci" if os.environ.get("CI") else "protospot")


@pytest.fixture(autouse=True)
def own_kernels() -> Iterator[None]:
    """No test gets the kernels that another one asked for."""
    yield
    choose.kernels.cache_clear()


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the real data sets; tests that need them are skipped where there is none."""
    folder = os.environ.get("PROTOSPOT_DATA")
    if not folder:
        pytest.skip("PROTOSPOT_DATA is not set: it names the folder of mnist.npz and other data")
    path = Path(folder).resolve()
    if not path.is_dir():
        pytest.fail(f"PROTOSPOT_DATA must name a folder, got {folder!r}.")
    return path
