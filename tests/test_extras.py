"""The command that installs an extra, which depends on where byteloom came from."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("noted", "wanted"),
    [
        ('{"url": "file:///src/my%20wheel.whl"}', "pip install '/src/my wheel.whl[spark]'"),
        (
            '{"url": "https://x.test/byteloom.whl"}',
            "pip install 'https://x.test/byteloom.whl[spark]'",
        ),
        (None, "pip install 'byteloom[spark]'"),
        ("{", "pip install 'byteloom[spark]'"),
        ("[]", "pip install 'byteloom[spark]'"),
        ('{"url": 7}', "pip install 'byteloom[spark]'"),
    ],
)
def test_the_place_that_an_installer_notes_is_named(
    tmp_path: Path, noted: str | None, wanted: str
) -> None:
    """A wheel or a checkout is named with the extra; of a package of an index, its name."""
    folder = tmp_path / "byteloom-9.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: byteloom\nVersion: 9\n")
    if noted is not None:
        (folder / "direct_url.json").write_text(noted)
    code = "from byteloom.extras import installing; print(installing('spark'))"
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=True,
        text=True,
    )
    assert run.stdout == f"{wanted}\n"
