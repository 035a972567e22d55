// Attention reconstruction: what a head reads from the old states, what it reads from
// the slots that are left of them, and how far both are apart.

const SIGNS = { "\n": "↵", " ": "␣" };
const sign = (letter) => SIGNS[letter] ?? letter;

define(class extends Figure {
  static style = css`
    .choice {
      flex: 0 1 auto;
    }
    .dial {
      flex-basis: 9rem;
      max-width: 20rem;
    }
    .part {
      display: grid;
      grid-template-columns: 9rem minmax(0, 1fr);
      gap: 0.2rem 0.8rem;
      align-items: center;
      padding: 0.25rem 0.8rem;
      font-size: 0.65rem;
      line-height: 1rem;
    }
    .part > :first-child {
      color: var(--soft);
    }
    .keys {
      display: flex;
      gap: 2px;
    }
    .queries .cell,
    .keys span {
      position: relative;
      flex: var(--n, 1) 1 0;
      min-width: 0;
      height: 1.9rem;
      overflow: clip;
      border: 1px solid var(--edge);
      border-radius: 3px;
      background: linear-gradient(
        0deg,
        color-mix(in srgb, var(--of) 40%, var(--bg)) var(--high),
        transparent 0
      );
    }
    .keys span {
      display: grid;
      place-content: center;
      justify-items: center;
      font: 0.6rem/1.1 var(--mono);
    }
    .keys small {
      font-size: 0.55rem;
      color: var(--soft);
    }
    .queries {
      --of: var(--lit-lit);
      display: flex;
      gap: 2px;
      padding: 4px;
      margin: -4px;
    }
    .queries .cell {
      cursor: pointer;
      font-size: 0.6rem;
    }
    .old {
      --of: var(--accent);
    }
    .slot {
      --of: var(--lit-accent2);
    }
    .keys .best {
      border: 2px solid var(--lit-lit);
    }
    svg {
      display: block;
      width: 100%;
      height: 2.4rem;
      overflow: visible;
    }
    path {
      fill: var(--of);
    }
    line {
      stroke: var(--edge);
      vector-effect: non-scaling-stroke;
    }
    .apart {
      --of: var(--lit-lit);
    }
    .why {
      padding: 0.3rem 0.8rem 0.4rem;
      min-height: 3.3rem;
    }
    .says {
      min-height: 2.6rem;
    }
    table {
      width: calc(100% - 1.6rem);
      margin: 0.3rem 0.8rem 0.6rem;
      border-collapse: collapse;
      font-size: 0.65rem;
      line-height: 1.3rem;
    }
    :is(th, td) {
      padding: 0 0.4rem;
      font-weight: 400;
      text-align: right;
      border-top: 1px solid var(--line);
    }
    :is(th, td):first-child {
      text-align: left;
    }
    thead th {
      color: var(--soft);
      border: 0;
    }
    td {
      font-family: var(--mono);
    }
    .on {
      background: var(--lit-lit-bg);
    }
    .on th {
      font-weight: 650;
    }
    @container (max-width: 32rem) {
      .part {
        grid-template-columns: minmax(0, 1fr);
      }
      .keys,
      .queries {
        gap: 1px;
      }
      .queries .cell,
      .keys span {
        font-size: 0.55rem;
        border-radius: 2px;
      }
      .slot small {
        letter-spacing: -0.05em;
      }
      .old small {
        display: none;
      }
      .why {
        min-height: 5.5rem;
      }
      .says {
        min-height: 4.2rem;
      }
      table {
        width: calc(100% - 1.2rem);
        margin-inline: 0.6rem;
      }
      :is(th, td) {
        padding: 0 0.2rem;
        line-height: 1.1rem;
      }
    }
  `;

  start() {
    const names = DATA.functions.map(({ name }) => name);
    this.head = 0;
    this.choice_ = names.indexOf("conv1d");
    const chosen = this.choice(
      this.text("function"),
      names.map((name, n) => [n, this.say(name)]),
      (n) => {
        this.choice_ = n;
        this.update();
      },
    );
    chosen.querySelectorAll("input")[this.choice_].checked = true;
    const dials = make(
      "div",
      { className: "dials sticks" },
      chosen,
      this.slider(this.say("head"), [1, DATA.heads.length, 1], (head) => {
        this.head = head - 1;
        this.update();
      }),
    );
    this.cells = DATA.queries.map((letter, column) => {
      const cell = make(
        "button",
        { type: "button", className: "cell", tabIndex: -1 },
        sign(letter),
      );
      Object.assign(cell.dataset, { row: 0, column });
      return cell;
    });
    const queries = make(
      "div",
      { className: "slots queries", role: "group", ariaLabel: this.text("queries") },
      ...this.cells,
    );
    this.walk(queries, {
      at: (row, column) => this.cells[column],
      choose: (cell) => this.choose(+cell.dataset.column),
    });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.why = make("p", { className: "why" });
    this.keys = {
      old: make("div", { className: "keys old" }),
      slot: make("div", { className: "keys slot" }),
    };
    this.bars = Object.fromEntries(
      ["old", "slot", "apart"].map((name) => [name, this.chart(name)]),
    );
    this.losses = make("tbody");
    const part = (word, shown) =>
      make(
        "div",
        { className: "part" },
        make("span", {}, this.say(word, { d: DATA.d_k })),
        shown,
      );
    const head = ["function", "loss_query", "loss_head", "loss_layer"].map((word) =>
      make("th", { scope: "col" }, this.say(word)),
    );
    const query = (of) => () => {
      const losses = this.all[this.choice_][this.head].map(({ loss }) => loss);
      this.choose(losses.indexOf(of(...losses)));
    };
    this.stage.append(
      this.opening(
        dials,
        { case_most: query(Math.max), case_least: query(Math.min) },
        { steps: DATA.dilated_steps },
      ),
      part("queries", queries),
      this.says,
      part("old", this.keys.old),
      part("slots", this.keys.slot),
      part("read_old", this.bars.old),
      part("read_slots", this.bars.slot),
      part("difference", this.bars.apart),
      this.why,
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), this.losses),
    );
    // The query at which the heads of the model's own convolution lose most.
    const all = DATA.heads.map((_, n) =>
      reconstruct(DATA, n, this.choice_).map(({ loss }) => loss),
    );
    this.query = all[0].indexOf(Math.max(...all[0]));
    this.update();
  }

  chart(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", name);
    svg.setAttribute("viewBox", `0 0 ${DATA.d_k} 2`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    svg.innerHTML = `<line x1="0" x2="${DATA.d_k}" y1="1" y2="1"/><path/>`;
    return svg;
  }

  /** Compute all losses again for the chosen head and function. */
  update() {
    this.all = DATA.functions.map((_, n) =>
      DATA.heads.map((_, head) => reconstruct(DATA, head, n)),
    );
    const mine = this.all[this.choice_][this.head],
      most = Math.max(...mine.map(({ loss }) => loss));
    for (const [n, { loss }] of mine.entries()) {
      this.cells[n].style.setProperty("--high", `${(100 * loss) / most}%`);
      this.cells[n].ariaLabel = this.text("query", {
        n: n + 1,
        letter: sign(DATA.queries[n]),
        loss: this.short(loss),
      });
    }
    this.choose(this.query);
  }

  short(number) {
    return number.toPrecision(2);
  }

  percent(share) {
    return `${Math.round(100 * share)} %`;
  }

  choose(query) {
    this.query = query;
    for (const [n, cell] of this.cells.entries()) {
      cell.classList.toggle("lit", n === query);
      cell.tabIndex = n === query ? 0 : -1;
    }
    const { functions, queries, old, d_k } = DATA,
      { of } = functions[this.choice_];
    const heads = this.all[this.choice_],
      { wanted, got, difference, loss } = heads[this.head][query];
    const best = wanted.weights.indexOf(Math.max(...wanted.weights));
    const tell = (letters, weight, wide) => {
      const key = make(
        "span",
        { className: letters.includes(best) ? "best" : "" },
        make("b", {}, letters.map((n) => sign(old[n])).join("")),
        " ",
        make("small", {}, `${Math.round(100 * weight)}`),
      );
      key.style.setProperty("--high", `${100 * weight}%`);
      key.style.setProperty("--n", wide);
      return key;
    };
    this.keys.old.replaceChildren(
      ...wanted.weights.map((weight, n) => tell([n], weight, 1)),
    );
    this.keys.slot.replaceChildren(
      ...got.weights.map((weight, n) => tell(of[n], weight, 1)),
    );
    const most = Math.max(...[wanted.output, got.output].flat().map(Math.abs));
    for (const [name, values] of [
      ["old", wanted.output],
      ["slot", got.output],
      ["apart", difference],
    ]) {
      this.bars[name]
        .querySelector("path")
        .setAttribute(
          "d",
          values
            .map((value, i) => `M${i + 0.1} 1v${(-value / most).toFixed(3)}h.8V1z`)
            .join(""),
        );
    }
    const value = (words) => make("b", { className: "value num" }, words),
      letter = make("code", {}, sign(queries[query]));
    this.says.replaceChildren(
      make("b", {}, this.say("asks", { letter, head: this.head + 1 })),
      " ",
      this.say("loss", {
        loss: value(this.short(loss)),
        n: queries.length,
        mean: value(this.short(mean(heads[this.head].map((one) => one.loss)))),
      }),
    );
    const held = of
      .map((letters, n) => (letters.includes(best) ? got.weights[n] : 0))
      .reduce((sum, one) => sum + one, 0);
    this.why.replaceChildren(
      this.say(of.some((letters) => letters.includes(best)) ? "from" : "from_dropped", {
        old: make("code", {}, sign(old[best])),
        weight: value(this.percent(wanted.weights[best])),
        held: value(this.percent(held)),
      }),
      " ",
      this.say("half", { n: half(difference), d: d_k }),
    );
    this.losses.replaceChildren(
      ...functions.map(({ name }, n) => {
        const numbers = [
          this.all[n][this.head][query].loss,
          mean(this.all[n][this.head].map((one) => one.loss)),
          mean(this.all[n].flat().map((one) => one.loss)),
        ];
        return make(
          "tr",
          { className: n === this.choice_ ? "on" : "" },
          make("th", { scope: "row" }, this.say(name)),
          ...numbers.map((number) => make("td", {}, this.short(number))),
        );
      }),
    );
  }
});
