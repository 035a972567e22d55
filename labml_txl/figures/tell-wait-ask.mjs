// A fact, other tokens, and a question about the fact, answered by models that run
// here.
import { sight } from "./live.mjs";

/** The token of a fact: which value a key has. */
export const fact = ({ n_keys, n_values }, key, value) =>
  1 + n_keys + n_values + key * n_values + value;

/** A text whose last token is the question, `distance` − 1 tokens after the fact. */
export function told(data, { key, value, distance }) {
  const tokens = data.text.slice(0, data.told + distance);
  tokens[data.told] = fact(data, key, value);
  tokens[data.told + distance - 1] = 1 + key;
  return tokens;
}

/** Where the token at a position finds a fact: its key, and the part of the context. */
export function place(lengths, at, told) {
  const { slot, slots, mem, own } = sight(lengths, at),
    count = slots - slot;
  if (told >= own) return { region: "own", key: count + told - mem };
  if (told >= mem) return { region: "mem", key: count + told - mem };
  const key = Math.floor(told / lengths.rate) - slot;
  return lengths.c_mem_len && key >= 0
    ? { region: "c_mem", key }
    : { region: "lost", key: -1 };
}

/** The tokens that each key represents: the first one, how many, and the part of the
    context. */
export function spans(lengths, at) {
  const { slot, slots, mem, own, end } = sight(lengths, at),
    { rate } = lengths;
  const compressed = Array.from({ length: slots - slot }, (_, n) => ({
    first: (slot + n) * rate,
    length: rate,
    region: "c_mem",
  }));
  const states = Array.from({ length: end - mem }, (_, n) => ({
    first: mem + n,
    length: 1,
    region: mem + n < own ? "mem" : "own",
  }));
  return [...(lengths.c_mem_len ? compressed : []), ...states];
}

/** Read a text from the first token that differs from the last text, with pauses. */
export async function follow(reader, tokens, pause = () => false) {
  const read = (reader.read ??= []);
  let same = 0;
  while (same < tokens.length - 1 && tokens[same] === read[same]) same++;
  reader.rewind(same);
  read.length = same;
  for (const token of tokens.slice(same)) {
    read.push(token);
    reader.step(token);
    if (await pause()) return false;
  }
  return true;
}

/** The probability of each value as the answer, among all tokens. */
export function answers({ n_keys, n_values }, logits) {
  const most = Math.max(...logits),
    raised = Array.from(logits, (one) => Math.exp(one - most));
  const whole = raised.reduce((sum, one) => sum + one, 0);
  return raised.slice(1 + n_keys, 1 + n_keys + n_values).map((one) => one / whole);
}

/** The head with the largest weight on a key, and its weights; the first head if the
    key is -1. */
export function looks(reader, key) {
  const { layers, heads } = reader.model,
    all = [];
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++)
      all.push({ layer, head, weights: Array.from(reader.weights(layer, head)) });
  }
  return all.reduce((best, one) =>
    (one.weights[key] ?? 0) > (best.weights[key] ?? 0) ? one : best,
  );
}
