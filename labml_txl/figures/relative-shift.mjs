// The relative shift in numbers: L queries, M states of memory, K = M + L keys. Each
// row of scores is padded with one zero. The padded rows, stored one after another, are
// then read without L numbers at one end, in rows that are shorter by one.

/** The shape of the padded table, and how its numbers are read; in `order`, the
    distances of a row "falls" or "rises". */
export function layout(order, L, M) {
  const K = M + L;
  // The paper's distances fall from K − 1 to 0. The zero comes first.
  if (order === "falls")
    return { order, L, M, K, columns: K + 1, zero: 0, start: L, cut: 0 };
  // The offsets of labml-nn rise from −K to L − 1. The zero comes last.
  return { order, L, M, K, columns: K + L + 1, zero: K + L, start: 0, cut: L };
}

/** The distance of column c of the padded table; null for the zero. */
export const distance = ({ K, zero }, c) => (c === zero ? null : K - c);

/** How many columns row i moves to the right; to the left if below 0. */
export const move = ({ order, L }, i) => (order === "falls" ? i - (L - 1) : i);

/** The index in memory of row i, column c of the padded table. */
export const address = ({ columns }, i, c) => i * columns + c;

/** Whether the code drops a number before it reads the others. */
export function isDropped(table, i, c) {
  const at = address(table, i, c) - table.start;
  return at < 0 || at >= table.L * (table.columns - 1);
}

/** The query and the key whose score the number becomes; null if it is dropped. */
export function read(table, i, c) {
  if (isDropped(table, i, c)) return null;
  const [row, key] = place(table, i, c, 3);
  return key < 0 || key >= table.K ? null : [row, key];
}

/** The column of the padded table that has the score of query i and key j. */
export const columnOf = ({ L }, i, j) => j + L - i;

/** The same column before padding. */
export const unpadded = ({ zero }, c) => (zero === 0 ? c - 1 : c);

/** Whether key j comes after query i. */
export const isFuture = ({ M }, i, j) => j > i + M;

/** Row and column of a number in a step; from step 3 on, columns are keys. */
export function place(table, i, c, step) {
  if (step < 3) return [i, unpadded(table, c)];
  const at = address(table, i, c) - table.start,
    width = table.columns - 1;
  return [Math.floor(at / width), (at % width) - table.cut];
}

/** The code of each step, and the shape of its result. */
export function code({ order, L, M, K }) {
  const wide = order === "falls" ? K : K + L;
  const [pad, rows, kept, cut] =
    order === "falls"
      ? ["(1, 0)", "K + 1", "[1:]", "view(L, K)"]
      : ["(0, 1)", "K + L + 1", "[:-1]", "view(L, K + L)[:, L:]"];
  return [
    ["scores = q @ r.T", [L, wide]],
    [`padded = F.pad(scores, ${pad})`, [L, wide + 1]],
    [`rows = padded.view(${rows}, L)${kept}`, [wide, L]],
    [`result = rows.${cut}`, [L, K]],
    ["result[j > i + M] = -torch.inf", [L, K]],
  ];
}
