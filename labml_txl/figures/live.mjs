// Transformer-XL and the Compressive Transformer, one token after another.
//
// This is the arithmetic of `labml_txl/models`, in the order of its pages, with the
// weights that `eight_bits.py` writes. A reader of a model keeps what it has computed
// for each token and never changes it. So the weights of any earlier token can be
// computed later, and if a text changes, only the part from the change on is read
// again.

const FORMAT = "labml_txl 8 bits 1";

// The supported values of each setting. A model with any other is refused.
const BUILT_IN = {
  model: ["xl", "compressive"],
  vocabulary: ["characters"],
  encoding: ["sinusoidal"],
  norm: ["pre", "post"],
  cutoffs: [""],
  div_val: [1],
  d_embed: [0],
  same_length: [false],
  clamp_len: [0],
  zero_memory: [false],
};

/** A model that this page cannot run: the setting (`code`), its value, and the
    supported values. */
export class Refused extends Error {
  constructor(code, given, wanted) {
    super(`${code} = ${given}: wanted ${wanted}`);
    Object.assign(this, { code, given: `${given}`, wanted: `${wanted}` });
  }
}

// The given and the expected value are inserted into a translated sentence, so they
// consist of symbols and names of the format, without words.
const damaged = (given, wanted) => new Refused("damaged", given, wanted);

/** The model of a file in the format of safetensors. */
export function read(buffer) {
  if (buffer.byteLength < 8) throw damaged(`${buffer.byteLength} B`, "> 8 B");
  const length = Number(new DataView(buffer).getBigUint64(0, true)),
    start = 8 + length;
  if (start > buffer.byteLength)
    throw damaged(`${buffer.byteLength} B`, `≥ ${start} B`);
  const { __metadata__: about = {}, ...tensors } = json(
    new TextDecoder().decode(new Uint8Array(buffer, 8, length)),
  );
  if (about.format !== FORMAT)
    throw new Refused("format", about.format ?? "none", FORMAT);
  const config = json(about.config),
    { kind, symbols } = json(about.vocabulary);
  check({
    cutoffs: "",
    div_val: 1,
    d_embed: 0,
    same_length: false,
    clamp_len: 0,
    zero_memory: false,
    ...config,
    vocabulary: kind,
  });
  const weights = (name, ...shape) => numbers(buffer, start, tensors, name, shape);
  return new Model(
    config,
    [...symbols],
    Number(about.step),
    weights,
    "head.weight" in tensors,
  );
}

function json(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw damaged(`${text.slice(0, 20)}…`, "JSON");
  }
}

function check(config) {
  for (const [name, known] of Object.entries({
    ...BUILT_IN,
    ...(config.model === "compressive" && { compression: Object.keys(COMPRESSIONS) }),
  })) {
    const given = Array.isArray(config[name]) ? config[name].join() : config[name];
    if (!known.includes(given))
      throw new Refused(
        name,
        given,
        known.map((one) => (one === "" ? "none" : one)).join(", "),
      );
  }
  for (const name of ["n_layers", "heads", "d_model", "d_ff", "seq_len"]) {
    if (!(Number.isInteger(config[name]) && config[name] > 0))
      throw damaged(`${name} = ${config[name]}`, "1, 2, 3, …");
  }
}

/** A tensor in 32 bits. In 8 bits it has a scale for each row. */
function numbers(buffer, start, tensors, name, shape) {
  const {
    dtype,
    shape: found = [],
    data_offsets: [from, to] = [],
  } = tensors[name] ?? {};
  const size = { I8: 1, F32: 4 }[dtype],
    count = shape.reduce((product, one) => product * one, 1);
  if (!size || `${found}` !== `${shape}`)
    throw damaged(`${name} ${dtype ?? "∅"} [${found}]`, `I8, F32 [${shape}]`);
  if (to - from !== size * count || !(from >= 0) || start + to > buffer.byteLength) {
    throw damaged(`${buffer.byteLength} B`, `≥ ${start + to} B`);
  }
  const bytes = buffer.slice(start + from, start + to);
  if (dtype === "F32") return new Float32Array(bytes);
  const scale = numbers(buffer, start, tensors, `${name}:scale`, [shape[0]]),
    row = count / shape[0];
  return Float32Array.from(
    new Int8Array(bytes),
    (step, at) => step * scale[Math.floor(at / row)],
  );
}

