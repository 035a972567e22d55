// The worker: it runs a model for the page.
//
// A message names what to `do`, and has an `id`. The answers have the same id: partial
// results, then `done` or an `error`. Places count the characters that the model knows.
// In an answer to `score`, the first character costs NaN, because it has no context.

const SLICE = 12,
  BATCH = 30,
  READINGS = 3;
const now = () => performance.now();

let model = null,
  looked = null,
  speed = 0,
  stops = 0,
  last = Promise.resolve();
const readings = new Map();

/** A text and the cost of each of its tokens that have been read. */
class Reading {
  constructor(lengths) {
    Object.assign(this, { reader: model.reader(lengths), tokens: [], costs: [] });
  }

  /** How many tokens at the start of a text have been read already. */
  known(tokens) {
    let same = 0;
    while (same < tokens.length && tokens[same] === this.tokens[same]) same++;
    return same;
  }

  /** Go back to before the last of those, and read it again to get the logits of the
      next. */
  begin(tokens) {
    const same = this.known(tokens),
      from = Math.max(0, same - 1);
    this.reader.rewind(from);
    this.tokens.length = from;
    this.costs.length = Math.min(this.costs.length, same);
  }

  step(token) {
    const { reader, tokens, costs } = this;
    if (tokens.length === costs.length)
      costs.push(tokens.length ? bits(reader.logits, token) : NaN);
    tokens.push(token);
    return reader.step(token);
  }
}

function reading({ mem_len, c_mem_len }) {
  const key = `${mem_len} ${c_mem_len}`,
    found = readings.get(key) ?? new Reading({ mem_len, c_mem_len });
  readings.delete(key);
  readings.set(key, found);
  if (readings.size > READINGS) readings.delete(readings.keys().next().value);
  return found;
}

/** Yield, so that a "stop" message is received while a request is running. */
const channel = new MessageChannel();
const turn = () =>
  new Promise((go) => {
    channel.port1.onmessage = go;
    channel.port2.postMessage(0);
  });

/** Repeat an action until nothing is left to do or it is stopped. */
async function repeat(act, more, { stopped, part = () => {} }) {
  const start = now();
  let count = 0,
    slice = start,
    batch = start;
  while (more() && !stopped()) {
    act();
    count++;
    if (now() - slice < SLICE) continue;
    speed = (1000 * count) / (now() - start);
    if (now() - batch >= BATCH) {
      part();
      batch = now();
    }
    await turn();
    slice = now();
  }
  if (count) speed = (1000 * count) / Math.max(now() - start, 1e-3);
  part();
}

async function follow(found, tokens, asked) {
  found.begin(tokens);
  await repeat(
    () => found.step(tokens[found.tokens.length]),
    () => found.tokens.length < tokens.length,
    asked,
  );
}

const DO = {
  async load({ src, trusted = [], say }) {
    const about = Object(await (await ask(src, trusted)).json().catch(() => ({})));
    if (about.format !== "labml_txl model 1")
      throw new Refused("format", about.format ?? "none", "labml_txl model 1");
    const place = new URL(about.weights, src);
    place.search = about.digest ?? "";
    const buffer = await whole(
      await ask(place.href, trusted, { cache: "force-cache" }),
      about.bytes,
      say,
    );
    model = read(buffer);
    readings.clear();
    looked = null;
    const { kind, config, symbols, step, lengths } = model,
      { bytes, name, text, examples, losses, heads } = about;
    return {
      model: {
        kind,
        config,
        symbols: symbols.join(""),
        step,
        lengths,
        bytes,
        name,
        text,
        examples,
        losses,
        heads,
      },
    };
  },

  async score({ text, say, stopped, ...lengths }) {
    const { tokens, unknown } = model.encode(text),
      found = reading(lengths);
    let from = 0;
    const part = () => {
      const { costs } = found,
        to = Math.min(costs.length, tokens.length);
      if (to > from)
        say({ part: { from, bits: Float32Array.from(costs.slice(from, to)) } });
      from = Math.max(from, to);
    };
    await follow(found, tokens, { stopped, part });
    return { unknown, tokens_per_second: speed };
  },

  async write({
    text,
    count,
    temperature,
    top_p,
    seed,
    skip = 0,
    say,
    stopped,
    ...lengths
  }) {
    const { tokens, unknown } = model.encode(text),
      found = reading(lengths),
      random = randoms(seed);
    if (!tokens.length) throw new Refused("text", "0", "≥ 1");
    for (let n = 0; n < skip; n++) random();
    await follow(found, tokens, { stopped });
    const whole = tokens.length + count;
    let shown = tokens.length;
    const part = () => {
      if (found.tokens.length > shown)
        say({
          part: {
            text: model.decode(found.tokens.slice(shown)),
            tokens_per_second: speed,
          },
        });
      shown = found.tokens.length;
    };
    const act = () =>
      found.step(draw(found.reader.logits, { temperature, top_p }, random));
    await repeat(act, () => found.tokens.length < whole, { stopped, part });
    return { unknown };
  },

  async look({ text, position, stopped, ...lengths }) {
    const found = reading(lengths),
      tokens = model.encode(text).tokens.subarray(0, position + 1),
      at = tokens.length - 1;
    if (at < 0 || at !== position) throw new Refused("position", position, `0 … ${at}`);
    if (found.known(tokens) <= at) await follow(found, tokens, { stopped });
    if (found.tokens.length <= at) return {};
    looked = { reader: found.reader, at };
    const every = (count, make) => Array.from({ length: count }, (_, n) => make(n));
    const weights = every(model.layers, (layer) =>
      every(model.heads, (head) => found.reader.weights(layer, head, at)),
    );
    const { rate } = model.lengths,
      { mem: from } = sight(found.reader.lengths, at);
    return { regions: found.reader.regions(at), from, rate, weights };
  },

  async terms({ layer, head, key }) {
    if (!looked) throw new Refused("terms", "0", "≥ 1");
    return looked.reader.terms(layer, head, key, looked.at);
  },
};

/** Fetch a file from our own host or a trusted one. The policy of the page does not
    hold in a worker, so redirects are refused. */
async function ask(address, trusted, options) {
  const { origin, href } = new URL(address, location.href);
  if (origin !== location.origin && !trusted.includes(origin))
    throw new Refused("origin", origin, location.origin);
  const answer = await fetch(href, { ...options, redirect: "error" }).catch(() => null);
  if (!answer?.ok)
    throw new Refused("unreachable", answer ? `${answer.status} ${href}` : href, "200");
  return answer;
}

/** Read the bytes of an answer, and report how many have arrived. */
async function whole(answer, total, say) {
  const parts = [];
  let loaded = 0;
  for (let reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    say({ progress: { loaded, total: total ?? loaded } });
  }
  return new Blob(parts).arrayBuffer();
}

async function answer({ id, do: name, ...given }, turn) {
  const stopped = () => stops !== turn,
    say = (message) => postMessage({ id, ...message });
  try {
    if (!(name in DO)) throw new Refused("do", name, Object.keys(DO).join(", "));
    if (!model && name !== "load") throw new Refused("model", "0", "1");
    const done = stopped() ? {} : await DO[name]({ ...given, say, stopped });
    say({ done: stopped() ? { ...done, stopped: true } : done });
  } catch (error) {
    const { code = "fault", given: had = `${error}`, wanted = "" } = error;
    say({ error: { code, given: had, wanted } });
  }
}

addEventListener("message", ({ data }) => {
  if (data.do === "stop") {
    stops++;
    return;
  }
  const turn = stops;
  last = last.then(() => answer(data, turn));
});
