"""Programs that tests start many times, without a Python to start them."""

import sys
from pathlib import Path
from typing import Final

__all__ = ["RUFF"]

RUFF: Final = str(Path(sys.executable).with_name("ruff"))
"""Ruff; ``python -m ruff`` takes three times as long for a small module."""
