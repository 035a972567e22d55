// The two memories of a layer of the Compressive Transformer, one number a state.

/** Segments that the figure reads. */
export const SEGMENTS = 8;
/** The functions, by their names in `labml_txl.models.COMPRESSIONS`. */
export const FUNCTIONS = [
  "max_pooling",
  "mean_pooling",
  "conv1d",
  "dilated_conv",
  "most_used",
];
// One feature of each state, and how much attention the state received, in percent.
const VALUES = [3, 7, 2, 5, 1, 9, 6, 4, 8, 2, 6, 1, 7, 3, 9, 5];
const USES = [4, 9, 2, 7, 1, 5, 8, 3, 6, 2, 7, 4, 1, 9, 3, 6];
// What a convolution of each width might have learned.
const WEIGHTS = {
  1: [1],
  2: [0.75, 0.25],
  3: [0.5, 0.25, 0.25],
  4: [0.5, 0.25, 0.25, 0.5],
};

/** The state of a token: its number, its value, its use. */
export const state = (token) => ({
  first: token,
  last: token,
  tokens: [token],
  value: VALUES[token % 16],
  use: USES[token % 16],
});

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const divisor = (a, b) => (b ? divisor(b, a % b) : a);

/** The states of which each new slot is made; null where a kernel reads a zero. */
export function readBy(name, old, rate) {
  const slots = Array.from({ length: Math.floor(old.length / rate) }, (_, n) => n);
  if (name === "most_used") {
    const kept = old
      .map((one, at) => [one.use, at])
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .slice(0, slots.length);
    return kept
      .map(([, at]) => at)
      .sort((a, b) => a - b)
      .map((at) => [old[at]]);
  }
  // The kernel of a dilated convolution has gaps, so that no state is read twice.
  let dilation = 1;
  if (name === "dilated_conv")
    do dilation += 1;
    while (divisor(dilation, rate) > 1);
  const before = Math.floor(((dilation - 1) * (rate - 1)) / 2);
  return slots.map((n) =>
    Array.from(
      { length: rate },
      (_, tap) => old[n * rate - before + tap * dilation] ?? null,
    ),
  );
}

/** The states of which no slot is made: they are lost at once. */
export function unread(old, made) {
  return old.filter(({ first }) => !made.some((slot) => slot.tokens.includes(first)));
}

/** The number that a slot gets from the states of which it is made. */
export function compressed(name, states, rate) {
  const values = states.map((one) => one?.value ?? 0);
  if (name === "max_pooling") return Math.max(...values);
  if (name === "mean_pooling") return sum(values) / values.length;
  if (name === "most_used") return values[0];
  return sum(values.map((value, tap) => value * WEIGHTS[rate][tap]));
}

/** How this number is computed, as a formula. */
export function told(name, states, rate) {
  const values = states.map((one) => one?.value ?? 0);
  if (name === "max_pooling") return `max(${values.join(", ")})`;
  if (name === "mean_pooling")
    return values.length > 1
      ? `(${values.join(" + ")}) / ${values.length}`
      : `${values[0]}`;
  if (name === "most_used") return `${values[0]}`;
  return values.map((value, tap) => `${WEIGHTS[rate][tap]} · ${value}`).join(" + ");
}

export const weights = (rate) => WEIGHTS[rate];

/** For each segment: the memories before and after it, and which states are compressed,
    lost or waiting. */
export function history({ segment, mem_len, c_mem_len, rate, name }) {
  const steps = [];
  let mem = [],
    c_mem = [];
  for (let turn = 0; turn < SEGMENTS; turn++) {
    const read = Array.from({ length: segment }, (_, n) => state(turn * segment + n));
    const states = [...mem, ...read];
    // Only whole blocks leave the memory; the states left over wait for the next
    // segment.
    const surplus = Math.max(states.length - mem_len, 0),
      n_old = surplus - (surplus % rate);
    const old = states.slice(0, n_old);
    const made = readBy(name, old, rate).map((parts, n) => {
      const block = old.slice(n * rate, (n + 1) * rate);
      const tokens = parts.filter(Boolean).flatMap((one) => one.tokens);
      const [first, last] =
        name === "most_used"
          ? [parts[0].first, parts[0].last]
          : [block[0].first, block[rate - 1].last];
      return { first, last, tokens, parts, value: compressed(name, parts, rate) };
    });
    const all = [...c_mem, ...made],
      dropped = Math.max(all.length - c_mem_len, 0);
    const after = {
      mem: states.slice(n_old),
      c_mem: made.length ? all.slice(dropped) : c_mem,
    };
    steps.push({
      turn,
      before: { mem, c_mem },
      read,
      old,
      made,
      dropped: unread(old, made),
      lost: made.length ? all.slice(0, dropped) : [],
      waiting: after.mem.slice(0, surplus - n_old),
      after,
    });
    ({ mem, c_mem } = after);
  }
  return steps;
}
