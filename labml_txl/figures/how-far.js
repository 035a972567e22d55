// How far a model sees. Readers choose a state, and all states that can reach it are
// highlighted.

define(class extends Figure {
  static style = css`
    .net {
      display: grid;
      gap: 0.3rem;
      padding: 0.8rem 0.8rem 0.3rem;
    }
    .net [role="row"] {
      display: grid;
      grid-template-columns: 3.4rem repeat(${TOKENS}, minmax(0, 1fr));
      align-items: center;
    }
    .net [role="rowheader"] {
      font-size: 0.58rem;
      color: var(--soft);
      white-space: nowrap;
    }
    .net .cell {
      height: 1.15rem;
      margin: 0 1px;
      font-size: 0.55rem;
      letter-spacing: -0.03em;
      color: var(--soft);
      background: var(--bg);
      border: 1px solid var(--edge);
      cursor: pointer;
    }
    .net .starts {
      margin-left: 5px;
    }
    .net .cell.reached {
      color: var(--ink);
      border-color: var(--accent);
      background: color-mix(in srgb, var(--accent) 22%, var(--bg));
    }
    .net .cell.own {
      --of: var(--lit-shape);
    }
    .net .cell.memory {
      --of: var(--accent);
    }
    .net .cell.compressed {
      --of: var(--lit-accent2);
    }
    .net .cell:is(.own, .memory, .compressed) {
      color: var(--bg);
      background: var(--of);
      border-color: var(--of);
    }
    .net .cell.compressed {
      border-style: dashed;
      border-color: var(--bg);
    }
    .legend {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 1.2rem;
      padding: 0 0.8rem 0.4rem;
      font-size: 0.62rem;
      color: var(--soft);
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
    .legend .reached {
      background: color-mix(in srgb, var(--accent) 22%, var(--bg));
      border: 1px solid var(--accent);
    }
    .own {
      --of: var(--lit-shape);
    }
    .memory {
      --of: var(--accent);
    }
    .compressed {
      --of: var(--lit-accent2);
    }
    .says {
      min-height: 1.7rem;
    }
    dl {
      display: grid;
      grid-template-columns: max-content 1fr;
      gap: 0.1rem 1rem;
      padding: 0.5rem 0.8rem;
      border-top: 1px solid var(--line);
      line-height: 1.3rem;
    }
    dt {
      color: var(--soft);
    }
    dd {
      font-family: KaTeX_Main, "Times New Roman", serif;
      font-size: 0.8rem;
    }
    @container (max-width: 32rem) {
      .net [role="row"] {
        grid-template-columns: 2.6rem repeat(${TOKENS}, minmax(0, 1fr));
      }
      .net .cell {
        margin: 0 0.5px;
        font-size: 0;
        border-radius: 2px;
      }
      .net .starts {
        margin-left: 2.5px;
      }
      .says {
        min-height: 2.8rem;
      }
      dl {
        grid-template-columns: 1fr;
        gap: 0;
      }
    }
  `;

  start() {
    this.size = { mode: "recurrence", segment: 4, mem_len: 4, c_mem_len: 2, rate: 3 };
    this.layers = 3;
    this.chosen = [3, TOKENS - 1];
    const change = (name) => (value) => {
      this.size[name] = value;
      this.build();
    };
    const layers = (value) => {
      this.layers = value;
      this.chosen[0] = value;
      this.build();
    };
    this.named = {
      layers: this.slider(this.say("layers", { l: letter("N") }), [1, 4, 3], layers),
      segment: this.slider(
        this.say("segment", { n: letter("L") }),
        [2, 6, 4],
        change("segment"),
      ),
      memory: this.slider(
        this.say("memory", { n: letter("M") }),
        [0, 8, 4],
        change("mem_len"),
      ),
    };
    this.dials = {
      memory: this.named.memory,
      rate: this.slider(
        this.say("rate", { c: letter("c") }),
        [2, 4, 3],
        change("rate"),
      ),
      compressed: this.slider(
        this.say("compressed", { n: letter("n", "cm") }),
        [0, 4, 2],
        change("c_mem_len"),
      ),
    };
    const modes = this.choice(
      this.text("mode"),
      ["none", "recurrence", "compressed"].map((name) => [
        name,
        this.say(`mode_${name}`),
      ]),
      change("mode"),
    );
    const dials = make(
      "div",
      { className: "dials" },
      modes,
      this.named.layers,
      this.named.segment,
      ...Object.values(this.dials),
    );
    const cases = {
      case_deep: () => this.named.layers.put(4),
      case_short: () => {
        modes.put("recurrence");
        this.named.segment.put(2);
        this.named.memory.put(6);
      },
      case_compressed: () => modes.put("compressed"),
    };
    this.net = make("div", {
      className: "net",
      role: "grid",
      ariaLabel: this.text("net"),
    });
    this.walk(this.net, {
      narrow: true,
      at: (row, column) => this.cells.get(`${row} ${column}`),
      choose: (cell) => {
        this.chosen = [this.layers - cell.dataset.row, +cell.dataset.column];
        this.light();
      },
    });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.sums = make("dl");
    const key = (kind) =>
      make("span", {}, make("i", { className: kind }), this.say(`key_${kind}`));
    this.stage.append(
      this.opening(dials, cases),
      this.says,
      this.net,
      make(
        "p",
        { className: "legend", ariaHidden: "true" },
        ...["own", "memory", "compressed", "reached"].map(key),
      ),
      this.sums,
    );
    modes.put(this.dataset.start || "recurrence");
  }

  /** The letters of the paper that describes the chosen memory. */
  letters() {
    const own = this.size.mode === "compressed";
    return own
      ? { layers: letter("l"), segment: letter("n", "s"), memory: letter("n", "m") }
      : { layers: letter("N"), segment: letter("L"), memory: letter("M") };
  }

  build() {
    const { mode, segment } = this.size;
    for (const [name, one] of Object.entries(this.letters())) {
      const words = this.say(name, { l: one, n: one }),
        dial = this.named[name];
      dial.querySelector("input").ariaLabel = words.textContent;
      dial.querySelector("span").replaceChildren(words);
    }
    for (const [name, dial] of Object.entries(this.dials)) {
      dial.hidden = mode === "none" || (mode === "recurrence" && name !== "memory");
    }
    this.cells = new Map();
    this.net.replaceChildren(
      ...Array.from({ length: this.layers + 1 }, (_, row) => {
        const layer = this.layers - row,
          name = layer ? this.text("layer", { layer }) : this.words.input;
        return make(
          "div",
          { role: "row" },
          make("span", { role: "rowheader" }, name),
          ...Array.from({ length: TOKENS }, (_, token) => {
            const cell = make(
              "button",
              { type: "button", className: "cell", role: "gridcell", tabIndex: -1 },
              `${token}`,
            );
            cell.classList.toggle("starts", token % segment === 0 && token > 0);
            Object.assign(cell.dataset, { row, column: token });
            this.cells.set(`${row} ${token}`, cell);
            return cell;
          }),
        );
      }),
    );
    this.light();
  }

  light() {
    const { size, layers } = this,
      [layer, token] = this.chosen;
    const firsts = reached(size, layer, token),
      direct = reads(size, token);
    for (const [place, cell] of this.cells) {
      const [row, at] = place.split(" ").map(Number),
        below = layer - (layers - row);
      const within = below > 0 && at <= token && at >= firsts[below];
      const part =
        below === 1 &&
        Object.keys(direct).find(
          (name) => direct[name] && at >= direct[name][0] && at <= direct[name][1],
        );
      for (const name of ["own", "memory", "compressed"])
        cell.classList.toggle(name, part === name);
      cell.classList.toggle("reached", within && !part);
      cell.classList.toggle("lit", below === 0 && at === token);
      cell.tabIndex = below === 0 && at === token ? 0 : -1;
      const told = this.text("cell", { token: at, layer: layers - row });
      cell.setAttribute(
        "aria-label",
        within ? `${told}, ${this.words[`key_${part || "reached"}`]}` : told,
      );
    }
    const from = firsts.at(-1),
      seen = token + 1 - from,
      values = { layer, token, seen, from };
    const said = [this.say(from === 0 && layer ? "all" : "some", values)];
    this.says.replaceChildren(make("b", {}, this.say("title", values)), " ", ...said);
    const value = (number) => make("b", { className: "value" }, `${number}`);
    const { mode, mem_len, c_mem_len, rate } = size,
      { layers: l, memory } = this.letters(),
      rows = [];
    const sum = (name, ...parts) =>
      rows.push(make("dt", {}, this.say(name)), make("dd", {}, ...parts));
    const far = theory(size, layer),
      exact = exactly(size, layer, token);
    if (mode === "none") sum("theory", "0");
    else if (mode === "recurrence")
      sum(
        "theory",
        l,
        " × ",
        memory,
        " = ",
        value(layer),
        " × ",
        value(mem_len),
        ` = ${far}`,
      );
    else
      sum(
        "theory",
        l,
        " × (",
        memory,
        " + ",
        letter("c"),
        " · ",
        letter("n", "cm"),
        ") = ",
        value(layer),
        " × (",
        value(mem_len),
        " + ",
        value(rate),
        " · ",
        value(c_mem_len),
        `) = ${far}`,
      );
    sum("adds", `${exact - far}`);
    sum("exact", `${far} + ${exact - far} = ${exact}`);
    this.sums.replaceChildren(...rows);
  }
});
