// The computation of one score with numbers: the four terms, their sum, the softmax and
// the weighted mean.

export const TOKENS = ["Mrs.", "Harker", "sat", "down", "and"];
export const STATES = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [0, -1],
];
export const U = [1, 0],
  V = [0, 1];
// The states in memory; the others are the segment.
export const M = 2;
export const TERMS = ["a", "b", "c", "d"];

const dot = (x, y) => x[0] * y[0] + x[1] * y[1];

/** The encoding of a distance: one sine and one cosine. */
export const encoding = (r) => [Math.sin(r), Math.cos(r)];

/** The query of a state: its projection swaps the two features. */
export const asks = ([x, y]) => [y, x];

/** Both factors of a term, for query i of the segment and key j of all keys. */
export function factors({ states, u, v }, i, j, term) {
  const q = asks(states[M + i]),
    k = states[j],
    R = encoding(M + i - j);
  return { a: [q, k], b: [q, R], c: [u, k], d: [v, R] }[term];
}

/** The four terms of a query and a key, their sum, and the score. */
export function score(given, i, j) {
  const terms = Object.fromEntries(
    TERMS.map((term) => [term, dot(...factors(given, i, j, term))]),
  );
  const sum = TERMS.reduce((total, term) => total + terms[term], 0);
  return { ...terms, sum, score: sum / Math.SQRT2 };
}

/** How many keys a query sees: the memory, the tokens before it and itself. */
export const sees = (i) => M + i + 1;

/** The weights of a query: the softmax of its scores. */
export function weights(given, i) {
  const scores = Array.from({ length: sees(i) }, (_, j) => score(given, i, j).score),
    most = Math.max(...scores);
  const powers = scores.map((one) => Math.exp(one - most)),
    total = powers.reduce((x, y) => x + y);
  return powers.map((one) => one / total);
}

/** The output of a query: the mean of the values, weighted. */
export const receives = (given, i) =>
  [0, 1].map((n) =>
    weights(given, i).reduce((sum, weight, j) => sum + weight * given.states[j][n], 0),
  );
