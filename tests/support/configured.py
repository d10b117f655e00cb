"""Catalogs that pyiceberg finds by their names in its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyiceberg.catalog
from pyiceberg.utils.config import Config

if TYPE_CHECKING:
    import pytest

__all__ = ["configure"]


def configure(patch: pytest.MonkeyPatch, name: str, **properties: str) -> None:
    """Let pyiceberg know a catalog; it reads the environment once, when it is imported."""
    for key, value in properties.items():
        patch.setenv(f"PYICEBERG_CATALOG__{name.upper()}__{key.upper()}", value)
    patch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())
