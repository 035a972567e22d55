// Tell, wait, ask: two small models are told a fact, read on, and are asked for it. What
// was recorded is shown first; the models are loaded when the reader changes something.

const WIDE = DATA.distances.at(-1) + DATA.models[0].segment; // tokens that a strip shows
const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
const lengthsOf = ({ mem_len, c_mem_len, rate, segment }) => ({
  mem_len,
  c_mem_len,
  rate,
  segment,
});
/** Yield to the browser after a slice of work, so that the page is drawn. */
const slices = (stopped) => {
  let start = performance.now();
  return async () => {
    if (performance.now() - start < 12) return false;
    await new Promise((go) => {
      setTimeout(go);
    });
    start = performance.now();
    return stopped();
  };
};

define(class extends Figure {
  static style = css`
    .choice {
      flex: 0 1 auto;
    }
    .dial {
      flex-basis: 9rem;
    }
    .text {
      padding: 0.2rem 0.8rem 0.5rem;
      font: 0.7rem/1.4 var(--mono);
      overflow-wrap: anywhere;
    }
    .text b {
      color: var(--lit-lit);
    }
    .status {
      padding: 0 0.8rem;
      min-height: 1.5rem;
      color: var(--soft);
      font-size: 0.65rem;
    }
    .model {
      padding: 0.5rem 0.8rem;
      border-top: 1px solid var(--line);
    }
    .model .title {
      display: flex;
      flex-wrap: wrap;
      justify-content: space-between;
      gap: 0 1rem;
    }
    .answers {
      display: grid;
      grid-template-columns: repeat(${DATA.n_values}, minmax(0, 1fr));
      gap: 3px;
      margin: 0.3rem 0;
    }
    .answers li {
      display: grid;
      justify-items: center;
      padding: 0.15rem 0;
      font: 0.62rem/1.2 var(--mono);
      border: 1px solid var(--edge);
      border-radius: 3px;
      background: linear-gradient(
        0deg,
        color-mix(in srgb, var(--accent) 35%, var(--bg)) var(--high),
        transparent 0
      );
    }
    .answers .right {
      outline: 2px solid var(--lit-lit);
      outline-offset: -1px;
    }
    svg {
      display: block;
      width: 100%;
      overflow: visible;
    }
    .strip {
      height: 2.4rem;
      margin-top: 0.6rem;
      border-bottom: 1px solid var(--edge);
    }
    .strip path {
      fill: var(--of);
    }
    .strip .ground {
      opacity: 0.18;
    }
    .own {
      --of: var(--lit-shape);
    }
    .mem {
      --of: var(--accent);
    }
    .c_mem {
      --of: var(--lit-accent2);
    }
    .strip line {
      stroke: var(--lit-lit);
      stroke-width: 2;
      vector-effect: non-scaling-stroke;
    }
    .where {
      min-height: 2.2rem;
      line-height: 1.1rem;
      padding-top: 0.2rem;
    }
    .axis {
      display: flex;
      justify-content: space-between;
      font-size: 0.58rem;
      line-height: 0.9rem;
      color: var(--soft);
    }
    .legend {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 1.2rem;
      padding: 0.3rem 0.8rem;
      font-size: 0.62rem;
      color: var(--soft);
      border-top: 1px solid var(--line);
    }
    .legend i {
      display: inline-block;
      width: 0.7rem;
      height: 0.7rem;
      margin-right: 0.35rem;
      vertical-align: -0.08rem;
      border-radius: 3px;
      background: var(--of);
    }
    .legend .fact i {
      width: 2px;
      border-radius: 0;
      background: var(--lit-lit);
    }
    .measured {
      padding: 0.3rem 0.8rem 0.5rem;
    }
    @container (max-width: 32rem) {
      .answers li {
        font-size: 0.55rem;
      }
      .where {
        min-height: 3.3rem;
      }
      .status {
        min-height: 2.6rem;
      }
      .text {
        min-height: 3rem;
      }
    }
  `;

  start() {
    const { key, value, distance } = DATA.recorded,
      { distances } = DATA;
    Object.assign(this, { asked: { key, value, distance }, readers: null, turn: 0 });
    const set = (name) => (given) => {
      this.asked[name] = given;
      this.ask();
    };
    const options = (count, letter_) =>
      Array.from({ length: count }, (_, n) => [n, `${letter_}${n + 1}`]);
    const choose = (word, count, letter_, name) => {
      const group = this.choice(this.text(word), options(count, letter_), set(name));
      group.querySelectorAll("input")[this.asked[name]].checked = true;
      return group;
    };
    const wait = this.slider(
      this.say("wait"),
      [distances[0], distances.at(-1), distance],
      set("distance"),
    );
    wait.querySelector("input").setAttribute("step", distances[1] - distances[0]);
    wait.querySelector("input").value = distance;
    this.text_ = make("p", { className: "text" });
    this.status = make(
      "p",
      { className: "status", role: "status" },
      this.say("recorded", {
        size: (DATA.models.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(2),
      }),
    );
    this.blocks = DATA.models.map((model) => {
      const block = {
        answers: make("ol", { className: "answers", ariaLabel: this.text("answers") }),
        right: make("span", { className: "num" }),
        strip: this.drawing("strip", WIDE),
        where: make("p", { className: "where" }),
      };
      block.box = make(
        "div",
        { className: "model" },
        make("p", { className: "title" }, make("span", {}, model.name), block.right),
        block.answers,
        block.strip,
        make(
          "p",
          { className: "axis", ariaHidden: "true" },
          make("span", {}, this.say("back", { n: WIDE })),
          make("span", {}, this.say("asks")),
        ),
        block.where,
      );
      return block;
    });
    const legend = ["c_mem", "mem", "own", "fact"].map((name) =>
      make("span", { className: name }, make("i"), this.say(`key_${name}`)),
    );
    this.numbers = make("p", { className: "measured" });
    const dials = make(
      "div",
      { className: "dials" },
      choose("tell_key", DATA.keys, "k", "key"),
      choose("tell_value", DATA.n_values, "v", "value"),
      wait,
    );
    const after = (tokens) => () => wait.put(tokens);
    const { layers, mem_len, c_mem_len } = DATA.models[0];
    this.stage.append(
      this.opening(
        dials,
        { case_mem: after(40), case_c_mem: after(128), case_lost: after(240) },
        { chance: percent(1 / DATA.n_values), layers, slots: mem_len + c_mem_len },
      ),
      this.text_,
      this.status,
      ...this.blocks.map(({ box }) => box),
      make("p", { className: "legend", ariaHidden: "true" }, ...legend),
      this.numbers,
    );
    this.show(DATA.models.map(({ recorded }) => recorded));
  }

  drawing(name, wide, high = 1) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({
      class: name,
      viewBox: `0 0 ${wide} ${high}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    }))
      svg.setAttribute(key, value);
    return svg;
  }

  /** Both models, loaded once. */
  load() {
    this.loading ??= Promise.all(
      DATA.models.map(async ({ weights }) => {
        const answer = await fetch(this.asset(weights));
        if (!answer.ok) throw new Error(answer.status);
        return read(await answer.arrayBuffer()).reader();
      }),
    );
    return this.loading;
  }

  /** Give both models the fact, let them read on, and ask for it. A newer question
      replaces this one. */
  async ask() {
    const turn = ++this.turn,
      stopped = () => turn !== this.turn,
      said = (word) => this.status.replaceChildren(word ? this.say(word) : "");
    said(this.readers ? "reads" : "loads");
    try {
      this.readers = await this.load();
    } catch {
      this.loading = null;
      said("unreachable");
      return;
    }
    // A reader can read only one text at a time, so wait for the previous question.
    await this.last;
    if (stopped()) return;
    this.last = this.answer(stopped).then((found) => {
      if (found && !stopped()) {
        this.show(found);
        said("");
      }
    });
  }

  async answer(stopped) {
    const tokens = told(DATA, this.asked),
      found = [];
    for (const reader of this.readers) {
      if (!(await follow(reader, tokens, slices(stopped)))) return null;
      const { key } = place(reader.lengths, tokens.length - 1, DATA.told);
      found.push({ answers: answers(DATA, reader.logits), ...looks(reader, key) });
    }
    return found;
  }

  show(found) {
    const { key, value, distance } = this.asked,
      { distances, models } = DATA,
      at = DATA.told + distance - 1;
    const bold = (words) => make("b", {}, words);
    this.text_.replaceChildren(
      "… ",
      bold(`k${key + 1}=v${value + 1}`),
      " ",
      this.say("follow", { n: distance - 2 }),
      " ",
      bold(`?k${key + 1}`),
      " → ?",
    );
    for (const [n, { answers: shares, layer, head, weights }] of found.entries()) {
      const model = models[n],
        lengths = lengthsOf(model),
        { right, answers: list, strip, where } = this.blocks[n];
      right.replaceChildren(
        this.say("says", {
          value: bold(`v${shares.indexOf(Math.max(...shares)) + 1}`),
          share: percent(Math.max(...shares)),
        }),
      );
      list.replaceChildren(
        ...shares.map((share, v) => {
          const one = make(
            "li",
            { className: v === value ? "right" : "" },
            bold(`v${v + 1}`),
            " ",
            make("span", {}, percent(share)),
          );
          one.style.setProperty("--high", `${100 * share}%`);
          return one;
        }),
      );
      const x = (token) => WIDE - 1 - at + token,
        grounds = {},
        bars = {};
      for (const [key_, { first, length, region }] of spans(lengths, at).entries()) {
        grounds[region] =
          `${grounds[region] ?? ""}M${x(first)} 0h${length}v1h${-length}z`;
        bars[region] =
          `${bars[region] ?? ""}M${x(first)} 1h${length}v${-weights[key_].toFixed(4)}h${-length}z`;
      }
      const paths = Object.entries(grounds).map(
        ([region, d]) =>
          `<g class="${region}"><path class="ground" d="${d}"/><path d="${bars[region]}"/></g>`,
      );
      strip.innerHTML = `${paths.join("")}<line x1="${x(DATA.told) + 0.5}" x2="${x(DATA.told) + 0.5}" y1="-.16" y2="-.02"/>`;
      const seen = place(lengths, at, DATA.told),
        named = {
          layer: layer + 1,
          head: head + 1,
          weight: bold(percent(weights[seen.key] ?? 0)),
        };
      where.replaceChildren(
        this.say(`in_${seen.region}`, { rate: model.rate }),
        " ",
        seen.key < 0 ? "" : this.say("looked", named),
      );
    }
    const column = distances.indexOf(distance);
    this.numbers.replaceChildren(
      this.say("at", { n: distance }),
      " ",
      ...models.flatMap(({ name, accuracy }, n) => [
        n ? ", " : "",
        `${name} `,
        make("b", { className: "value" }, percent(accuracy[column])),
      ]),
    );
  }
});
