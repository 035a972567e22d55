// The computation of one score with numbers that a reader can change.

const ROWS = [...TERMS, "sum", "score", "weight"];
const shown = (number) => {
  // Two decimals, and so zeros at the end, only for a rounded number.
  const tenths = Math.abs(number * 10),
    text =
      Math.abs(tenths - Math.round(tenths)) < 1e-9
        ? `${Math.round(tenths) / 10}`
        : Math.abs(number).toFixed(2);
  return `${number < 0 && +text ? "−" : ""}${text}`;
};
const vector = (values) => `(${values.map(shown).join(", ")})`;
const product = ([x, y]) =>
  `${shown(x[0])} · ${bracket(y[0])} + ${bracket(x[1])} · ${bracket(y[1])}`;
const bracket = (number) => (number < 0 ? `(${shown(number)})` : shown(number));

define(class extends Figure {
  static style = css`
    .inputs {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem 1rem;
      padding: 0.4rem 0.8rem;
      border-bottom: 1px solid var(--line);
    }
    .inputs fieldset {
      display: grid;
      gap: 2px;
      justify-items: center;
      padding: 0.2rem;
      border-radius: 4px;
    }
    .inputs legend {
      float: inline-start;
      padding: 0;
      margin: 0 auto;
      font-size: 0.62rem;
      text-align: center;
    }
    .inputs input {
      width: 3.1rem;
      padding: 0.15rem 0.1rem 0.15rem 0.3rem;
      font: 0.65rem/1.3 var(--mono);
      color: var(--ink);
      border: 1px solid var(--edge);
      border-radius: 3px;
      background: color-mix(in srgb, var(--of) 16%, var(--bg));
    }
    .memory {
      --of: var(--accent);
    }
    .segment {
      --of: var(--lit-shape);
    }
    .bias {
      --of: var(--soft);
    }
    .table {
      padding: 0.5rem 0.8rem;
      overflow-x: auto;
      scrollbar-width: thin;
    }
    .table > div {
      min-width: 20rem;
    }
    .table [role="row"] {
      display: grid;
      grid-template-columns: 5.2rem repeat(${TOKENS.length}, minmax(0, 1fr));
      align-items: center;
      gap: 3px;
      margin-top: 3px;
    }
    .table [role="rowheader"],
    .table [role="columnheader"] {
      font-size: 0.62rem;
      line-height: 1.2;
    }
    .table [role="columnheader"] {
      text-align: center;
    }
    .table .cell {
      height: 1.5rem;
      font-size: 0.62rem;
      color: var(--ink);
      cursor: pointer;
      border: 1px solid var(--edge);
      background: linear-gradient(
        to right,
        color-mix(in srgb, var(--accent) 26%, var(--bg)) var(--share, 0%),
        var(--bg) 0
      );
    }
    .table .cell.masked {
      color: var(--soft);
      border-style: dashed;
    }
    .says {
      min-height: 3.8rem;
    }
    .result {
      padding: 0.2rem 0.8rem 0.5rem;
      min-height: 1.8rem;
    }
    @container (max-width: 32rem) {
      .inputs {
        gap: 0.3rem;
      }
      .inputs input {
        width: 2.8rem;
      }
      .table [role="row"] {
        grid-template-columns: 3.4rem repeat(${TOKENS.length}, minmax(0, 1fr));
      }
      .table > div {
        min-width: 0;
      }
      .table .cell {
        font-size: 0.55rem;
      }
      .says {
        min-height: 6.8rem;
      }
      .result {
        min-height: 3.8rem;
      }
    }
  `;

  start() {
    this.i = 0;
    this.row = 0;
    this.j = 1;
    this.inputs = make("div", { className: "inputs" });
    const again = () => {
      this.fill();
      this.show();
    };
    const unbiased = () => {
      this.fill({ u: [0, 0], v: [0, 0] });
      this.show();
    };
    const names = TOKENS.slice(M).map((token, i) => [i, token]);
    const dials = make(
      "div",
      { className: "dials" },
      this.choice(this.text("query"), names, (i) => {
        this.i = i;
        this.show();
      }),
    );
    this.table = make("div", { role: "grid", ariaLabel: this.text("table") });
    const heads = TOKENS.map((token) => make("span", { role: "columnheader" }, token));
    this.table.append(
      make(
        "div",
        { role: "row" },
        make("span", { role: "columnheader" }, this.say("key")),
        ...heads,
      ),
    );
    this.cells = ROWS.map((name, row) => {
      const cells = TOKENS.map((_, column) => {
        const cell = make("button", {
          type: "button",
          className: "cell",
          role: "gridcell",
          tabIndex: -1,
        });
        Object.assign(cell.dataset, { row, column });
        return cell;
      });
      this.table.append(
        make(
          "div",
          { role: "row" },
          make("span", { role: "rowheader" }, this.say(`row_${name}`)),
          ...cells,
        ),
      );
      return cells;
    });
    this.walk(this.table, {
      at: (row, column) => this.cells[row]?.[column],
      choose: (cell) => {
        this.row = +cell.dataset.row;
        this.j = +cell.dataset.column;
        this.light();
      },
    });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.result = make("p", { className: "result" });
    this.stage.append(
      this.opening(this.inputs, { case_biases: unbiased, reset: again }),
      dials,
      make("div", { className: "table" }, this.table),
      this.says,
      this.result,
    );
    this.fill();
    this.show();
  }

  /** Fields to change the numbers of the page. */
  fill(biases) {
    this.given = {
      states: STATES.map((one) => [...one]),
      u: [...U],
      v: [...V],
      ...biases,
    };
    const fields = (name, values, kind) =>
      make(
        "fieldset",
        { className: kind },
        make("legend", {}, name),
        ...values.map((value, n) => {
          const input = make("input", {
            type: "number",
            step: "0.5",
            min: "-9",
            max: "9",
            value: `${value}`,
            ariaLabel: this.text("field", { name, n: n + 1 }),
          });
          input.addEventListener("input", () => {
            if (!input.checkValidity() && !Number.isFinite(input.valueAsNumber)) return;
            values[n] = Math.max(-9, Math.min(9, input.valueAsNumber || 0));
            this.show();
          });
          return input;
        }),
      );
    const { states, u, v } = this.given;
    const tokens = TOKENS.map((token, n) =>
      fields(token, states[n], n < M ? "memory" : "segment"),
    );
    this.fields = [...tokens, fields("u", u, "bias"), fields("v", v, "bias")];
    this.inputs.replaceChildren(...this.fields);
  }

  show() {
    const shares = weights(this.given, this.i);
    for (const [row, name] of ROWS.entries()) {
      for (const [j, cell] of this.cells[row].entries()) {
        const masked = j >= sees(this.i);
        cell.textContent = masked
          ? "–"
          : shown(name === "weight" ? shares[j] : score(this.given, this.i, j)[name]);
        cell.classList.toggle("masked", masked);
        cell.style.setProperty(
          "--share",
          name === "weight" && !masked ? `${100 * shares[j]}%` : "0%",
        );
        cell.setAttribute(
          "aria-label",
          `${cell.textContent}: ${this.text(`row_${name}`)}, ${TOKENS[j]}`,
        );
      }
    }
    const sum = shares
      .map((weight, j) => `${shown(weight)} · ${vector(this.given.states[j])}`)
      .join(" + ");
    this.result.replaceChildren(
      this.say("receives", {
        query: TOKENS[M + this.i],
        sum,
        vector: vector(receives(this.given, this.i)),
      }),
    );
    this.light();
  }

  /** Explain the chosen number, and highlight it and the states that it depends on. */
  light() {
    const { i, j, row, given } = this,
      name = ROWS[row],
      all = score(given, i, j),
      shares = weights(given, i);
    for (const [at, cells] of this.cells.entries()) {
      for (const [column, cell] of cells.entries()) {
        const chosen = at === row && column === j;
        cell.classList.toggle("lit", chosen);
        cell.tabIndex = chosen ? 0 : -1;
      }
    }
    for (const [n, field] of this.fields.entries())
      field.classList.toggle(
        "lit",
        n === j ||
          (n === M + i && "ab".includes(name)) ||
          (n === TOKENS.length && name === "c") ||
          (n > TOKENS.length && name === "d"),
      );
    const values = { query: TOKENS[M + i], key: TOKENS[j], distance: M + i - j };
    const masked = j >= sees(i);
    if (!masked && TERMS.includes(name)) {
      const [x, y] = factors(given, i, j, name);
      Object.assign(values, {
        x: vector(x),
        y: vector(y),
        product: product([x, y]),
        value: shown(all[name]),
      });
    } else if (!masked) {
      const terms = TERMS.map((term) => bracket(all[term])).join(" + ");
      Object.assign(values, {
        terms,
        sum: shown(all.sum),
        score: shown(all.score),
        weight: shown(shares[j]),
      });
    }
    const word = masked ? "masked" : `says_${name}`;
    this.says.replaceChildren(
      make("b", {}, this.say(`${word}_title`, values)),
      " ",
      this.say(word, values),
    );
  }
});
