// The scores of one attention head as the sum of four terms. Recorded in 8 bits: terms
// a and b for each query and key, c for each key, and d for each distance.

export const TERMS = ["a", "b", "c", "d"];

/** Decode the bytes of a slice to numbers. */
export function numbers([low, step, codes]) {
  return Array.from(atob(codes), (code) => low + step * code.charCodeAt(0));
}

/** How many tokens key j lies before query i; below 0 in the future. */
export const distance = ({ keys, queries }, i, j) => keys.length - queries + i - j;

/** The value of each term for query i and key j; null if the key comes later. */
export function terms(data, head) {
  const { keys, queries, d_k } = data,
    width = keys.length;
  const [a, b, c, d] = TERMS.map((name) => numbers(data.heads[head][name]));
  const table = (of) =>
    Array.from({ length: queries }, (_, i) =>
      keys.map((_, j) => {
        const far = distance(data, i, j);
        return far < 0 ? null : of(i, j, far) / Math.sqrt(d_k);
      }),
    );
  return {
    a: table((i, j) => a[i * width + j]),
    b: table((i, j) => b[i * width + j]),
    c: table((i, j) => c[j]),
    d: table((i, j, far) => d[far]),
  };
}

/** The sum of the terms, each times its `share`: 1 is on, 0 is off. */
export function scores(parts, share) {
  return parts.a.map((row, i) =>
    row.map((first, j) =>
      first === null
        ? null
        : TERMS.reduce((sum, name) => sum + share[name] * parts[name][i][j], 0),
    ),
  );
}

/** The softmax of each row; masked keys have weight 0. */
export function weights(table) {
  return table.map((row) => {
    const most = Math.max(...row.filter((score) => score !== null));
    const raised = row.map((score) => (score === null ? 0 : Math.exp(score - most)));
    const sum = raised.reduce((all, one) => all + one, 0);
    return raised.map((one) => one / sum);
  });
}

/** The mean over all queries of the weight on memory, and of the distance. */
export function means(data, table) {
  const mean = (of) =>
    table.reduce(
      (sum, row, i) => row.reduce((all, weight, j) => all + weight * of(i, j), sum),
      0,
    ) / table.length;
  return {
    memory: mean((i, j) => (j < data.memory ? 1 : 0)),
    distance: mean((i, j) => distance(data, i, j)),
  };
}

/** The kinds of keys by which a head is described. */
export const KINDS = {
  itself: (keys, q, k) => k === q,
  previous: (keys, q, k) => k === q - 1,
  same: (keys, q, k) => k < q && keys[k] === keys[q],
  behind_same: (keys, q, k) => k > 0 && k < q && keys[k - 1] === keys[q],
};

/** What a head attends to: the kind of keys that gets most of the weight, if that is at
    least half, and the number of tokens before the query within which half of the
    weight lies. */
export function looks({ keys, queries }, table) {
  const share = (of) =>
    table.reduce(
      (sum, row, i) =>
        row.reduce(
          (all, weight, k) => all + (of(keys.length - queries + i, k) ? weight : 0),
          sum,
        ),
      0,
    ) / table.length;
  const [most, kind] = Object.entries(KINDS)
    .map(([name, of]) => [share((q, k) => of(keys, q, k)), name])
    .reduce((best, one) => (one[0] > best[0] ? one : best));
  let near = 0;
  while (share((q, k) => q - k <= near) < 0.5) near += 1;
  return { kind: most >= 0.5 ? kind : null, share: most, near };
}

/** The term with the smallest largest absolute value, and this value. */
export function smallest(parts) {
  const far = (name) =>
    Math.max(
      ...parts[name]
        .flat()
        .filter((one) => one !== null)
        .map(Math.abs),
    );
  const term = TERMS.reduce((least, name) => (far(name) < far(least) ? name : least));
  return { term, most: far(term) };
}
