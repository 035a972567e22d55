// The relative shift: two tables of the same numbers, and the one line that both read.

const NAMES = "abcde";

define(class extends Figure {
  static style = `
    .tables { display: flex; justify-content: space-around; gap: .6rem 1rem; padding: .6rem .8rem 0; } .tables.stacked { display: grid; justify-content: stretch; }
    .table { min-width: 0; overflow: auto hidden; scrollbar-width: thin; padding: 4px; margin: -4px; }
    .grid { position: relative; margin-top: .3rem; }
    .grid .cell { position: absolute; left: 0; top: 0; width: var(--cell); height: var(--cell); font-size: var(--size);
      color: var(--ink); background: color-mix(in srgb, var(--accent) var(--share), var(--bg)); cursor: pointer; box-shadow: inset 0 0 0 .5px color-mix(in srgb, var(--accent) 35%, var(--bg)); }
    .moving .cell { transition: transform .62s cubic-bezier(.3,.7,.2,1); transition-delay: calc(var(--i) * 55ms); }
    .none { color: var(--soft) !important; background: var(--bg) !important; box-shadow: inset 0 0 0 1px var(--line) !important; }
    .zero { color: var(--bg) !important; background: var(--accent) !important; font-weight: 650; }
    .cell.out { color: var(--soft) !important; background: var(--bg) !important; box-shadow: none; border: 1px dashed var(--edge); font-weight: 400; }
    .cell.hidden { color: var(--soft) !important; font-weight: 400; background: repeating-linear-gradient(-45deg, color-mix(in srgb, var(--soft) 34%, var(--bg)) 0 1px, var(--bg) 1px 6px) !important; box-shadow: inset 0 0 0 1px var(--line); }
    .cell.hidden span { padding: .1em .2em; background: var(--bg); border-radius: 3px; }
    .head, .side { position: absolute; font: .58rem/1 var(--mono); color: var(--soft); text-align: center; white-space: nowrap; } .side b { color: var(--ink); }
    .head.memory { color: var(--accent); } .head.segment { color: var(--lit-shape); }
    .frame { position: absolute; border: 1.5px solid var(--ink); border-radius: 5px; pointer-events: none; }
    .line { padding: .8rem .8rem .2rem; }
    .row { position: relative; height: 2.7rem; margin-top: .2rem; }
    .row i { position: absolute; top: .6rem; height: 1.2rem; display: grid; place-items: center; font: 500 .52rem/1 var(--mono); overflow: hidden; background: color-mix(in srgb, var(--accent) var(--share), var(--bg)); border-right: 1px solid var(--bg); }
    .bracket { position: absolute; height: .3rem; border: 1px solid var(--edge); }
    .up { top: .2rem; border-bottom: 0; } .down { top: 1.9rem; border-top: 0; border-color: var(--accent); } .down.skip { border-style: dashed; border-color: var(--soft); }
    .bracket span { position: absolute; left: 0; top: .4rem; font-size: .56rem; line-height: 1; white-space: nowrap; color: var(--accent); } .skip span { color: var(--soft); }
    .foot { display: grid; grid-template-columns: 2fr 3fr; border-top: 1px solid var(--line); }
    .numbers, .ways { padding: .6rem .8rem; } .ways { background: var(--panel); border-left: 1px solid var(--line); min-width: 0; }
    dl { display: grid; line-height: 1.2rem; }
    dt { color: var(--soft); } dd { font-family: KaTeX_Main, "Times New Roman", serif; font-size: .8rem; white-space: nowrap; margin-bottom: .2rem; } .numbers p:not(.title) { min-height: 2.1rem; margin-top: .3rem; line-height: 1.05rem; color: var(--soft); }
    .ways li { margin-top: .3rem; } .ways b { font-weight: 650; } .ways pre { margin: .1rem 0 0; font: .58rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
    .says { min-height: 3.8rem; }
    @container (max-width: 32rem) { .foot { grid-template-columns: minmax(0, 1fr); } .ways { border-left: 0; border-top: 1px solid var(--line); } .says { min-height: 7rem; } }
  `;

  start() {
    this.order = "falls"; this.L = 3; this.M = 2; this.step = 0; this.chosen = [1, 2];
    const change = (name) => (value) => { this[name] = value; this.build(); };
    const dials = make("div", { className: "dials" },
      this.slider(this.say("queries", { L: letter("L") }), [2, 5, 3], change("L")),
      this.slider(this.say("memory", { M: letter("M") }), [0, 5, 2], change("M")),
      this.choice(this.text("order"), [["falls", this.say("falls")], ["rises", this.say("rises")]], change("order")));
    const titles = [1, 2, 3, 4, 5].map((n) => `${n} ${this.words[`step${n}`]}`);
    this.player_ = this.player(titles, (step) => { this.step = step; this.show(); });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.tables = { distance: this.table("by_distance"), key: this.table("by_key") };
    this.tables.key.grid.classList.add("moving");
    this.line = make("div", { className: "row", ariaHidden: "true" });
    this.lineSays = make("small");
    this.head = make("p", { className: "title" }); this.sums = make("dl"); this.about = make("p");
    this.ways = make("ul");
    this.stage.append(dials, this.player_.bar, this.says,
      make("div", { className: "tables" }, this.tables.distance.box, this.tables.key.box),
      make("div", { className: "line" }, make("p", { className: "title" }, this.say("in_memory"), " ", this.lineSays), this.line),
      make("div", { className: "foot" },
        make("div", { className: "numbers", ariaLive: "polite" }, this.head, this.sums, this.about),
        make("div", { className: "ways" }, make("p", { className: "title" }, this.say("ways")), this.ways)),
      make("p", { className: "hint" }, this.say("keys")));
    let width = 0;
    new ResizeObserver(([entry]) => {
      const found = Math.round(entry.contentRect.width);
      if (found && found !== width) { width = found; this.build(); }
    }).observe(this.stage);
    this.build();
  }

  table(name) {
    const size = make("small"), grid = make("div", { className: "grid", role: "grid", ariaLabel: this.text(name) });
    const title = make("span", {}, this.say(name));
    const table = { grid, size, title, box: make("div", { className: "table" }, make("p", { className: "title" }, title, " ", size), grid), cells: new Map() };
    this.walk(grid, {
      at: (row, column) => [...table.cells.values()].find((cell) => +cell.dataset.row === row && +cell.dataset.column === column),
      choose: (cell) => this.choose(+cell.dataset.i, +cell.dataset.c),
      other: (cell) => {
        const twin = this.tables[name === "by_key" ? "distance" : "key"];
        return twin.cells.get(`${cell.dataset.i} ${cell.dataset.c}`);
      },
    });
    return table;
  }

  /** What a number is called: the letter of its query, and its distance. */
  named(i, c) {
    const far = distance(this.layout, c);
    return far === null || (this.order === "falls" && far < 0) ? "·" : NAMES[i] + signed(far);
  }

  build() {
    const layout_ = this.layout = layout(this.order, this.L, this.M);
    const { L, K, columns, start, cut } = layout_;
    if (this.chosen[0] >= L || this.chosen[1] >= columns) this.chosen = [1, Math.min(columnOf(layout_, 1, 1), columns - 1)];
    const wide = this.stage.clientWidth - 34;
    // In the table by key, rows stick out on the left, or are moved to the right.
    this.ahead = start + cut;
    const beside = Math.floor((wide - 24) / (2 * columns + L + 1)), below = Math.floor(wide / (columns + L));
    this.cell = Math.min(44, beside > 23 ? beside : Math.max(22, Math.min(34, below)));
    this.tables.key.box.parentElement.classList.toggle("stacked", beside <= 23);
    for (const [name, table] of Object.entries(this.tables)) {
      table.left = this.cell + (name === "key" ? this.ahead * this.cell : 0);
      table.grid.style.cssText = `--cell: ${this.cell - 3}px; --size: ${this.cell < 28 ? 9 : this.cell < 36 ? 10.5 : 12.5}px; height: ${22 + L * this.cell}px; width: ${table.left + columns * this.cell}px`;
      table.cells.clear();
      const rows = Array.from({ length: L }, (_, i) => {
        const side = make("b", {}, NAMES[i]);
        const row = make("div", { role: "row" });
        for (let c = 0; c < columns; c++) {
          const cell = make("button", { type: "button", className: "cell", role: "gridcell", tabIndex: -1 }, make("span", {}, this.named(i, c)));
          cell.dataset.i = i; cell.dataset.c = c;
          this.paint(cell, i, c);
          row.append(cell);
          table.cells.set(`${i} ${c}`, cell);
        }
        table.grid.append(make("span", { className: "side", style: `left: 0; top: ${22 + i * this.cell + this.cell / 2 - 9}px`, ariaHidden: "true" }, side));
        return row;
      });
      table.heads = make("div", { ariaHidden: "true" });
      table.grid.replaceChildren(...[...table.grid.children].slice(-L), ...rows, table.heads);
    }
    this.frame = make("div", { className: "frame", ariaHidden: "true" });
    this.tables.key.grid.append(this.frame);
    this.drawLine();
    this.ways.replaceChildren(...ways.map((way) => make("li", {},
      make("b", {}, this.say(`way_${way.name}`)), " ",
      this.say("copied", { copied: make("span", { className: "value num" }, `${way.copied(layout_)}`), distances: way.distances(layout_) }),
      make("pre", {}, make("code", {}, way.code.join("\n"))))));
    this.tables.key.grid.classList.remove("moving");
    this.player_.go(this.step);
    // Numbers of a new table stand where they belong at once; from then on they move.
    this.tables.key.grid.getBoundingClientRect();
    this.tables.key.grid.classList.add("moving");
  }

  paint(cell, i, c) {
    const far = distance(this.layout, c);
    cell.classList.toggle("zero", far === 0);
    cell.classList.toggle("none", far === null || far < 0);
    cell.style.setProperty("--share", `${far > 0 ? Math.round(46 - (36 * (far - 1)) / Math.max(1, this.layout.K - 1)) : 0}%`);
    cell.style.setProperty("--i", i);
  }

  drawLine() {
    const { L, K, columns, start, cut } = this.layout, count = L * columns;
    const width = (this.stage.clientWidth - 26) / count;
    this.line.replaceChildren();
    for (let at = 0; at < count; at++) {
      const [i, c] = [Math.floor(at / columns), at % columns];
      const number = make("i", { style: `left: ${at * width}px; width: ${width}px` }, width > 18 ? this.named(i, c) : "");
      number.dataset.at = `${i} ${c}`;
      this.paint(number, i, c);
      this.line.append(number);
    }
    const bracket = (from, length, kind, words = "") => {
      if (length < 1) return;
      const place = `left: ${from * width + 1}px; width: ${length * width - 3}px`;
      this.line.append(make("div", { className: `bracket ${kind}`, style: place }, words && length * width > 46 ? make("span", {}, words) : ""));
    };
    for (let i = 0; i < L; i++) {
      bracket(i * columns, columns, "up");
      bracket(start + i * (columns - 1) + cut, K, "down", this.text("line_keys", { name: NAMES[i], keys: K }));
      bracket(start + i * (columns - 1), cut, "down skip");
    }
    bracket(0, start, "down skip", this.words.skipped);
  }

  show() {
    const { L, M, K, columns, cut } = this.layout, { key, distance: left } = this.tables;
    for (const [name, table] of Object.entries(this.tables)) {
      for (const cell of table.cells.values()) {
        const i = +cell.dataset.i, c = +cell.dataset.c;
        const [row, column, counts] = name === "key" ? place(this.layout, i, c, this.step) : [i, c, true];
        const shownAt = name === "key" && !this.step ? c - cut : column;
        cell.style.transform = `translate(${table.left + shownAt * this.cell}px, ${20 + row * this.cell}px)`;
        const hidden = name === "key" && this.step === 4 && counts && isFuture(this.layout, row, column);
        cell.classList.toggle("out", name === "key" && this.step > 0 && !counts);
        cell.classList.toggle("hidden", hidden);
        cell.dataset.row = row; cell.dataset.column = shownAt;
        const far = distance(this.layout, c);
        const told = [this.text("cell", { name: NAMES[i], distance: far === null ? "·" : signed(far) })];
        if (name === "key" && this.step > 2 && counts) told.push(this.text(hidden ? "cell_hidden" : "cell_key", { key: column }));
        // What can be seen of a cell is a part of its name.
        cell.setAttribute("aria-label", `${cell.textContent}: ${told.join(", ")}`);
      }
    }
    const keys = this.step > 2;
    // Until its columns are keys, the second table is called what is done to it.
    key.title.replaceChildren(this.say(keys ? "by_key" : `step${this.step + 1}`));
    key.grid.setAttribute("aria-label", key.title.textContent);
    left.size.replaceChildren(this.say("size_distance", { rows: L, columns }));
    key.size.replaceChildren(this.say(keys ? "size_key" : "size_distance", { rows: L, columns: keys ? K : columns }));
    const head = (table, from, length, words) => {
      table.heads.replaceChildren(...Array.from({ length }, (_, n) => {
        const kind = table === key && keys ? (n < M ? " memory" : " segment") : "";
        return make("span", { className: `head${kind}`, style: `left: ${from + n * this.cell}px; width: ${this.cell - 3}px; top: 4px` }, words(n));
      }));
    };
    const far = (c) => { const d = distance(this.layout, c); return d === null ? "·" : signed(this.order === "falls" ? d : -d); };
    head(left, left.left, columns, far);
    if (keys) head(key, key.left, K, String);
    else head(key, key.left - cut * this.cell, this.step ? 0 : columns, far);
    this.frame.style.cssText = `left: ${key.left - 3.5}px; top: 16.5px; width: ${K * this.cell + 4}px; height: ${L * this.cell + 4}px; visibility: ${this.step ? "visible" : "hidden"}`;
    const moves = Array.from({ length: L }, (_, i) => Math.abs(move(this.layout, i))).join(", ");
    const values = { i: letter("i"), j: letter("j"), L, M, K, moves, columns, width: columns - 1, first: this.layout.start, cut };
    const name = `${this.order}${this.step + 1}`;
    this.says.replaceChildren(make("b", {}, this.say(`${name}_title`, values)), " ", this.say(name, values));
    this.lineSays.replaceChildren(this.say("line", { count: L * columns, rows: L, columns }));
    this.line.classList.toggle("read", this.step > 1);
    for (const part of this.line.querySelectorAll(".down")) part.style.visibility = this.step > 1 ? "visible" : "hidden";
    this.choose(...this.chosen);
  }

  /** A number, its twin, and its place in the line light up together. */
  choose(i, c) {
    this.chosen = [i, c];
    for (const lit of this.stage.querySelectorAll(".lit")) lit.classList.remove("lit");
    for (const table of Object.values(this.tables)) {
      for (const cell of table.cells.values()) cell.tabIndex = -1;
      const cell = table.cells.get(`${i} ${c}`);
      cell.classList.add("lit");
      cell.tabIndex = 0;
    }
    this.line.querySelector(`[data-at="${i} ${c}"]`).classList.add("lit");
    const table = this.layout, { L, M, columns, start, cut } = table, at = read(table, i, c);
    const value = (n) => make("b", { className: "value" }, signed(n));
    const [I, J] = [letter("i"), letter("j")], rows = [];
    const sum = (name, ...parts) => rows.push(make("dt", {}, this.say(name)), make("dd", {}, ...parts));
    const far = distance(table, c), hidden = at && isFuture(table, ...at);
    const name = this.named(i, c);
    if (at && !hidden) {
      const [q, k] = at;
      sum("distance", I.cloneNode(true), " + ", letter("M"), " − ", J.cloneNode(true), " = ", value(q), ` + ${M} − `, value(k), ` = ${signed(far)}`);
      const more = this.order === "falls" ? 1 : 0;
      sum("column", J.cloneNode(true), " + ", letter("L"), more ? " − 1 − " : " − ", I.cloneNode(true), " = ", value(k), ` + ${L}${more ? " − 1" : ""} − `, value(q), ` = ${c}`);
    } else {
      sum("distance", far === null ? this.words.empty : signed(far));
      sum("column", `${c}`);
    }
    sum("place_distance", I.cloneNode(true), ` · ${columns} + `, letter("c"), " = ", value(i), ` · ${columns} + `, value(c), ` = ${address(table, i, c)}`);
    if (at) sum("place_key", `${start + cut} + `, I.cloneNode(true), ` · ${columns - 1} + `, J.cloneNode(true), ` = ${start + cut} + `, value(at[0]), ` · ${columns - 1} + `, value(at[1]), ` = ${address(table, i, c)}`);
    else sum("place_key", this.words.left_out);
    this.sums.replaceChildren(...rows);
    const told = { name, query: NAMES[at?.[0] ?? i], key: at?.[1], distance: far === null ? "·" : signed(far) };
    this.head.replaceChildren(this.say(!at ? "out_title" : hidden ? "hidden_title" : "pair_title", told));
    this.about.replaceChildren(this.say(!at ? "out" : hidden ? "hidden" : "pair", told));
  }
});
