"""What runs the models beside the page: its answers, and that it hears "stop"."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labml_txl.cli import main
from tests.javascript import said
from tests.observed.recordings import WEIGHTS
from tests.site.served import served
from tests.test_live import asked
from tests.training.small import small_text

# A worker of Node has another name for a few things that one of a browser has.
PRELUDE = """
import { parentPort, workerData } from "node:worker_threads";
globalThis.location = new URL(workerData);
globalThis.postMessage = (message) => parentPort.postMessage(message);
globalThis.addEventListener = (kind, act) =>
    parentPort.on(kind, (data) => act({ data }));
"""
ASK = """
import { Worker } from "node:worker_threads";
const worker = new Worker(given.script, { eval: true, workerData: given.address });
const parts = new Map(), waiting = new Map();
worker.on("message", ({ id, part, progress, done, error }) => {
    if (part || progress) parts.get(id).push(part ?? progress);
    else waiting.get(id)({ parts: parts.get(id), done, error });
});
let last = 0;
const ask = (message) => new Promise((go) => {
    const id = ++last;
    parts.set(id, []);
    waiting.set(id, go);
    worker.postMessage({ id, ...message });
});
const load = (name) => ask({ do: "load", src: given.address + name });
"""
TEXT = "ROMEO:\nWhere is my page? Go, villain, fetch a surgeon.\n"
HOST = "http://127.0.0.1:1"
AS_TRAINED = {"mem_len": 128, "c_mem_len": 0}


def exported(root: Path) -> Path:
    """A small run, and the folder of the page that is made of it."""
    sizes = "--n-layers 2 --heads 2 --d-model 16 --d-ff 32 --seq-len 8 --batch 4"
    text = ["--text", str(small_text(root)), "--steps", "8", "--warmup", "2"]
    memory = ["--mem-len", "8", "--c-mem-len", "4", "--device", "cpu"]
    run, page = str(root / "runs" / "mine"), root / "site" / "page"
    train = ["train", "compressive", *text, *sizes.split(), *memory, "--out", run]
    assert main(train) == 0
    assert main(["export", "--to", "web", run, *text[:2], "--out", str(page)]) == 0
    return page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A page made of a run, with the project's two models beside it."""
    root = tmp_path_factory.mktemp("page")
    page = exported(root)
    for file in WEIGHTS.iterdir():
        (page / file.name).write_bytes(file.read_bytes())
    with served(root / "site") as address:
        yield page, f"{address}page/"


def told(site: tuple[Path, str], script: str, given: object = None) -> Any:
    """What a script says that asks the worker of the page."""
    page, address = site
    worker = (page / "live.worker.js").read_text(encoding="utf-8")
    known = {"script": PRELUDE + worker, "address": address, "given": given}
    return said(f"{ASK}\n{script}\nawait worker.terminate();", known)


def test_a_run_becomes_a_page_whose_model_is_that_of_the_run(
    site: tuple[Path, str],
) -> None:
    page, _ = site
    script = 'say([await load("model.json"), await ask(given.given)]);'
    text = "to be or not"
    loaded, scored = told(site, script, {"do": "score", "text": text, **AS_TRAINED})
    about, model = (
        json.loads((page / "model.json").read_text()),
        loaded["done"]["model"],
    )
    assert (model["kind"], model["step"]) == ("compressive", 8)
    assert model["lengths"] == {"mem_len": 8, "c_mem_len": 4, "rate": 4, "segment": 8}
    assert {k: model[k] for k in ("name", "losses", "heads", "examples")} == {
        "name": "mine",
        "losses": about["losses"],
        "heads": about["heads"],
        "examples": about["examples"],
    }
    assert loaded["parts"][-1] == {"loaded": about["bytes"], "total": about["bytes"]}
    bits = [one for part in scored["parts"] for one in part["bits"]]
    assert bits[0] is None
    # Hardly trained: near to what all symbols alike would cost.
    assert len(bits) == len(text)
    assert sum(bits[1:]) / 11 == pytest.approx(math.log2(len(model["symbols"])), abs=1)
    assert {file.name for file in page.iterdir()} >= {
        *("index.html", "live.js", "live.worker.js", "model.json"),
        "model.safetensors",
    }
    assert '<txl-model src="model.json">' in (page / "index.html").read_text()


