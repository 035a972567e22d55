"""The models that run in a page compute what the models of PyTorch compute."""

import hashlib
import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from labml_txl.models import Cache, LanguageModel, cross_entropy, sinusoids
from labml_txl.training.config import configure
from labml_txl.training.evaluation import with_memory
from labml_txl.training.objective import build
from labml_txl.training.runs.checkpoint import Checkpoint, add_prefix
from labml_txl.training.runs.eight_bits import load_small, save_small
from labml_txl.training.runs.web import FORMAT, check, measure_habits, watch_attention
from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import Vocabulary, read_vocabulary
from labml_txl.variants import COMPRESSIONS, on_pages
from tests.figures import FIGURES
from tests.javascript import said
from tests.observed.recordings import PASSAGES, WEIGHTS
from tests.observed.weights import known_of, validation

LIVE = FIGURES / "live.mjs"
SMALL = {"n_layers": 2, "heads": 2, "d_model": 24, "d_ff": 37, "seq_len": 16}
COMPRESSIVE = {"model": "compressive", "mem_len": 20, "c_mem_len": 7}


def asked(file: Path | None, script: str, given: object = None) -> Any:
    """What Node says; `m` is the arithmetic, `model` the model of the file."""
    program = f"""
        import * as m from {json.dumps(LIVE.as_uri())};
        const bytes = (name) => new Uint8Array(readFileSync(name)).buffer;
        const model = {f"m.read(bytes({json.dumps(str(file))}))" if file else "null"};
        {script}
    """
    return said(program, given)


@cache
def small(kind: str) -> LanguageModel:
    return load_small(WEIGHTS / f"{kind}.safetensors")[0]


