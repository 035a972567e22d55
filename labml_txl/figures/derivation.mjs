// Which keys a term makes a query attend to, in a small example, before and after each
// change. There are four tokens in memory and four in the segment, and positions count
// within each.

export const STEPS = 5;
export const LENGTH = 4;
const WORDS = [0, 1, 2, 0, 1, 3, 2, 1]; // equal numbers are equal words
const WANTED = [2, 1, 3, 2]; // the position, later the distance, that a query looks for
const OWN = [0.9, 0.5, 0.7, 0.3]; // what a query's own position does to (c) and (d)
const WEIGHT = [0.2, 0.9, 0.4, 0.7]; // how important a word is to all queries

/** The share of a query and a key in a term, from 0 to 1; null for a later key. */
export function share(term, step, i, j) {
  const far = LENGTH + i - j;
  if (far < 0) return null;
  const relative = step > 2;
  const own = step > 3 ? 1 : OWN[i]; // u and v are the same for all queries
  if (term === "a") return WORDS[LENGTH + i] === WORDS[j] ? 1 : 0;
  if (term === "b") return (relative ? far : j % LENGTH) === WANTED[i] ? 1 : 0;
  if (term === "c") return own * WEIGHT[WORDS[j]];
  const near = relative ? far : Math.abs(i - (j % LENGTH));
  return own * Math.max(0, 1 - near / 5);
}

/** The name of the text that says what a term asks. Until a step replaces the position,
    it is a part of the question. */
export function question(term, step) {
  if (step < 4 && term === "c") return "asks_c_position";
  if (step < 3 && term === "b") return "asks_b_position";
  if (step < 4 && term === "d")
    return step < 3 ? "asks_d_positions" : "asks_d_position";
  return `asks_${term}`;
}
