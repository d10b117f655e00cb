"""The names that the Spark packages offer are there whatever was imported before."""

import importlib
import pkgutil

import pytest

PACKAGES = ["byteloom.spark", "byteloom.spark.jobs"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_called_like_what_its_package_offers(package: str) -> None:
    """No module has the name of a public function of its package: its import would replace it."""
    offered = importlib.import_module(package)
    modules = {each.name for each in pkgutil.iter_modules(offered.__path__)}
    assert not modules & set(offered.__all__)