class Model {
  constructor(config, symbols, step, weights, untied) {
    const {
      n_layers,
      heads,
      d_model: d,
      d_ff,
      norm,
      seq_len,
      mem_len,
      c_mem_len,
    } = config;
    const compressive = config.model === "compressive",
      rate = compressive ? config.compression_rate : 1;
    Object.assign(this, {
      config,
      symbols,
      step,
      kind: config.model,
      layers: n_layers,
      heads,
      width: d,
      pre: norm === "pre",
    });
    this.lengths = { mem_len, c_mem_len, rate, segment: seq_len };
    this.known = new Map(symbols.map((symbol, token) => [symbol, token]));
    this.embedding = weights("embed.table.weight", symbols.length, d);
    this.head = {
      weight: untied ? weights("head.weight", symbols.length, d) : this.embedding,
      bias: weights("head.bias", symbols.length),
    };
    const normed = (name) => ({
      weight: weights(`${name}.weight`, d),
      bias: weights(`${name}.bias`, d),
    });
    this.norm = this.pre && normed("transformer.norm");
    this.parts = Array.from({ length: n_layers }, (_, n) => {
      const whole = `transformer.layers.${n}.`,
        core = compressive ? `${whole}core.` : whole,
        at = `${core}self_attn.`;
      const square = (name) => ({ weight: weights(`${at}${name}.weight`, d, d) });
      return {
        query: square("query"),
        key: square("key"),
        value: square("value"),
        distance: square("distances.projection"),
        output: { ...square("output"), bias: weights(`${at}output.bias`, d) },
        u: weights(`${at}content_bias`, heads, d / heads),
        v: weights(`${at}distances.position_bias`, heads, d / heads),
        norm_self_attn: normed(`${core}norm_self_attn`),
        norm_ff: normed(`${core}norm_ff`),
        expand: {
          weight: weights(`${core}feed_forward.expand.weight`, d_ff, d),
          bias: weights(`${core}feed_forward.expand.bias`, d_ff),
        },
        contract: {
          weight: weights(`${core}feed_forward.contract.weight`, d, d_ff),
          bias: weights(`${core}feed_forward.contract.bias`, d),
        },
        compress:
          compressive &&
          COMPRESSIONS[config.compression](rate, d, (name, ...shape) =>
            weights(`${whole}compress.${name}`, ...shape),
          ),
        // Keys of distances: they depend on no token.
        distances: new Rows(d),
      };
    });
    this.reach = 0;
  }

  /** The tokens of a text. Characters that the vocabulary lacks are left out and
      returned. */
  encode(text) {
    const unknown = new Set(),
      tokens = [];
    for (const symbol of text) {
      if (this.known.has(symbol)) tokens.push(this.known.get(symbol));
      else unknown.add(symbol);
    }
    return { tokens: Int32Array.from(tokens), unknown: [...unknown] };
  }

  decode(tokens) {
    return Array.from(tokens, (token) => this.symbols[token]).join("");
  }

  /** A new reader. With segments of one token it computes the same as Python's
      `Cache`. */
  reader(lengths = {}) {
    return new Reader(this, { ...this.lengths, ...lengths, rate: this.lengths.rate });
  }

  /** W_kR R for all distances below `count`. */
  project(count) {
    for (; this.reach < count; this.reach++) {
      const R = sinusoids(this.reach, this.width);
      for (const { distances, distance } of this.parts)
        linear(distance, R, distances.row(this.reach));
    }
  }
}

/** The sines and cosines of a distance. */
function sinusoids(distance, width) {
  const R = new Float32Array(width),
    half = width / 2;
  for (let k = 0; k < half; k++) {
    const angle = distance * 10_000 ** ((-2 * k) / width);
    R[k] = Math.sin(angle);
    R[k + half] = Math.cos(angle);
  }
  return R;
}

/** How `rate` consecutive states become one. A model with another function is refused,
    so each name stands beside its arithmetic. */