@cache
def tokens(length: int = 400) -> Tensor:
    """Two passages that the models have not learned from, again and again."""
    _, known = load_small(WEIGHTS / "xl.safetensors")
    text = PASSAGES.read_text(encoding="utf-8").replace("\n", "").replace("\\n", "\n")
    return known.words.encode(text).repeat(2 + length // len(text))[:length]


@torch.no_grad()
def logits(model: LanguageModel, read: Tensor, segment: int) -> Tensor:
    """The logits after each token, `[n_tokens, n_vocab]`, segment by segment."""
    if segment == 1:
        cache = Cache(model)
        return torch.cat([cache.read(token.view(1, 1))[:, 0] for token in read])
    memory, found = None, []
    for part in read[:, None].split(segment):
        given, memory = model(part, memory)
        found.append(given[:, 0])
    return torch.cat(found)


def drawn(folder: Path, words: Vocabulary | None = None, **changes: Any) -> Path:
    """A small model of random weights, in a file."""
    torch.manual_seed(0)
    words = words or read_vocabulary("characters", "\n abcdefgh😀")
    config = configure(SMALL, changes)
    network = build(config, len(words)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    file = folder / "drawn.safetensors"
    given = Checkpoint(
        config,
        words,
        add_prefix("model", dict(network.named_parameters())),
        3,
        text="x",
    )
    save_small(given, file)
    return file


READ = """
    const reader = model.reader(given.lengths), all = [];
    for (const token of given.tokens) all.push([...reader.step(token)]);
    say(all);
"""


def test_pages_support_the_variants_that_the_table_lists() -> None:
    listed = asked(None, "say(Object.keys(m.COMPRESSIONS));")
    assert sorted(listed) == sorted(on_pages(COMPRESSIONS))


@pytest.mark.parametrize(
    ("kind", "mem_len", "c_mem_len", "segment"),
    [
        *(("xl", mem_len, 0, 64) for mem_len in (0, 300)),
        ("xl", 128, 0, 1),
        *(("compressive", *both, 64) for both in ((64, 64), (30, 80))),
        ("compressive", 64, 24, 1),
    ],
)
def test_the_logits_are_those_of_pytorch(
    kind: str, mem_len: int, c_mem_len: int, segment: int
) -> None:
    """With memory as trained, none, and more, until it is full; and as a cache."""
    expected = logits(with_memory(small(kind), mem_len, c_mem_len), tokens(), segment)
    lengths = {"mem_len": mem_len, "c_mem_len": c_mem_len, "segment": segment}
    given = {"tokens": tokens().tolist(), "lengths": lengths}
    found = torch.tensor(asked(WEIGHTS / f"{kind}.safetensors", READ, given))
    assert (found - expected).abs().max() <= 1e-3


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "post", "tied": False, "mem_len": 9},
        {"norm": "post", "compression_rate": 5, "heads": 3, **COMPRESSIVE},
        *(
            {"compression": name, "compression_rate": 3, **COMPRESSIVE}
            for name in on_pages(COMPRESSIONS)
        ),
    ],
)
def test_every_supported_setting_equals_pytorch(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    file = drawn(tmp_path, **changes)
    model, known = load_small(file)
    read = torch.randint(len(known.words), (200,), generator=torch.manual_seed(1))
    expected = logits(model, read, 16)
    found = torch.tensor(asked(file, READ, {"tokens": read.tolist(), "lengths": {}}))
    assert expected.std() > 0.3
    assert (found - expected).abs().max() <= 1e-4


# Where it looks


@torch.no_grad()
def seen(
    model: LanguageModel, read: Tensor, segment: int
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """The query of the last token, the keys, and the attention, of each layer."""
    given: list[tuple[Tensor, Tensor, Any]] = []

    def keep(attention: Any, _: object, named: dict[str, Tensor]) -> None:
        given.append((named["query"][-1, 0], named["key"][:, 0], attention))

    attentions = [core.self_attn for core in model.transformer.cores()]
    hooks = [a.register_forward_pre_hook(keep, with_kwargs=True) for a in attentions]
    logits(model, read, segment)
    for hook in hooks:
        hook.remove()
    return given[-len(attentions) :]


@torch.no_grad()
def four_terms(query: Tensor, keys: Tensor, attention: Any) -> Tensor:
    """By their definition, `[heads, k_len, 4]`, each times the scale."""
    heads, d_k = attention.heads, attention.d_model // attention.heads
    q = (attention.query.weight @ query).view(heads, d_k)
    k = (keys @ attention.key.weight.T).view(-1, heads, d_k)
    R = sinusoids(torch.arange(len(keys) - 1, -1, -1), attention.d_model).float()
    r = (R @ attention.distances.projection.weight.T).view(-1, heads, d_k)
    u, v = attention.content_bias, attention.distances.position_bias
    pairs = ((q, k), (q, r), (u, k), (v, r))
    terms = [torch.einsum("hd,jhd->hj", one, other) for one, other in pairs]
    return torch.stack(terms, -1) / math.sqrt(d_k)


@pytest.mark.equation("txl.scores")
@pytest.mark.parametrize(
    ("kind", "length", "regions"),
    [
        ("xl", 300, {"c_mem": 0, "mem": 192, "own": 44}),
        ("compressive", 600, {"c_mem": 96, "mem": 96, "own": 24}),
        ("compressive", 192, {"c_mem": 8, "mem": 96, "own": 64}),
    ],
)
def test_weights_and_their_four_terms_are_those_of_pytorch(
    kind: str, length: int, regions: dict[str, int]
) -> None:
    """Also of a token that was read long ago."""
    script = """
        const reader = model.reader(), at = given.length - 1;
        const every = (count, make) => Array.from({ length: count }, (_, n) => make(n));
        for (const token of given) reader.step(token);
        for (let n = 0; n < 99; n++) reader.step(n % 60);
        const count = reader.weights(0, 0, at).length;
        say([reader.regions(at), [...reader.weights(-1, -1, at)],
            every(model.layers, (l) => every(model.heads, (h) => [
                [...reader.weights(l, h, at)],
                every(count, (key) => reader.terms(l, h, key, at)),
            ]))]);
    """
    read = tokens(length)
    file = WEIGHTS / f"{kind}.safetensors"
    found_regions, mean, found = asked(file, script, read.tolist())
    assert found_regions == regions
    means = []
    for layer, given in enumerate(seen(small(kind), read, 64)):
        terms = four_terms(*given)
        means.append(terms.sum(-1).softmax(-1))
        for head, (weights, each) in enumerate(found[layer]):
            assert weights == pytest.approx(means[-1][head].tolist(), abs=1e-4)
            told = torch.tensor([[one[name] for name in "abcd"] for one in each])
            assert (told - terms[head]).abs().max() <= 1e-3
            for one, weight in zip(each, weights, strict=True):
                assert one["score"] == pytest.approx(sum(one[n] for n in "abcd"))
                assert one["weight"] == pytest.approx(weight)
    assert mean == pytest.approx(torch.stack(means).mean((0, 1)).tolist(), abs=1e-4)


def test_a_changed_text_is_read_again_from_the_change_on() -> None:
    script = """
        const whole = model.reader(), other = model.reader();
        for (const token of given) whole.step(token);
        for (const token of given.slice(0, 450)) other.step(token);
        const twin = other.copy();
        other.rewind(130);
        let logits, same;
        for (const token of given.slice(130)) logits = other.step(token);
        for (const token of given.slice(450)) same = twin.step(token);
        const { logits: wanted } = whole;
        const off = (all) => Math.max(...all.map((x, n) => Math.abs(x - wanted[n])));
        say([off(logits), off(same), other.length]);
    """
    file = WEIGHTS / "compressive.safetensors"
    assert asked(file, script, tokens(500).tolist()) == [0, 0, 500]


# What comes next


def test_bits_are_the_loss_of_pytorch() -> None:
    torch.manual_seed(3)
    given = 4 * torch.randn(20, 7)
    script = "say(given.map((row, n) => m.bits(Float32Array.from(row), n % 7)));"
    nats = cross_entropy(given[:, None], (torch.arange(20) % 7)[:, None], "none")
    expected = (nats / math.log(2)).flatten().tolist()
    assert asked(None, script, given.tolist()) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("temperature", "top_p"), [(1, 1), (0.7, 0.8), (2, 0.3)])
def test_tokens_are_drawn_with_the_probabilities_of_the_model(
    temperature: float, top_p: float
) -> None:
    """A random number that takes all values in turn draws each token its share."""
    logits = torch.tensor([0.3, 2.0, -1.0, 1.9, 0.0, -4.0])
    p, order = (logits / temperature).softmax(-1).sort(descending=True)
    p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0.0)
    shares = torch.zeros(6).scatter(0, order, p / p.sum())
    script = """
        const counts = given.logits.map(() => 0);
        const logits = Float32Array.from(given.logits);
        for (let n = 0; n < 2000; n++) {
            counts[m.draw(logits, given, () => (n + 0.5) / 2000)]++;
        }
        say(counts.map((one) => one / 2000));
    """
    given = {"logits": logits.tolist(), "temperature": temperature, "top_p": top_p}
    assert asked(None, script, given) == pytest.approx(shares.tolist(), abs=1e-3)
    likeliest = "say(m.draw(given, { temperature: 0 }));"
    assert asked(None, likeliest, logits.tolist()) == logits.argmax()


