// The relative shift: a table, its numbers as they are stored in memory, and the code
// that reads them with another row length.

const NAMES = "abcd";

define(class extends Figure {
  static style = css`
    .table {
      min-width: 0;
      padding: 0.4rem 0.8rem 0.1rem;
      overflow: auto hidden;
      scrollbar-width: thin;
    }
    .grid {
      position: relative;
      margin-top: 0.3rem;
    }
    .grid .cell {
      position: absolute;
      left: 0;
      top: 0;
      width: var(--cell);
      height: var(--cell);
      font-size: var(--size);
      color: var(--ink);
      background: color-mix(in srgb, var(--accent) var(--share), var(--bg));
      cursor: pointer;
      box-shadow: inset 0 0 0 0.5px color-mix(in srgb, var(--accent) 35%, var(--bg));
    }
    .moving .cell {
      transition: transform 0.62s cubic-bezier(0.3, 0.7, 0.2, 1);
      transition-delay: calc(var(--i) * 55ms);
    }
    .grid .cell.away {
      visibility: hidden;
    }
    .none {
      color: var(--soft) !important;
      background: var(--bg) !important;
      box-shadow: inset 0 0 0 1px var(--line) !important;
    }
    .zero {
      color: var(--bg) !important;
      background: var(--accent) !important;
      font-weight: 650;
    }
    .out {
      color: var(--soft) !important;
      background: var(--bg) !important;
      box-shadow: none !important;
      font-weight: 400;
      text-decoration: line-through;
    }
    .cell.out {
      border: 1px dashed var(--edge);
    }
    .cell.hidden {
      color: var(--soft) !important;
      font-weight: 400;
      background: repeating-linear-gradient(
        -45deg,
        color-mix(in srgb, var(--soft) 34%, var(--bg)) 0 1px,
        var(--bg) 1px 6px
      ) !important;
      box-shadow: inset 0 0 0 1px var(--line);
    }
    .cell.hidden span {
      padding: 0.1em 0.2em;
      background: var(--bg);
      border-radius: 3px;
    }
    .column,
    .side {
      position: absolute;
      font: 0.58rem/1 var(--mono);
      color: var(--soft);
      text-align: center;
      white-space: nowrap;
    }
    .side b {
      color: var(--ink);
    }
    .column.memory {
      color: var(--accent);
    }
    .column.segment {
      color: var(--lit-shape);
    }
    .frame {
      position: absolute;
      border: 1.5px solid var(--ink);
      border-radius: 5px;
      pointer-events: none;
    }
    .line {
      padding: 0.3rem 0.8rem;
    }
    .row i.lit {
      box-shadow: none !important;
      outline: 2px solid var(--lit-lit);
      outline-offset: -2px;
    }
    .row {
      position: relative;
      height: 3rem;
      margin-top: 0.2rem;
    }
    .row i {
      position: absolute;
      top: 0.6rem;
      height: 1.2rem;
      display: grid;
      place-items: center;
      font: 500 0.55rem/1 var(--mono);
      overflow: hidden;
      background: color-mix(in srgb, var(--accent) var(--share), var(--bg));
      border-right: 1px solid var(--bg);
    }
    .bracket {
      position: absolute;
      height: 0.3rem;
      border: 1px solid var(--edge);
    }
    .up {
      top: 0.2rem;
      border-bottom: 0;
    }
    .down {
      top: 1.9rem;
      border-top: 0;
      border-color: var(--accent);
    }
    .down.skip {
      border-style: dashed;
      border-color: var(--soft);
    }
    .bracket span {
      position: absolute;
      left: 0;
      top: 0.4rem;
      font-size: 0.56rem;
      line-height: 1;
      white-space: nowrap;
      color: var(--accent);
    }
    .skip span {
      color: var(--soft);
    }
    .foot {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
      border-top: 1px solid var(--line);
    }
    .numbers,
    .code {
      padding: 0.6rem 0.8rem;
      min-width: 0;
    }
    .code {
      background: var(--panel);
    }
    dl {
      display: grid;
      line-height: 1.2rem;
    }
    dt {
      color: var(--soft);
    }
    dd {
      font-family: KaTeX_Main, "Times New Roman", serif;
      font-size: 0.8rem;
      white-space: nowrap;
      margin-bottom: 0.2rem;
    }
    .code li {
      padding: 0.1rem 0.3rem;
      margin: 0.1rem -0.3rem 0;
      font: 0.6rem/1.5 var(--mono);
      color: var(--soft);
      border-radius: 3px;
    }
    .code code {
      display: block;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
    .code [aria-current] {
      color: var(--lit-lit);
      background: var(--lit-lit-bg);
      font-weight: 650;
    }
    .says {
      min-height: 3.4rem;
    }
    @container (max-width: 32rem) {
      .foot {
        grid-template-columns: minmax(0, 1fr);
      }
      .says {
        min-height: 8.2rem;
      }
    }
  `;

  start() {
    this.order = "falls";
    this.L = 3;
    this.M = 2;
    this.step = 0;
    this.chosen = [1, 3];
    const change = (name) => (value) => {
      this[name] = value;
      this.build();
    };
    const queries = this.slider(
      this.say("queries", { L: letter("L") }),
      [2, 4, 3],
      change("L"),
    );
    const memory = this.slider(
      this.say("memory", { M: letter("M") }),
      [0, 4, 2],
      change("M"),
    );
    const order = this.choice(
      this.text("order"),
      [
        ["falls", this.say("falls")],
        ["rises", this.say("rises")],
      ],
      change("order"),
    );
    const dials = make("div", { className: "dials" }, queries, memory, order);
    const size = (L, M) => () => {
      queries.put(L);
      memory.put(M);
    };
    const cases = {
      case_none: size(3, 0),
      case_many: size(2, 4),
      case_rises: () => order.put("rises"),
    };
    const titles = [1, 2, 3, 4, 5].map((n) => `${n} ${this.words[`step${n}`]}`);
    this.player_ = this.player(titles, (step) => {
      this.step = step;
      this.show();
    });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.name = make("span");
    this.size = make("small");
    this.cells = new Map();
    this.grid = make("div", { className: "grid moving", role: "grid" });
    this.walk(this.grid, {
      at: (row, column) =>
        [...this.cells.values()].find(
          (cell) =>
            +cell.dataset.row === row &&
            +cell.dataset.column === column &&
            !cell.classList.contains("away"),
        ),
      choose: (cell) => this.choose(+cell.dataset.i, +cell.dataset.c),
    });
    this.line = make("div", { className: "row", ariaHidden: "true" });
    this.lineSays = make("small");
    this.pair = make("p", { className: "title" });
    this.sums = make("dl");
    this.code = make("ol");
    this.stage.append(
      this.opening(dials, cases),
      this.player_.bar,
      this.says,
      make(
        "div",
        { className: "table" },
        make("p", { className: "title" }, this.name, " ", this.size),
        this.grid,
      ),
      make(
        "div",
        { className: "line" },
        make("p", { className: "title" }, this.say("in_memory"), " ", this.lineSays),
        this.line,
      ),
      make(
        "div",
        { className: "foot" },
        make(
          "div",
          { className: "code" },
          make("p", { className: "title" }, this.say("code")),
          this.code,
        ),
        make("div", { className: "numbers", ariaLive: "polite" }, this.pair, this.sums),
      ),
    );
    let width = 0;
    new ResizeObserver(([entry]) => {
      const found = Math.round(entry.contentRect.width);
      if (found && found !== width) {
        width = found;
        this.build();
      }
    }).observe(this.stage);
    this.build();
  }

  /** The name of a number: the letter of its query, and its distance. */
  named(i, c) {
    const far = distance(this.layout, c);
    return far === null ? "0" : NAMES[i] + signed(far);
  }

  build() {
    const { L, columns, zero } = (this.layout = layout(this.order, this.L, this.M));
    const room = Math.floor((this.stage.clientWidth - 34) / (columns + 1));
    this.cell = Math.max(22, Math.min(44, room));
    // Leave space for the letters of the rows, and for a zero in the first column.
    this.left = this.cell * (zero ? 1 : 2);
    this.grid.style.cssText = `--cell: ${this.cell - 3}px; --size: ${this.cell < 36 ? 11 : 12.5}px; height: ${24 + L * this.cell}px; width: ${this.left + (columns - (zero ? 0 : 1)) * this.cell}px`;
    this.cells.clear();
    const rows = Array.from({ length: L }, (_, i) =>
      make(
        "div",
        { role: "row" },
        ...Array.from({ length: columns }, (_, c) => {
          const cell = make(
            "button",
            { type: "button", className: "cell", role: "gridcell", tabIndex: -1 },
            make("span", {}, this.named(i, c)),
          );
          cell.dataset.i = i;
          cell.dataset.c = c;
          this.paint(cell, i, c);
          this.cells.set(`${i} ${c}`, cell);
          return cell;
        }),
      ),
    );
    const sides = rows.map((_, i) =>
      make(
        "span",
        {
          className: "side",
          style: `left: 0; top: ${22 + i * this.cell + this.cell / 2 - 9}px`,
          ariaHidden: "true",
        },
        make("b", {}, NAMES[i]),
      ),
    );
    this.heads = make("div", { ariaHidden: "true" });
    this.frame = make("div", { className: "frame", ariaHidden: "true" });
    this.grid.replaceChildren(...sides, ...rows, this.heads, this.frame);
    this.drawLine();
    this.grid.classList.remove("moving");
    this.player_.go(this.step);
    // Numbers of a new table appear in place; later changes are animated.
    this.grid.getBoundingClientRect();
    this.grid.classList.add("moving");
  }

  paint(cell, i, c) {
    const far = distance(this.layout, c);
    cell.classList.toggle("zero", far === 0);
    cell.classList.toggle("none", far === null || far < 0);
    cell.style.setProperty(
      "--share",
      `${far > 0 ? Math.round(46 - (36 * (far - 1)) / Math.max(1, this.layout.K - 1)) : 0}%`,
    );
    cell.style.setProperty("--i", i);
  }

  /** Draw the numbers in the order in which they are stored. */
  drawLine() {
    const { L, columns } = this.layout,
      count = L * columns;
    this.wide = (this.stage.clientWidth - 26) / count;
    this.numbers = Array.from({ length: count }, (_, at) => {
      const [i, c] = [Math.floor(at / columns), at % columns];
      const number = make(
        "i",
        { style: `width: ${this.wide}px` },
        this.wide > 18 ? this.named(i, c) : "",
      );
      this.paint(number, i, c);
      return number;
    });
    this.brackets = make("div");
    this.line.replaceChildren(...this.numbers, this.brackets);
  }

  /** Show the stored numbers without and with the zeros, and how they are divided into
      rows. */
  showLine() {
    const { L, K, columns, zero, start, cut } = this.layout,
      { step, wide } = this,
      padded = step > 0;
    const width = columns - (padded ? 0 : 1),
      brackets = [];
    for (const [at, number] of this.numbers.entries()) {
      const [i, c] = [Math.floor(at / columns), at % columns];
      number.style.left = `${wide * (padded ? at : i * width + unpadded(this.layout, c))}px`;
      number.style.visibility = padded || c !== zero ? "visible" : "hidden";
      number.classList.toggle("out", step > 1 && isDropped(this.layout, i, c));
    }
    const bracket = (from, length, kind, words = "") => {
      if (length < 1) return;
      const place = `left: ${from * wide + 1}px; width: ${length * wide - 3}px`;
      brackets.push(
        make(
          "div",
          { className: `bracket ${kind}`, style: place },
          words && length * wide > 46 ? make("span", {}, words) : "",
        ),
      );
    };
    for (let i = 0; i < L; i++) {
      bracket(i * width, width, "up");
      if (step < 3) continue;
      bracket(
        start + i * (columns - 1) + cut,
        K,
        "down",
        this.text("line_keys", { name: NAMES[i], keys: K }),
      );
      bracket(start + i * (columns - 1), cut, "down skip", this.text("cut"));
    }
    if (step > 1)
      bracket(start ? 0 : L * (columns - 1), L, "down skip", this.text("dropped"));
    this.brackets.replaceChildren(...brackets);
  }

  show() {
    const { L, M, K, columns, zero, start, cut } = this.layout,
      { step, order } = this,
      keys = step > 2;
    const wide = columns - 1;
    for (const cell of this.cells.values()) {
      const i = +cell.dataset.i,
        c = +cell.dataset.c,
        dropped = isDropped(this.layout, i, c);
      const [row, column] = place(this.layout, i, c, step),
        key = keys && column >= 0 && column < K;
      const hidden = step === 4 && key && isFuture(this.layout, row, column);
      cell.style.transform = `translate(${this.left + (column + (keys ? cut : 0)) * this.cell}px, ${20 + row * this.cell}px)`;
      cell.classList.toggle("away", (!step && c === zero) || (keys && dropped));
      cell.classList.toggle("out", (step === 2 && dropped) || (keys && !key));
      cell.classList.toggle("hidden", hidden);
      cell.dataset.row = row;
      cell.dataset.column = column;
      const far = distance(this.layout, c);
      const told = [
        far === null
          ? this.text("cell_zero")
          : this.text("cell", { name: NAMES[i], distance: signed(far) }),
      ];
      if (key)
        told.push(this.text(hidden ? "cell_hidden" : "cell_key", { key: column }));
      // The accessible name begins with the visible text of the cell.
      cell.setAttribute("aria-label", `${cell.textContent}: ${told.join(", ")}`);
    }
    this.name.replaceChildren(this.say(keys ? "by_key" : "by_distance"));
    this.grid.setAttribute("aria-label", this.name.textContent);
    this.size.replaceChildren(
      this.say(keys ? "size_key" : "size_distance", {
        rows: L,
        columns: keys ? K : columns - (step ? 0 : 1),
      }),
    );
    const heads = keys
      ? Array.from({ length: K }, (_, n) => [
          cut + n,
          `${n}`,
          n < M ? " memory" : " segment",
        ])
      : Array.from({ length: columns }, (_, c) => c)
          .filter((c) => c !== zero)
          .map((c) => [
            unpadded(this.layout, c),
            signed(distance(this.layout, c) * (order === "falls" ? 1 : -1)),
            "",
          ]);
    this.heads.replaceChildren(
      ...heads.map(([at, words, kind]) =>
        make(
          "span",
          {
            className: `column${kind}`,
            style: `left: ${this.left + at * this.cell}px; width: ${this.cell - 3}px; top: 4px`,
          },
          words,
        ),
      ),
    );
    this.frame.style.cssText = `left: ${this.left + cut * this.cell - 3.5}px; top: 16.5px; width: ${K * this.cell + 4}px; height: ${L * this.cell + 4}px; visibility: ${keys ? "visible" : "hidden"}`;
    const moves = Array.from({ length: L }, (_, i) =>
      Math.abs(move(this.layout, i)),
    ).join(", ");
    const dropped = [...this.cells.values()]
      .filter(({ dataset }) => isDropped(this.layout, +dataset.i, +dataset.c))
      .map((cell) => cell.textContent)
      .join(" ");
    const values = {
      i: letter("i"),
      j: letter("j"),
      L,
      M,
      K,
      moves,
      columns,
      wide,
      dropped,
      cut,
      last: L - 1,
    };
    const told = `${order}${step + 1}`;
    this.says.replaceChildren(
      make("b", {}, this.say(`${told}_title`, values)),
      " ",
      this.say(told, values),
    );
    this.lineSays.replaceChildren(
      this.say("line", {
        count: L * (columns - (step ? 0 : 1)),
        rows: L,
        columns: columns - (step ? 0 : 1),
      }),
    );
    this.code.replaceChildren(
      ...code(this.layout).map(([words, shape], n) => {
        const line = make(
          "li",
          {},
          make("code", {}, `${words}  # [${shape.join(", ")}]`),
        );
        if (n === step) line.setAttribute("aria-current", "step");
        return line;
      }),
    );
    this.showLine();
    const [i, c] = this.chosen,
      cell = this.cells.get(`${i} ${c}`);
    if (cell && !cell.classList.contains("away")) this.choose(i, c);
    else this.choose(1, columnOf(this.layout, 1, M));
  }

  /** Highlight a number both in the table and in the line. */
  choose(i, c) {
    this.chosen = [i, c];
    const table = this.layout,
      { L, M, columns, zero, start, cut } = table,
      lit = this.cells.get(`${i} ${c}`);
    for (const old of this.stage.querySelectorAll(".lit")) old.classList.remove("lit");
    for (const cell of this.cells.values()) cell.tabIndex = cell === lit ? 0 : -1;
    lit.classList.add("lit");
    this.numbers[address(table, i, c)].classList.add("lit");
    const at = read(table, i, c),
      far = distance(table, c),
      hidden = at && isFuture(table, ...at);
    const value = (n) => make("b", { className: "value" }, signed(n));
    const [I, J] = [letter("i"), letter("j")],
      rows = [];
    const sum = (name, ...parts) =>
      rows.push(make("dt", {}, this.say(name)), make("dd", {}, ...parts));
    if (at && !hidden) {
      const [q, k] = at,
        one = zero ? "" : " − 1";
      sum(
        "distance",
        I.cloneNode(true),
        " + ",
        letter("M"),
        " − ",
        J.cloneNode(true),
        " = ",
        value(q),
        ` + ${M} − `,
        value(k),
        ` = ${signed(far)}`,
      );
      sum(
        "column",
        J.cloneNode(true),
        " + ",
        letter("L"),
        one,
        " − ",
        I.cloneNode(true),
        " = ",
        value(k),
        ` + ${L}${one} − `,
        value(q),
        ` = ${unpadded(table, c)}`,
      );
    } else {
      sum("distance", far === null ? this.words.none : signed(far));
      sum("column", far === null ? this.words.none : `${unpadded(table, c)}`);
    }
    // At first the line has no zeros and is not divided by key.
    const [wide, n] = this.step ? [columns, c] : [columns - 1, unpadded(table, c)];
    sum("place_distance", `${i} · ${wide} + ${n} = ${i * wide + n}`);
    if (this.step)
      sum(
        "place_key",
        at
          ? `${start + cut} + ${at[0]} · ${columns - 1} + ${at[1]} = ${address(table, i, c)}`
          : this.words.none,
      );
    this.sums.replaceChildren(...rows);
    const told = {
      name: this.named(i, c),
      query: NAMES[at?.[0] ?? i],
      key: at?.[1],
      distance: far === null ? "" : signed(far),
    };
    this.pair.replaceChildren(
      this.say(!at ? "out_title" : hidden ? "hidden_title" : "pair_title", told),
    );
  }
});