export const COMPRESSIONS = {
  conv1d(rate, d, weights) {
    // A kernel [d, d, rate] as a linear layer: for each output, the states in their order.
    const kernel = weights("conv.weight", d, d, rate),
      weight = new Float32Array(kernel.length);
    for (let i = 0; i < d * d; i++) {
      for (let t = 0; t < rate; t++)
        weight[(Math.floor(i / d) * rate + t) * d + (i % d)] = kernel[i * rate + t];
    }
    const layer = { weight, bias: weights("conv.bias", d) };
    return (states, out) => linear(layer, states, out);
  },
  max_pooling: (rate, d) => byFeature(rate, d, (column) => Math.max(...column)),
  mean_pooling: (rate, d) =>
    byFeature(rate, d, (column) => column.reduce((sum, one) => sum + one) / rate),
};

/** A compression that computes each feature of a slot from this feature of the states. */
function byFeature(rate, d, compress) {
  return (states, out) => {
    for (let i = 0; i < d; i++)
      out[i] = compress(Array.from({ length: rate }, (_, t) => states[t * d + i]));
  };
}

/** Rows of one width, allocated when they are needed. */
class Rows {
  constructor(width, storage = new Float32Array(64 * width)) {
    this.width = width;
    this.storage = storage;
  }

  row(at, count = 1) {
    const from = at * this.width,
      to = from + count * this.width;
    if (to > this.storage.length) {
      const old = this.storage;
      this.storage = new Float32Array(Math.max(2 * old.length, to));
      this.storage.set(old);
    }
    return this.storage.subarray(from, to);
  }

  copy() {
    return new Rows(this.width, this.storage.slice());
  }
}

/** What the token at a position sees: slots of compressed memory, then tokens up to
    itself. */
export function sight({ mem_len, c_mem_len, rate, segment }, at) {
  // The memory changes after each segment: whole blocks leave it and are compressed.
  const own = at - (at % segment),
    slots = Math.floor(Math.max(0, own - mem_len) / rate);
  return {
    slot: Math.max(0, slots - c_mem_len),
    slots,
    mem: slots * rate,
    own,
    end: at + 1,
  };
}

class Reader {
  constructor(model, lengths) {
    for (const [name, least] of [
      ["mem_len", 0],
      ["c_mem_len", 0],
      ["segment", 1],
    ]) {
      if (!(Number.isInteger(lengths[name]) && lengths[name] >= least))
        throw new Refused(name, lengths[name], `${least}, ${least + 1}, …`);
    }
    // What leaves the memory of Transformer-XL is lost.
    this.lengths = {
      ...lengths,
      c_mem_len: model.kind === "compressive" ? lengths.c_mem_len : 0,
    };
    this.model = model;
    this.length = this.slots = 0;
    const rows = () => new Rows(model.width);
    this.kept = model.parts.map(() => ({
      states: rows(),
      queries: rows(),
      keys: rows(),
      values: rows(),
      slotKeys: rows(),
      slotValues: rows(),
    }));
    this.logits = new Float32Array(model.symbols.length);
    this.wide = new Float32Array(model.config.d_ff);
  }

  copy() {
    const twin = new Reader(this.model, this.lengths);
    Object.assign(twin, { length: this.length, slots: this.slots });
    twin.kept = this.kept.map((one) =>
      Object.fromEntries(
        Object.entries(one).map(([name, rows]) => [name, rows.copy()]),
      ),
    );
    return twin;
  }

  /** Go back to the state after the first `length` tokens. */
  rewind(length) {
    this.length = Math.min(this.length, length);
    this.slots = Math.min(this.slots, Math.floor(this.length / this.lengths.rate));
  }

  /** Read a token and return the logits of the next one, in a buffer that the next call
      overwrites. */
  step(token) {
    const { model, kept, wide } = this,
      d = model.width,
      at = this.length++,
      seen = sight(this.lengths, at);
    if (this.lengths.c_mem_len) this.compress(seen.slots);
    let x = new Float32Array(d);
    for (let i = 0; i < d; i++)
      x[i] = model.embedding[token * d + i] * Math.fround(Math.sqrt(d));
    for (const [n, part] of model.parts.entries()) {
      const { states, queries, keys, values } = kept[n];
      states.row(at).set(x);
      const z = this.before(part.norm_self_attn, x);
      linear(part.query, z, queries.row(at));
      linear(part.key, z, keys.row(at));
      linear(part.value, z, values.row(at));
      const o = linear(part.output, this.attended(n, at), new Float32Array(d));
      this.after(part.norm_self_attn, add(o, x));
      linear(part.expand, this.before(part.norm_ff, o), wide);
      for (let i = 0; i < wide.length; i++) if (wide[i] < 0) wide[i] = 0;
      x = linear(part.contract, wide, new Float32Array(d));
      this.after(part.norm_ff, add(x, o));
    }
    return linear(
      model.head,
      model.norm ? normalized(model.norm, x, x) : x,
      this.logits,
    );
  }