def test_random_numbers_are_spread_evenly() -> None:
    numbers = "const next = m.randoms(7); say(Array.from({ length: 4000 }, next));"
    shares = torch.tensor(asked(None, numbers)).histc(10, 0, 1) / 4000
    assert shares.tolist() == pytest.approx([0.1] * 10, abs=0.02)


def test_unknown_characters_are_left_out_and_named(tmp_path: Path) -> None:
    script = """
        const { tokens, unknown } = model.encode("a😀é\\nbéß");
        say([[...tokens], unknown, model.decode(tokens)]);
    """
    found, unknown, text = asked(drawn(tmp_path), script)
    assert found == [2, 10, 0, 3]
    assert unknown == ["é", "ß"]
    assert text == "a😀\nb"


# What is refused

REFUSED = """
    try { m.read(bytes(given)); say(null); }
    catch (error) {
        if (!(error instanceof m.Refused)) throw error;
        say([error.code, error.given, error.wanted]);
    }
"""


@pytest.mark.parametrize(
    ("changes", "code", "given"),
    [
        ({"encoding": "learned"}, "encoding", "learned"),
        ({"encoding": "absolute"}, "encoding", "absolute"),
        ({"cutoffs": (4,)}, "cutoffs", "4"),
        ({"d_embed": 12}, "d_embed", "12"),
        ({"same_length": True}, "same_length", "true"),
        ({"clamp_len": 9}, "clamp_len", "9"),
        ({"zero_memory": True}, "zero_memory", "true"),
        *(
            ({"compression": name, **COMPRESSIVE}, "compression", name)
            for name in COMPRESSIONS
            if name not in on_pages(COMPRESSIONS)
        ),
        ({"words": read_vocabulary("bytes", "")}, "vocabulary", "bytes"),
        ({"words": read_vocabulary("words", "<eos>\n<unk>")}, "vocabulary", "words"),
    ],
)
def test_unsupported_settings_are_refused_by_name(
    changes: dict[str, Any], code: str, given: str, tmp_path: Path
) -> None:
    file = drawn(tmp_path, **changes)
    assert asked(None, REFUSED, str(file))[:2] == [code, given]
    # Whoever would publish it is told before.
    with pytest.raises(TrainingError, match=f"{code} = "):
        check(load_small(file)[1])