def test_what_is_written_follows_from_the_seed_and_goes_on(
    site: tuple[Path, str],
) -> None:
    script = """
        await load("xl.web.json");
        const write = async (more) => {
            const { parts, done } = await ask({ ...given.given, do: "write", ...more });
            return [parts.map((part) => part.text).join(""), done];
        };
        const [whole] = await write({ count: 60 });
        const [first] = await write({ count: 25 });
        const text = given.given.text + first;
        const [second] = await write({ text, count: 35, skip: 25 });
        const [other] = await write({ count: 60, seed: 8 });
        const [likely] = await write({ count: 60, temperature: 0 });
        say([whole, first + second, other, likely]);
    """
    given = {"text": TEXT, "temperature": 0.8, "top_p": 0.9, "seed": 7, **AS_TRAINED}
    whole, halves, other, likely = told(site, script, given)
    assert len(whole) == 60
    assert whole == halves
    assert whole != other
    again = """
        const reader = model.reader();
        let text = "", logits;
        for (const token of model.encode(given).tokens) logits = reader.step(token);
        for (let n = 0; n < 60; n++) {
            const token = m.draw(logits, { temperature: 0 });
            text += model.symbols[token];
            logits = reader.step(token);
        }
        say(text);
    """
    assert likely == asked(WEIGHTS / "xl.safetensors", again, TEXT)


def test_a_place_of_the_text_tells_where_it_looked(site: tuple[Path, str]) -> None:
    script = """
        await load("compressive.web.json");
        const look = (position) => ask({ ...given.given, do: "look", position });
        const far = await look(400), near = await look(30);
        const terms = await ask({ do: "terms", layer: 1, head: 2, key: 3 });
        say([far.done, near.done, terms.done, (await look(99999)).error]);
    """
    given = {"text": TEXT * 8, "mem_len": 64, "c_mem_len": 64}
    far, near, terms, error = told(site, script, given)
    assert far["regions"] == {"c_mem": 64, "mem": 64, "own": 17}
    assert (far["from"], far["rate"]) == (400 - 64 - 17 + 1, 4)
    assert [len(layer) for layer in far["weights"]] == [4] * 4
    assert len(far["weights"][3][3]) == 64 + 64 + 17
    assert sum(far["weights"][0][0]) == pytest.approx(1, abs=1e-5)
    # The terms are those of the last look.
    assert near["regions"] == {"c_mem": 0, "mem": 0, "own": 31}
    assert terms["weight"] == pytest.approx(near["weights"][1][2][3])
    assert error["code"] == "position"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"do": "score", "text": "a", **AS_TRAINED}, "model"),
        ({"do": "load", "src": "http://127.0.0.1:9/model.json"}, "origin"),
        (
            {"do": "load", "src": "http://127.0.0.1:9/a.json", "trusted": [HOST]},
            "origin",
        ),
        ({"do": "load", "src": f"{HOST}/a.json", "trusted": [HOST]}, "unreachable"),
        ({"do": "load", "src": "nothing.json"}, "unreachable"),
        ({"do": "load", "src": "live.js"}, "format"),
        ({"do": "sing"}, "do"),
    ],
)
def test_what_goes_wrong_has_a_name(
    site: tuple[Path, str], message: dict[str, Any], code: str
) -> None:
    script = """
        const message = given.given;
        if (message.src) message.src = new URL(message.src, given.address).href;
        say((await ask(message)).error);
    """
    error = told(site, script, message)
    assert error["code"] == code
    assert error["given"]
    assert error["wanted"]
