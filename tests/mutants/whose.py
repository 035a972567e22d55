"""Whose the lines of a process are: `coverage` asks in every process that it measures.

The folder in `MUTANTS` holds the number of the test that runs now. A process that is
started reads there to which test it belongs.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from coverage import CoveragePlugin
from coverage.plugin_support import Plugins
from coverage.types import TConfigurable

NOW = Path(os.environ.get("MUTANTS", "."), "now")


class _Whose(CoveragePlugin):
    """The test that a process belongs to, as the context of all its lines."""

    def configure(self, config: TConfigurable) -> None:
        config.set_option("run:context", NOW.read_text(encoding="utf-8"))


def coverage_init(registry: Plugins, options: object) -> None:
    """What `coverage` calls first."""
    if not NOW.exists():
        return  # pytest itself, whose context changes from test to test
    registry.add_configurer(_Whose())
    # A process that is killed has no time to say what it ran.
    subprocess.Popen.kill = subprocess.Popen.terminate  # type: ignore[method-assign]
