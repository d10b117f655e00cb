"""What the Spark packages offer is there whatever was imported before."""

import importlib
import pkgutil

import pytest

PACKAGES = ["byteloom.spark", "byteloom.spark.jobs"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_called_like_what_its_package_offers(package: str) -> None:
    """Importing a module puts it into its package, in the place of a function of that name."""
    offered = importlib.import_module(package)
    modules = {each.name for each in pkgutil.iter_modules(offered.__path__)}
    assert not modules & set(offered.__all__)
