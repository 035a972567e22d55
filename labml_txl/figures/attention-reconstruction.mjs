// What a head reads from old memories, and from the slots that they were compressed to,
// query by query: the attention-reconstruction loss of the second paper. The recorded
// values have 8 bits.

/** Decode the bytes of a tensor to numbers, in rows of `width`. */
export function rows([low, step, codes], width) {
  const all = Array.from(atob(codes), (code) => low + step * code.charCodeAt(0));
  return Array.from({ length: all.length / width }, (_, n) =>
    all.slice(n * width, (n + 1) * width),
  );
}

/** What one query reads by content alone: a weight for each key, and their mean value. */
export function attend(query, keys, values) {
  const scores = keys.map(
    (key) =>
      key.reduce((sum, one, i) => sum + one * query[i], 0) / Math.sqrt(query.length),
  );
  const most = Math.max(...scores),
    raised = scores.map((score) => Math.exp(score - most));
  const total = raised.reduce((sum, one) => sum + one, 0),
    weights = raised.map((one) => one / total);
  const output = query.map((_, i) =>
    weights.reduce((sum, weight, j) => sum + weight * values[j][i], 0),
  );
  return { weights, output };
}

/** The mean of some numbers. */
export const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;

/** For each query of a head: what it reads from both, their difference and its mean square. */
export function reconstruct({ heads, d_k }, head, choice) {
  const { q, k, v, slots } = heads[head],
    table = (codes) => rows(codes, d_k);
  const [keys, values, slotKeys, slotValues] = [k, v, ...slots[choice]].map(table);
  return table(q).map((query) => {
    const wanted = attend(query, keys, values),
      got = attend(query, slotKeys, slotValues);
    const difference = got.output.map((one, i) => one - wanted.output[i]);
    return { wanted, got, difference, loss: mean(difference.map((one) => one * one)) };
  });
}

/** The smallest number of features that make up half of a loss. */
export function half(difference) {
  const squares = difference.map((one) => one * one).sort((a, b) => b - a),
    whole = squares.reduce((sum, one) => sum + one, 0);
  let sum = 0;
  return 1 + squares.findIndex((one) => (sum += one) >= whole / 2);
}
