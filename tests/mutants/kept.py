"""Values in files of JSON, each written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read(file: Path) -> Any:
    """What was kept; nothing where there is no file."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def write(file: Path, value: object) -> None:
    """Keep a value, in place of what was there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.new")
    text = json.dumps(value, indent=1, ensure_ascii=False)
    beside.write_text(f"{text}\n", encoding="utf-8")
    os.replace(beside, file)
