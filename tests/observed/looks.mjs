// What a model attends to at a character of a text, and which character it expects next,
// computed by the script of the page, which the tests hold to PyTorch.

import { read, sight } from "../../labml_txl/figures/live.mjs";

const EXPECTED = 5; // characters
const BEST = 4; // heads

/** The likeliest characters after these logits, each with its probability. */
function expected(symbols, logits) {
  const all = Array.from(logits, (one) => Math.exp(one - Math.max(...logits)));
  const sum = all.reduce((one, other) => one + other);
  return all
    .map((one, token) => [symbols[token], Number((one / sum).toFixed(4))])
    .sort((one, other) => other[1] - one[1])
    .slice(0, EXPECTED);
}

/** Where the letters of the word so far stood earlier: the character after each. */
function continuations(text, at) {
  const word =
    text
      .slice(0, at + 1)
      .match(/\p{L}+$/u)?.[0]
      .toLowerCase() ?? "";
  const places = [];
  if (word.length < 3) return places;
  const all = text.slice(0, at + 1).toLowerCase();
  for (let from = all.indexOf(word); from >= 0; from = all.indexOf(word, from + 1)) {
    if (from + word.length <= at) places.push(from + word.length);
  }
  return places;
}

/** Of all heads, the one that attends most to what followed the same letters earlier. */
export function look(bytes, text, at) {
  const model = read(bytes);
  const { tokens } = model.encode(text);
  const after = (lengths) => {
    const reader = model.reader(lengths);
    for (const token of tokens.subarray(0, at + 1)) reader.step(token);
    return reader;
  };
  const [kept, lost] = [after({}), after({ mem_len: 0, c_mem_len: 0 })];
  const { mem: from } = sight(kept.lengths, at);
  const regions = kept.regions();
  const holds = (key, place) => {
    const slot = key - regions.c_mem;
    const first = from + (slot < 0 ? slot * kept.lengths.rate : slot);
    return first <= place && place < first + (slot < 0 ? kept.lengths.rate : 1);
  };
  const heads = Array.from({ length: model.layers * model.heads }, (_, n) => {
    const [layer, head] = [Math.floor(n / model.heads), n % model.heads];
    return { layer, head, weights: kept.weights(layer, head) };
  });
  const most = (value) =>
    heads.reduce((one, two) => (value(two) > value(one) ? two : one));
  const places = continuations(text, at);
  const copied = ({ weights }) =>
    Math.max(...weights.map((w, key) => (places.some((p) => holds(key, p)) ? w : 0)));
  const copies = most(copied);
  const found = copied(copies) > 0;
  // Nothing is copied: the mean of all heads is shown.
  const weights = found ? copies.weights : kept.weights(-1, -1);
  const key = weights.indexOf(Math.max(...weights));
  const { layer, head } = found ? copies : most((one) => one.weights[key]);
  const there = heads.map(({ layer, head, weights }) => ({
    layer,
    head,
    weight: weights[key],
  }));
  return {
    regions,
    from,
    copies: found,
    weights: Array.from(weights, (one) => Number(one.toFixed(3))),
    pair: { key, layer, head, ...kept.terms(layer, head, key) },
    heads: there.sort((one, other) => other.weight - one.weight).slice(0, BEST),
    next: {
      with: expected(model.symbols, kept.logits),
      without: expected(model.symbols, lost.logits),
    },
  };
}
