"""Programs of Node, and what they say."""

import json
import subprocess
from typing import Any

from labml_txl.literate.equations.node import find_node

PRELUDE = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0));
const plain = (_, one) => ArrayBuffer.isView(one) ? [...one] : one;
const say = (said) => console.log(JSON.stringify(said, plain));
"""


def said(program: str, given: object = None) -> Any:
    """What a program hands to `say`; `given` is what it is given."""
    done = subprocess.run(
        [find_node(), "--input-type=module", "-e", PRELUDE + program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
