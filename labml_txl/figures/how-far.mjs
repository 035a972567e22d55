// What reaches a state of a Transformer that reads a text segment by segment.

export const TOKENS = 24;

/** What a state reads of the layer below: the first and the last token of each part. */
export function reads({ mode, segment, mem_len, c_mem_len, rate }, token) {
  const start = token - (token % segment),
    own = [start, token];
  if (mode === "none") return { own, memory: null, compressed: null };
  if (mode === "recurrence") {
    return { own, memory: span(Math.max(0, start - mem_len), start), compressed: null };
  }
  // Whole blocks have fallen out of the memory; what is short of one waits in it.
  const blocks = Math.floor(Math.max(0, start - mem_len) / rate);
  return {
    own,
    memory: span(blocks * rate, start),
    compressed: span(Math.max(0, blocks - c_mem_len) * rate, blocks * rate),
  };
}

const span = (from, to) => (to > from ? [from, to - 1] : null);

/** The first token that a state reads. */
export function first(size, token) {
  const { own, memory, compressed } = reads(size, token);
  return (compressed ?? memory ?? own)[0];
}

/** The first token that reaches a state, through each of the layers below it. */
export function reached(size, layers, token) {
  const found = [token];
  for (let layer = 0; layer < layers; layer++) found.push(first(size, found.at(-1)));
  return found;
}

/** How many tokens reach a state from anywhere in a long text, its own among them. */
export function exactly(size, layers, token) {
  // As many tokens later, all segments and blocks lie as they do here.
  const later = token + size.segment * size.rate * 200;
  return later + 1 - reached(size, layers, later).at(-1);
}

/** The reach that the papers give, in tokens. */
export function theory({ mode, mem_len, c_mem_len, rate }, layers) {
  if (mode === "none") return 0;
  return layers * (mem_len + (mode === "compressed" ? rate * c_mem_len : 0));
}