  before(norm, x) {
    return this.model.pre ? normalized(norm, x, new Float32Array(x.length)) : x;
  }

  after(norm, x) {
    return this.model.pre ? x : normalized(norm, x, x);
  }

  /** Compress the states that have left the memory, until there are `count` slots. */
  compress(count) {
    const { rate } = this.lengths;
    for (; this.slots < count; this.slots++) {
      for (const [n, part] of this.model.parts.entries()) {
        const { states, slotKeys, slotValues } = this.kept[n],
          state = new Float32Array(this.model.width);
        part.compress(states.row(this.slots * rate, rate), state);
        const z = this.before(part.norm_self_attn, state);
        linear(part.key, z, slotKeys.row(this.slots));
        linear(part.value, z, slotValues.row(this.slots));
      }
    }
  }

  /** The outputs of a layer's heads for the token at a position, one after another. */
  attended(n, at) {
    const { values, slotValues } = this.kept[n],
      { slot, slots, mem, end } = sight(this.lengths, at);
    const { heads, width } = this.model,
      d_k = width / heads,
      weights = this.look(n, at);
    const out = new Float32Array(width),
      count = weights.length / heads;
    const sum = (rows, from, to, first) => {
      for (let j = from, key = first; j < to; j++, key++) {
        const v = rows.storage,
          row = j * width;
        for (let h = 0, i = 0; h < heads; h++) {
          const weight = weights[h * count + key];
          for (const stop = i + d_k; i < stop; i++) out[i] += weight * v[row + i];
        }
      }
    };
    sum(slotValues, slot, slots, 0);
    sum(values, mem, end, slots - slot);
    return out;
  }

  /** The weights of a layer for the token at a position: [heads, keys], in one row. */
  look(n, at) {
    const { model, kept } = this,
      { heads, width } = model,
      part = model.parts[n],
      d_k = width / heads;
    const { queries, keys, slotKeys } = kept[n],
      { slot, slots, mem, end } = sight(this.lengths, at);
    const count = slots - slot + end - mem,
      weights = new Float32Array(heads * count),
      scale = 1 / Math.sqrt(d_k);
    model.project(count);
    // Terms (a) and (c) are (q + u) k, terms (b) and (d) are (q + v) r.
    const q = queries.row(at),
      qu = q.map((one, i) => one + part.u[i]),
      qv = q.map((one, i) => one + part.v[i]);
    const r = part.distances.storage;
    const score = (rows, from, to, first) => {
      for (let j = from, key = first; j < to; j++, key++) {
        const k = rows.storage,
          row = j * width,
          far = (count - 1 - key) * width;
        for (let h = 0, i = 0; h < heads; h++) {
          let sum = 0;
          for (const stop = i + d_k; i < stop; i++)
            sum += qu[i] * k[row + i] + qv[i] * r[far + i];
          weights[h * count + key] = scale * sum;
        }
      }
    };
    score(slotKeys, slot, slots, 0);
    score(keys, mem, end, slots - slot);
    for (let h = 0; h < heads; h++)
      softmax(weights.subarray(h * count, (h + 1) * count));
    return weights;
  }

  /** How many keys a token sees in each memory and in its own segment, in this order. */
  regions(at = this.length - 1) {
    const { slot, slots, mem, own, end } = sight(this.lengths, at);
    return { c_mem: slots - slot, mem: own - mem, own: end - own };
  }

