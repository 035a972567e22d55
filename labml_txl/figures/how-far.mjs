// What reaches a state of a Transformer that reads a text segment by segment.

export const TOKENS = 24;

/** What a state reads from the layer below: the first and the last token of each
    part. */
export function reads({ mode, segment, mem_len, c_mem_len, rate }, token) {
  const start = token - (token % segment),
    own = [start, token];
  if (mode === "none") return { own, memory: null, compressed: null };
  if (mode === "recurrence") {
    return { own, memory: span(Math.max(0, start - mem_len), start), compressed: null };
  }
  // Only whole blocks have left the memory; the states left over wait in it.
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

/** The first token whose information reaches a state, for each of the layers below
    it. */
export function reached(size, layers, token) {
  const found = [token];
  for (let layer = 0; layer < layers; layer++) found.push(first(size, found.at(-1)));
  return found;
}

/** How many tokens reach a state in a long text, counting its own. */
export function exactly(size, layers, token) {
  // This many tokens later, segments and blocks are at the same offsets as here.
  const later = token + size.segment * size.rate * 200;
  return later + 1 - reached(size, layers, later).at(-1);
}

/** The number of tokens that the papers state. */
export function theory({ mode, mem_len, c_mem_len, rate }, layers) {
  if (mode === "none") return 0;
  return layers * (mem_len + (mode === "compressed" ? rate * c_mem_len : 0));
}
