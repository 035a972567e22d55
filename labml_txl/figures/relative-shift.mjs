// The relative shift in numbers: L queries, M states of memory, K = M + L keys. A table
// by distance has a row for each query; in memory it is one line, and the table by key
// reads the same line from another number on, in rows that are shorter by one.

/** The distances of a row, and how the line is read: `order` is "falls" or "rises". */
export function layout(order, L, M) {
  const K = M + L;
  if (order === "falls") {
    // The paper's order, the farthest first, and one more distance, −1.
    return { order, L, M, K, columns: K + 1, start: L - 1, cut: 0 };
  }
  // The other order: from −K to L − 1 places ahead, and one empty column.
  return { order, L, M, K, columns: K + L + 1, start: 0, cut: L };
}

/** How far back column c looks; null for the empty column. */
export function distance({ order, K, L, columns }, c) {
  if (order === "falls") return K - 1 - c;
  return c === columns - 1 ? null : K - c;
}

/** How many columns row i moves to the right; to the left if below 0. */
export const move = ({ order, L }, i) => (order === "falls" ? i - (L - 1) : i);

/** Which number of the line stands in row i, column c of the table by distance. */
export const address = ({ columns }, i, c) => i * columns + c;

/** The query and the key that the number is read for; null for one that is left out. */
export function read(table, i, c) {
  const { L, K, columns, start, cut } = table;
  const place = address(table, i, c) - start, width = columns - 1;
  if (place < 0 || place >= L * width) return null;
  const row = Math.floor(place / width), key = (place % width) - cut;
  return key < 0 || key >= K ? null : [row, key];
}

/** The column by distance in which the score of query i and key j stands. */
export const columnOf = ({ order, L }, i, j) => (order === "falls" ? j + L - 1 - i : j + L - i);

/** Whether key j comes after query i. */
export const isFuture = ({ M }, i, j) => j > i + M;

/** Where a number is drawn in a step of the shift: row, column by key, whether it counts. */
export function place(table, i, c, step) {
  if (step === 0) return [i, c, true];
  const { L, K, columns, start, cut } = table, width = columns - 1;
  let row = i, column = c + move(table, i);
  if (step > 1) {
    const at = address(table, i, c) - start;
    // What no row reads stays where it is.
    if (at >= 0 && at < L * width) [row, column] = [Math.floor(at / width), at % width];
  }
  const key = column - cut;
  return [row, key, key >= 0 && key < K];
}

// Three ways from `scores` by distance to scores by key, for L, M and K as they are, and
// how many numbers each of them writes.
export const ways = [
  {
    name: "index",
    code: [
      "i, j = torch.arange(L)[:, None], torch.arange(K)",
      "column = (j + L - 1 - i).clamp(max=K - 1)",
      "result = scores.gather(-1, column)",
    ],
    distances: ({ K }) => K,
    copied: ({ L, K }) => L * K,
  },
  {
    name: "pad",
    code: [
      "padded = torch.cat([scores.new_zeros(L, 1), scores], 1)",
      "rows = padded.view(K + 1, L)[1:]",
      "result = rows.view(L, K)",
    ],
    distances: ({ K }) => K,
    copied: ({ L, K }) => L * (K + 1),
  },
  {
    name: "view",
    code: [
      "line = scores.view(L * (K + 1))",
      "result = line[L - 1 : -1].view(L, K)",
    ],
    distances: ({ K }) => K + 1,
    copied: () => 0,
  },
];