  /** Its weights over those keys. If `layer` or `head` is −1, the mean over all of
      them. */
  weights(layer, head, at = this.length - 1) {
    const { layers, heads } = this.model;
    const chosen = layer < 0 ? [...Array(layers).keys()] : [layer],
      taken = head < 0 ? [...Array(heads).keys()] : [head];
    let mean = null;
    for (const n of chosen) {
      const all = this.look(n, at),
        count = all.length / heads;
      mean ??= new Float32Array(count);
      for (const h of taken)
        for (let j = 0; j < count; j++)
          mean[j] += all[h * count + j] / (chosen.length * taken.length);
    }
    return mean;
  }

  /** The four terms of a token and one of those keys. */
  terms(layer, head, key, at = this.length - 1) {
    const { model } = this,
      { heads, width } = model,
      part = model.parts[layer],
      d_k = width / heads;
    const { slot, slots, mem, end } = sight(this.lengths, at),
      { queries, keys, slotKeys } = this.kept[layer];
    const n = slots - slot,
      count = n + end - mem,
      scale = 1 / Math.sqrt(d_k),
      from = head * d_k;
    model.project(count);
    const cut = (row) => row.subarray(from, from + d_k);
    const q = cut(queries.row(at)),
      u = cut(part.u),
      v = cut(part.v),
      r = cut(part.distances.row(count - 1 - key));
    const k = cut(key < n ? slotKeys.row(slot + key) : keys.row(mem + key - n));
    const dot = (one, other) =>
      scale * one.reduce((sum, number, i) => sum + number * other[i], 0);
    const [a, b, c, d] = [dot(q, k), dot(q, r), dot(u, k), dot(v, r)];
    return {
      a,
      b,
      c,
      d,
      score: a + b + c + d,
      weight: this.weights(layer, head, at)[key],
    };
  }
}

/** out = W x + b */
function linear({ weight, bias }, x, out) {
  const width = x.length,
    even = width - (width % 4);
  for (let r = 0, at = 0; r < out.length; r++) {
    let s0 = bias ? bias[r] : 0,
      s1 = 0,
      s2 = 0,
      s3 = 0,
      i = 0;
    for (; i < even; i += 4, at += 4) {
      s0 += weight[at] * x[i];
      s1 += weight[at + 1] * x[i + 1];
      s2 += weight[at + 2] * x[i + 2];
      s3 += weight[at + 3] * x[i + 3];
    }
    for (; i < width; i++, at++) s0 += weight[at] * x[i];
    out[r] = s0 + s1 + (s2 + s3);
  }
  return out;
}

function add(x, y) {
  for (let i = 0; i < x.length; i++) x[i] += y[i];
  return x;
}

/** Layer norm: from x to out, which may be x itself. */
function normalized({ weight, bias }, x, out) {
  let mean = 0,
    square = 0;
  for (const one of x) mean += one / x.length;
  for (const one of x) square += (one - mean) ** 2 / x.length;
  const by = 1 / Math.sqrt(square + 1e-5);
  for (let i = 0; i < x.length; i++) out[i] = (x[i] - mean) * by * weight[i] + bias[i];
  return out;
}

function softmax(scores) {
  const most = scores.reduce((one, other) => Math.max(one, other));
  let sum = 0;
  for (let j = 0; j < scores.length; j++) sum += scores[j] = Math.exp(scores[j] - most);
  for (let j = 0; j < scores.length; j++) scores[j] /= sum;
  return scores;
}

/** The cost of a token: −log2 of its probability. */
export function bits(logits, token) {
  return -Math.log2(softmax(Float64Array.from(logits))[token]);
}

/** Choose a token: at temperature 0 the most likely one, otherwise a random one of the
    smallest set with probability `top_p`. */
export function draw(
  logits,
  { temperature = 1, top_p = 1 } = {},
  random = Math.random,
) {
  if (temperature === 0) return logits.indexOf(Math.max(...logits));
  const p = softmax(Float64Array.from(logits, (one) => one / temperature));
  const order = [...p.keys()].sort((one, other) => p[other] - p[one]);
  let before = 0;
  const left = order.filter((token) => {
    const stays = before < top_p;
    before += p[token];
    return stays;
  });
  let at = random() * left.reduce((sum, token) => sum + p[token], 0);
  return left.find((token) => (at -= p[token]) < 0) ?? left.at(-1);
}

/** Numbers in [0, 1) that depend only on the seed: xorshift of Marsaglia (2003). */
export function randoms(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let n = 0; n < 8; n++) next();
  return next;
}
