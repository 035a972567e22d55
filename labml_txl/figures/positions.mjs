// Positions that start again in each segment, and distances, for the same tokens.

export const TOKENS = 16;
// Sines and cosines of each position, together.
const WIDTH = 16;

/** The position that a token has in its own segment, from 1 on; one segment begins at `start`. */
export const position = ({ start, segment }, token) =>
  ((((token - start) % segment) + segment) % segment) + 1;

/** The tokens that a query sees: those of the memory, and those of the segment up to
    itself. */
export function seen({ start, mem_len }, query) {
  const first = Math.max(0, start - mem_len);
  return Array.from({ length: query + 1 - first }, (_, n) => first + n);
}

/** The product of the encodings of two positions that are this far apart; 1 for equal ones. */
export function likeness(far) {
  let sum = 0;
  for (let k = 0; k < WIDTH; k += 2) sum += Math.cos(far * 10000 ** (-k / WIDTH));
  return sum / (WIDTH / 2);
}

/** How similar a query and a token look, by absolute positions or by their distance. */
export const absolute = (size, query, token) =>
  likeness(position(size, query) - position(size, token));
export const relative = (query, token) => likeness(query - token);

/** The visible tokens that have the same position as another one. */
export const collisions = (size, query, token) =>
  seen(size, query).filter(
    (one) => one !== token && position(size, one) === position(size, token),
  );