def test_a_file_that_is_cut_off_or_damaged_is_refused(tmp_path: Path) -> None:
    whole, file = drawn(tmp_path).read_bytes(), tmp_path / "damaged.safetensors"
    start = 8 + int.from_bytes(whole[:8], "little")
    damaged = [
        *(whole[:end] for end in (0, 7, 100, start - 1, start, len(whole) - 1)),
        whole.replace(b"I8", b"U8"),
        whole.replace(b"content_bias", b"c0ntent_bias"),
        whole.replace(b'\\"heads\\": 2', b'\\"heads\\": 0'),
        b"<!doctype html><title>404</title>",
    ]
    for content in damaged:
        assert content != whole
        file.write_bytes(content)
        assert asked(None, REFUSED, str(file))[0] == "damaged", content[:50]
    file.write_bytes(whole.replace(b"8 bits 1", b"8 bits 2"))
    assert asked(None, REFUSED, str(file))[:2] == ["format", "labml_txl 8 bits 2"]


# What is said of them


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_recorded_values_of_a_model_are_what_it_computes(kind: str) -> None:
    """What the page shows before the model is loaded, and the habits of its heads."""
    file = WEIGHTS / f"{kind}.safetensors"
    model, known = load_small(file)
    told = json.loads((WEIGHTS / f"{kind}.web.json").read_text("utf-8"))
    # A part of the text shows nearly what the whole of it does.
    found = measure_habits(
        model, validation(known)[:4000], known.config.seq_len, batch=4
    )
    for one, wanted in zip(found, told["heads"], strict=True):
        for name, share in one._asdict().items():
            assert share == pytest.approx(wanted[name], abs=0.06), (name, wanted)
    content = file.read_bytes()
    assert (told["weights"], told["format"]) == (file.name, FORMAT)
    assert told["bytes"] == len(content)
    assert told["digest"] == hashlib.sha256(content).hexdigest()[:16]
    losses = told["losses"]
    assert losses["bits_8"] < losses["bits_8_without_memory"]
    assert abs(losses["bits_32"] - losses["bits_8"]) < 0.01
    script = """
        const along = (text, lengths) => {
            const reader = model.reader(lengths), { tokens } = model.encode(text);
            return [...tokens].slice(0, -1).map((token, n) =>
                m.bits(reader.step(token), tokens[n + 1]));
        };
        say(given.map(({ text }) =>
            [along(text, {}), along(text, { mem_len: 0, c_mem_len: 0 })]));
    """
    assert [one["name"] for one in told["examples"]] == ["names", "plain"]
    bits = asked(file, script, told["examples"])
    for one, (kept, lost) in zip(told["examples"], bits, strict=True):
        assert len(kept) == len(one["text"]) - 1
        assert one["with"] == pytest.approx(kept, abs=0.006)
        assert one["without"] == pytest.approx(lost, abs=0.006)


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_the_first_view_shows_what_the_pytorch_model_attends_to(
    kind: str,
) -> None:
    model, known = load_small(WEIGHTS / f"{kind}.safetensors")
    example = known_of(kind)["examples"][0]
    read = known.words.encode(example["text"])
    assert [one["name"] for one in example["looks"]] == ["name", "border", "common"]
    for look in example["looks"]:
        pair, next_ = look["pair"], look["next"]
        kept, weights = attended(model, read[: look["at"] + 1], known.config.seq_len)
        lost, _ = attended(
            with_memory(model, 0, 0), read[: look["at"] + 1], known.config.seq_len
        )
        shown = weights[pair["layer"], pair["head"]]
        assert shown[pair["key"]] == pytest.approx(pair["weight"], abs=0.001)
        told = torch.tensor(look["weights"])
        if not look["copies"]:
            shown = weights.mean((0, 1))
        torch.testing.assert_close(shown, told, atol=0.001, rtol=0)
        assert len(told) == sum(look["regions"].values())
        for name, logits in (("with", kept), ("without", lost)):
            shares = logits.softmax(0)
            for symbol, share in next_[name]:
                (token,) = known.words.encode(symbol).tolist()
                assert share == pytest.approx(shares[token].item(), abs=0.001)


@torch.no_grad()
def attended(model: LanguageModel, read: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    """The logits after the last token, and its weights, `[layers, heads, k_len]`."""
    memory = None
    with watch_attention(model) as weights_of_layers:
        for part in read[:, None].split(seq_len):
            logits, memory = model(part, memory)
        return logits[-1, 0], torch.stack([w[0, :, -1] for w in weights_of_layers()])


def test_a_page_follows_no_redirection_to_another_host() -> None:
    scripts = [FIGURES / name for name in ("live.js", "live.worker.js")]
    asked = [
        call
        for script in scripts
        for call in re.findall(r"\bfetch\([^)]*\)", script.read_text("utf-8"))
    ]
    assert len(asked) >= len(scripts)
    assert [call for call in asked if 'redirect: "error"' not in call] == []
