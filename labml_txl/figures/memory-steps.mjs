// The memory of a layer, segment by segment: which states it keeps.

export const SEGMENTS = 4;

/** The states of each segment, numbered by their token, and the memory before and after. */
export function history(seq_len, mem_len) {
  const steps = [];
  let mem = [];
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const states = Array.from({ length: seq_len }, (_, n) => segment * seq_len + n);
    const kept = Math.max(mem_len - states.length, 0);
    const from = Math.max(mem.length - kept, 0);
    const after = mem_len ? [...mem.slice(from), ...states.slice(-mem_len)] : [];
    const dropped = [...mem, ...states].filter((state) => !after.includes(state));
    steps.push({ mem, states, kept, from, after, dropped });
    mem = after;
  }
  return steps;
}
