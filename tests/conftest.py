"""What holds for every test: how long properties search, which plugins tell what was left out."""

import os

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.support.corpus",
    "tests.support.hbase",
    "tests.support.java_iceberg",
    "tests.support.peers",
]

# No deadline: the first example of a compiled kernel pays for its compilation.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci",
    max_examples=300,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a neighbour on the machine is no finding
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))
