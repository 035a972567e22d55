// The recorded values of names. Hover or focus shows the shape and the range of a name in
// one line, and a click, a tap or Enter opens the whole card. Nothing is fetched before the first card. The fetched data
// only become text and colours, never HTML.
(() => {
  "use strict";

  const cards = window.__lit_cards;
  const { make, all, plain, announce, show, clear } = cards;
  const below = cards.place;
  const labels = JSON.parse(document.getElementById("__cards").textContent);
  const say = (name, values = {}) =>
    labels[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);

  const NAME = ".lit-code [data-o]";
  const PHONE = matchMedia("(max-width: 59.984375em)");
  const ON_DISK = location.protocol === "file:";
  const {
    src,
    dataset: { page },
  } = document.currentScript;

  // --- The data ---------------------------------------------------------------------

  const answers = new Map();

  /** The contents of a file, fetched once; null if that fails. */
  const ask = (file, read) => {
    if (ON_DISK) return Promise.resolve(null);
    if (!answers.has(file)) {
      const answer = fetch(new URL(`observed/${file}`, src))
        .then((response) => (response.ok ? read(response) : null))
        .catch(() => null);
      answers.set(file, answer);
      answer.then((found) => {
        if (!found) answers.delete(file);
      });
    }
    return answers.get(file);
  };
  /** The page that a name belongs to, since excerpts are shown on other pages. */
  const pageOf = (element) =>
    element.closest("[data-observed]")?.dataset.observed ?? page;
  const cardData = (element) =>
    ask(`${pageOf(element)}.json`, (response) => response.json());

  /** One slice of the value of a name: its bytes, or null. */
  const slice = async (element, value, index) => {
    const [rows, columns] = value.extent;
    const file = `${pageOf(element)}/${element.dataset.o}.bin`;
    const bytes = await ask(file, (response) => response.arrayBuffer());
    const size = rows * columns;
    // Elements of another size would be shown as wrong numbers.
    return bytes?.byteLength === value.slices.length * size
      ? new Uint8Array(bytes, index * size, size)
      : null;
  };

  /** Wait for all data that the card of a name shows first. */
  const ready = async (element) => {
    const value = (await cardData(element))?.values?.[element.dataset.o];
    if (value?.slices?.length) await slice(element, value, 0).catch(() => null);
  };

  // --- Words for numbers, axes and tokens --------------------------------------------

  const signed = (text) => text.replace("-", "−");
  const short = (number) => signed(String(Number(number.toPrecision(3))));

  /** A number with the precision that one byte per element allows. */
  const exact = (number, step, whole) => {
    if (!Number.isFinite(number))
      return Number.isNaN(number)
        ? "NaN"
        : signed(String(number).replace("Infinity", "∞"));
    if (whole) return signed(String(Math.round(number)));
    if (!step) return short(number);
    const digits = Math.ceil(-Math.log10(step));
    return signed(
      digits > 7 ? number.toExponential(2) : number.toFixed(Math.max(0, digits)),
    );
  };

  const SIGNS = { "\n": "↵", " ": "␣", "\t": "⇥" };
  /** A token with its white space made visible. */
  const visible = (token) =>
    token
      .replace(/[\n\t ]/g, (sign) => SIGNS[sign])
      .replace(
        /\p{C}/gu,
        (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`,
      );

  /** A token as the label of an axis, cut if it is long. */
  const clipped = (token) => {
    const letters = [...visible(token ?? "")];
    return letters.length > 6 ? `${letters.slice(0, 5).join("")}…` : letters.join("");
  };

  /** The name of an axis, if it has one, and an index. */
  const named = (name, index) => `${name} ${index}`.trim();

  /** A text of the record in the language of the page. */
  const worded = (words) =>
    Object.hasOwn(labels.words, words) ? labels.words[words] : words;

  /** The separator of a list in that language. */
  const [, and] = labels.run.split(/\{\w+\}/);

  /** The labels of a position on each shown axis: a token of the run, or the axis. */
  const called = ({ axes, shown }, { run }) => {
    const names = shown.map((axis) => axes[axis]?.[0] ?? "");
    const words = (name) =>
      Object.hasOwn(run.axes, name) ? run.axes[name].split(" → ").map(worded) : null;
    return words(names.join(" → ")) ?? names.map((name) => words(name)?.[0] ?? name);
  };

  // --- The picture --------------------------------------------------------------------

  const colours = new Map();
  const rgb = (colour) => {
    if (!colours.has(colour)) colours.set(colour, sampled(colour));
    return colours.get(colour);
  };
  const sampled = (colour) => {
    const pen = make("canvas", { width: 1, height: 1 }).getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data;
  };

  /** How numbers become colours: one colour for one sign, else two that meet at 0. */
  const scaleOf = (numbers) => {
    const finite = numbers.filter(Number.isFinite);
    const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!finite.length) return { kind: "none", legend: [], at: () => [0, 0] };
    const width = most - least || 1;
    if (least < 0 && most > 0) {
      const far = Math.max(-least, most);
      return {
        kind: "both",
        legend: [-far, 0, far],
        at: (n) => [Math.abs(n) / far, n < 0],
      };
    }
    // A square-root scale, so that small values are visible; the legend shows its middle.
    if (most <= 0 && least < 0) {
      return {
        kind: "minus",
        legend: [least, most - width / 4, most],
        at: (n) => [Math.sqrt((most - n) / width), true],
      };
    }
    return {
      kind: "plus",
      legend: [least, least + width / 4, most],
      at: (n) => [Math.sqrt((n - least) / width), false],
    };
  };

  const paint = (canvas, numbers, [rows, columns], scale) => {
    const style = getComputedStyle(canvas);
    const [ground, plus, minus, ink] = [
      "--md-default-bg-color",
      "--lit-accent",
      "--lit-accent2",
      "--lit-soft",
    ].map((name) => rgb(style.getPropertyValue(name)));
    Object.assign(canvas, { width: columns, height: rows });
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const picture = pen.createImageData(columns, rows);
    numbers.forEach((number, i) => {
      const finite = Number.isFinite(number);
      const [part, negative] = finite ? scale.at(number) : [0, false];
      const colour = finite ? (negative ? minus : plus) : ink;
      // Hatch values that are no numbers; −∞ and NaN have different directions.
      const [row, column] = [Math.floor(i / columns), i % columns];
      const hatched = (number === -Infinity ? row + column : row - column) % 4 === 0;
      const share = finite ? part : hatched ? 0.55 : 0;
      for (let k = 0; k < 3; k += 1)
        picture.data[4 * i + k] = ground[k] + (colour[k] - ground[k]) * share;
      picture.data[4 * i + 3] = 255;
    });
    pen.putImageData(picture, 0, 0);
  };

  let repaint = () => {};
  new MutationObserver(() => repaint()).observe(document.body, {
    attributeFilter: ["data-md-color-scheme"],
  });

  /** A value: a heat map of a slice, its legend, sliders, and the chosen element. */
  const picture = (element, value, record, changed) => {
    const [rows, columns] = value.extent;
    const [rowAxis, columnAxis] = value.shown;
    const others = value.axes.map((_, i) => i).filter((i) => !value.shown.includes(i));
    const whole = /int|bool/.test(value.dtype);
    // Whether the tokens of one shown axis depend on the index of the other.
    const shifting = value.shown.some((axis) =>
      value.shown.includes(value.axes[axis]?.[3]),
    );
    let [index, row, column, numbers, scale] = [0, 0, 0, null, null];
    let chosen = false; // whether somebody has chosen what is read

    /** The index on an axis: that of the chosen element, or of a slider. */
    const indexOf = (axis) => {
      const shown = [rowAxis, columnAxis].indexOf(axis);
      return shown < 0
        ? value.slices[index][0][others.indexOf(axis)]
        : [row, column][shown];
    };
    const labelOf = (axis, i) => {
      const [, size, table, by] = value.axes[axis] ?? [];
      return record.labels[table]
        ?.slice(0, size * ((by === undefined ? 0 : indexOf(by)) + 1))
        .slice(-size)[i];
    };
    // Attention heads are counted from 1 in papers and texts, positions from 0.
    const counted = (axis, i) => i + (value.axes[axis][0] === "heads" ? 1 : 0);
    const range = (axis, length) => {
      const first = named(value.axes[axis][0], counted(axis, 0));
      return length > 1 ? `${first} … ${counted(axis, length - 1)}` : first;
    };
    const rowName = rowAxis < 0 ? "" : range(rowAxis, rows);
    const columnName = columnAxis < 0 ? "" : range(columnAxis, columns);

    const heading = say("heat_map", { rows: rowName || 1, columns: columnName || 1 });
    const canvas = make("canvas", { tabIndex: 0, role: "img", "aria-label": heading });
    const cross = make("i", { className: "lit-cross" });
    const map = make("div", { className: "lit-map" }, canvas, cross);
    const [down, right] = ["lit-rows", "lit-columns"].map((className) =>
      make("div", { className, ariaHidden: "true" }),
    );
    const view = make("div", { className: "lit-view" }, down, map, right);
    const larger = make(
      "button",
      { type: "button", className: "lit-larger", hidden: true, ariaPressed: "false" },
      say("all_tokens"),
    );
    const across = make(
      "div",
      { className: "lit-across" },
      make("span", {}, columnName),
      larger,
    );
    const legend = make("div", { className: "lit-ramp" });
    const read = make("p", { className: "lit-read", "aria-live": "polite" });
    const figure = make(
      "div",
      { className: "lit-slice" },
      make("div", { className: "lit-down" }, make("span", {}, rowName)),
      view,
      across,
      legend,
    );

    const names = called(value, record);
    const numeric = value.axes.map(([, , table]) =>
      record.labels[table]?.every((label) => /^-?\d+$/.test(label)),
    );
    const place = (axis, i) => {
      if (axis < 0) return [];
      const label = labelOf(axis, i);
      const name = names[value.shown.indexOf(axis)];
      const words = named(name, counted(axis, i));
      // A label that is a number itself, such as a distance, needs no index.
      if (numeric[axis]) return [named(name, signed(label))];
      return [
        label === undefined ? words : `${words} ‘`,
        ...(label === undefined ? [] : [make("bdi", {}, visible(label)), "’"]),
      ];
    };
    /** The tokens around the chosen column. */
    const around = (axis, i) => {
      if (axis < 0 || labelOf(axis, 0) === undefined) return "";
      const between = numeric[axis] ? " " : "";
      const near = (from, to) =>
        Array.from({ length: to - from }, (_, k) =>
          visible(labelOf(axis, from + k) ?? ""),
        ).join(between);
      return make(
        "bdi",
        { className: "lit-around" },
        near(i - 8, i),
        between,
        make("mark", {}, visible(labelOf(axis, i))),
        between,
        near(i + 1, i + 9),
      );
    };
    /** The sum of a row of shares, with the precision of its bytes. */
    const sum = (step) => {
      const whole_row =
        rows > 1 && columns > 1 && columns === value.axes[columnAxis][1];
      if (whole || !whole_row || value.statistics[0] < 0 || !(value.statistics[1] <= 1))
        return "";
      const all = numbers
        .slice(row * columns, (row + 1) * columns)
        .reduce((a, b) => a + b, 0);
      const digits = Math.max(
        0,
        Math.floor(-Math.log10(step * Math.sqrt(columns / 12) * 3 || 0.01)),
      );
      return make(
        "small",
        {},
        ` · ${say("row_sum", { sum: `≈ ${all.toFixed(digits)}` })}`,
      );
    };
    const tell = () => {
      const [, , step] = value.slices[index];
      const places = [place(rowAxis, row), place(columnAxis, column)].filter(
        (part) => part.length,
      );
      const words = places.flatMap((part, k) => (k ? [" → ", ...part] : part));
      const said = exact(numbers[row * columns + column], step, whole);
      read.replaceChildren(
        ...words,
        words.length ? ": " : "",
        make("b", {}, said),
        sum(step),
        around(columnAxis, column),
      );
      cross.style.left = `${((column + 0.5) / columns) * 100}%`;
      cross.style.top = `${((row + 0.5) / rows) * 100}%`;
      follow();
      if (shifting) label();
    };
    /** The tokens along an axis if there is room for all, otherwise some indices. */
    const ticks = (box, axis, count, length, room) => {
      const labels = Array.from({ length: axis < 0 ? 0 : count }, (_, i) =>
        clipped(labelOf(axis, i)),
      );
      const widest = (words) =>
        Math.max(...words.map(({ length: letters }) => letters), 0);
      const apart = (words) => Math.ceil((room(widest(words)) * count) / length);
      const known = widest(labels) > 0,
        crowded = known && apart(labels) > 1;
      // Tokens cannot be skipped, since the rest would read like another text.
      const words = crowded && !numeric[axis] ? labels.map((_, i) => `${i}`) : labels;
      const every = apart(words);
      box.style.setProperty("--letters", widest(words));
      box.replaceChildren(
        ...(known ? words : []).flatMap((word, i) => {
          if (i % every) return [];
          const tick = make("bdi", {}, word);
          tick.style.setProperty("--at", `${((i + 0.5) / count) * 100}%`);
          return [tick];
        }),
      );
      return crowded;
    };
    const label = () => {
      const em = parseFloat(getComputedStyle(right).fontSize);
      const crowded = [
        ticks(down, rowAxis, rows, canvas.clientHeight, () => 1.15 * em),
        ticks(
          right,
          columnAxis,
          columns,
          canvas.clientWidth,
          (letters) => (0.65 * letters + 0.5) * em,
        ),
      ];
      larger.hidden &&= !crowded.some(Boolean);
    };
    /** Keep the chosen element visible while the enlarged map scrolls. */
    const follow = () => {
      if (
        view.scrollWidth <= view.clientWidth &&
        view.scrollHeight <= view.clientHeight
      )
        return;
      for (const [side, size, at] of [
        ["scrollLeft", "clientWidth", cross.offsetLeft],
        ["scrollTop", "clientHeight", cross.offsetTop],
      ]) {
        const there = at + (side === "scrollLeft" ? map.offsetLeft : map.offsetTop);
        if (there < view[side] + 40 || there > view[side] + view[size] - 40)
          view[side] = there - view[size] / 2;
      }
    };
    larger.addEventListener("click", () => {
      const all = larger.ariaPressed === "false";
      larger.ariaPressed = String(all);
      view.classList.toggle("lit-large", all);
      if (all) {
        const letters = (axis, count) =>
          Math.max(
            1,
            ...Array.from(
              { length: axis < 0 ? 0 : count },
              (_, i) => clipped(labelOf(axis, i)).length,
            ),
          );
        view.style.setProperty(
          "--wide",
          `${columns * (0.65 * letters(columnAxis, columns) + 0.6)}em`,
        );
        view.style.setProperty("--high", `${rows * 1.25}em`);
      }
      label();
      tell();
      changed();
    });
    const draw = () => {
      if (!numbers || !canvas.isConnected) return;
      paint(canvas, numbers, value.extent, scale);
      tell();
      label();
    };
    const choose = async (next) => {
      index = next;
      const codes = await slice(element, value, index);
      if (index !== next) return;
      figure.hidden = !codes || rows * columns === 1;
      if (!codes) {
        read.textContent = say("unread");
        return;
      }
      const [, low, step] = value.slices[index];
      const unreal = { 253: -Infinity, 254: Infinity };
      numbers = [...codes].map((code) =>
        code <= 252 ? low + code * step : (unreal[code] ?? NaN),
      );
      scale = scaleOf(numbers);
      if (!chosen) [row, column] = largest();
      legend.dataset.kind = scale.kind;
      const unreals = [-Infinity, Infinity, NaN].map((n) => [
        n,
        numbers.filter((one) => Object.is(one, n)).length,
      ]);
      const hatched = unreals
        .flatMap(([n, count]) => (count ? [`${count} × ${exact(n)}`] : []))
        .join(", ");
      const words = hatched && say("hatched", { values: hatched });
      canvas.setAttribute("aria-label", `${heading} ${words}`.trim());
      legend.replaceChildren(
        make("i"),
        ...scale.legend.map((n) => make("span", {}, short(n))),
        words && make("small", {}, words),
      );
      draw();
      changed();
    };

    /** The index of the largest number, with which the card opens. */
    const largest = () => {
      const sizes = numbers.map((n) => (Number.isFinite(n) ? Math.abs(n) : -1));
      const most = sizes.indexOf(Math.max(...sizes));
      return [Math.floor(most / columns), most % columns];
    };
    const move = (down, right) => {
      chosen = true;
      row = Math.max(0, Math.min(rows - 1, row + down));
      column = Math.max(0, Math.min(columns - 1, column + right));
      if (numbers) tell();
    };
    canvas.addEventListener("keydown", (event) => {
      const way = {
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
      }[event.key];
      if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(...way.map((one) => one * (event.shiftKey ? 8 : 1)));
    });
    const point = ({ offsetX, offsetY }) => {
      const [i, j] = [
        (offsetY / canvas.clientHeight) * rows,
        (offsetX / canvas.clientWidth) * columns,
      ].map(Math.floor);
      move(i - row, j - column);
    };
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);

    // A slider for each axis of which more than one index was recorded, two at most.
    const dials = make("div", { className: "lit-dials" });
    others.forEach((axis, k) => {
      const known = [...new Set(value.slices.map(([at]) => at[k]))].sort(
        (a, b) => a - b,
      );
      if (known.length < 2 || dials.children.length === 2) return;
      const which = (i) => `${i + 1} / ${value.axes[axis][1]}`;
      const shown = make("output", {}, which(known[0]));
      const dial = make("input", {
        type: "range",
        min: 0,
        max: known.length - 1,
        value: 0,
      });
      dial.addEventListener("input", () => {
        const chosen = known[dial.value];
        const here = value.slices[index][0];
        const fits = (at, strict) =>
          at[k] === chosen &&
          (!strict || at.every((one, l) => l === k || one === here[l]));
        const next = [true, false]
          .map((strict) => value.slices.findIndex(([at]) => fits(at, strict)))
          .find((i) => i >= 0);
        shown.textContent = which(chosen);
        dial.setAttribute("aria-valuetext", which(chosen));
        choose(next);
      });
      dials.append(
        make(
          "label",
          {},
          make("span", {}, value.axes[axis][0] || `[${axis}]`),
          dial,
          shown,
        ),
      );
    });

    // Tall enough for the name of its rows, but not taller than the card.
    canvas.style.height = `clamp(${rows > 1 ? 5 : 2.2}rem, ${(16 * rows) / columns}rem, 9rem)`;
    repaint = draw;
    choose(0);
    return [figure, read, dials.children.length ? dials : ""];
  };

  // --- The card -----------------------------------------------------------------------

  let current = null; // the card of an observed name, and the name
  const open = () => (current?.card.isConnected ? current : null);
  let keeping = false; // whether the next card stays until it is closed

  /** The rectangles of the text of some lines, which a card should not hide. */
  const boxes = (lines) =>
    lines.flatMap((line) => {
      const text = document.createRange();
      text.selectNodeContents(line);
      return [...text.getClientRects()];
    });

  /** One line of a card, directly below its name, or above it at the foot of the screen. */
  const atName = (element, card) => {
    const [name, box] = [element, card.parentNode].map((one) =>
      one.getBoundingClientRect(),
    );
    const free = Math.max(4, box.width - card.offsetWidth - 4);
    const fits = name.bottom + card.offsetHeight + 8 < innerHeight;
    const y = fits ? name.bottom + 4 : name.top - card.offsetHeight - 4;
    card.style.left = `${Math.min(name.left - box.left, free)}px`;
    card.style.top = `${y - box.top}px`;
  };

  /** Beside the line, or else below or above it: never over it, and where it hides the
      fewest other lines. */
  const beside = (element, card) => {
    if (PHONE.matches) return;
    if (card.matches(".lit-brief")) {
      atName(element, card);
      return;
    }
    card.style.left = "";
    const line = element.closest("[data-n]");
    const box = card.parentNode.getBoundingClientRect();
    card.style.maxHeight = "";
    const [height, left] = [card.offsetHeight, box.right - card.offsetWidth - 8];
    const highest =
      document.querySelector(".md-header").getBoundingClientRect().bottom + 8;
    const lowest = innerHeight - height - 8;
    const onScreen = (one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return bottom > highest && top < innerHeight;
    };
    // Only blocks on the screen, because others may not have been laid out.
    const around = all(".lit-block")
      .filter(onScreen)
      .flatMap((block) => all(".lit-code [data-n]", block))
      .filter(onScreen);
    const [own, others] = [[line], around.filter((one) => one !== line)].map((lines) =>
      boxes(lines).filter((one) => one.right + 12 > left && one.left < box.right),
    );
    const { top, bottom } = line.getBoundingClientRect();
    const [over, under] = [top - height - 4, bottom + 4];
    const beneath = Math.max(under, highest);
    const hidden = (y) =>
      others.reduce(
        (sum, one) =>
          sum +
          Math.max(0, Math.min(one.bottom, y + height) - Math.max(one.top, y)) *
            (one.right - Math.max(one.left, left)),
        0,
      );
    const places = own.length
      ? [under, over]
      : Array.from({ length: Math.ceil((height + bottom - top) / 8) + 1 }, (_, n) =>
          Math.min(under, over + 8 * n),
        );
    const fitting = places.filter((y) => y >= highest && y <= lowest);
    // Of two places that hide equally much, choose the one nearer to the line.
    const cost = (y) => hidden(y) + Math.abs(y + height / 2 - top);
    let y = fitting.sort((one, other) => cost(one) - cost(other))[0];
    if (y === undefined) {
      // It fits nowhere as a whole, so use the larger side of the line.
      const room = [top - highest, innerHeight - beneath];
      y = room[0] > room[1] ? highest : beneath;
      card.style.maxHeight = `${Math.max(200, Math.max(...room) - 8)}px`;
    }
    card.style.top = `${y - box.top}px`;
  };

  /** On a phone, show the card as a sheet at the bottom, and scroll its line above it. */
  const above = (element, card) => {
    if (!PHONE.matches) return;
    const { bottom } = element.closest("[data-n]").getBoundingClientRect();
    const covered = bottom + 8 - card.getBoundingClientRect().top;
    if (covered > 0) scrollBy({ top: covered, behavior: "instant" });
  };

  cards.place = (element, card) => {
    if (!element.matches("[data-o]")) return below(element, card);
    card.classList.add("lit-seen");
    document.body.classList.add("lit-sheet");
    return beside(element, card);
  };

  const settle = (element, card) => {
    if (!card.isConnected) return;
    cards.place(element, card);
    above(element, card);
  };

  const shapeOf = ({ axes }) =>
    `[${axes.map(([name, size]) => `${name} ${size}`.trim()).join(", ")}]`;

  /** The text about a value, without the picture. */
  const summary = (value) => {
    const [least, most, mean, deviation] = value.statistics;
    const range =
      least === null
        ? [say("unreal")]
        : [
            say("range", { least: short(least), most: short(most) }),
            say("mean", { mean: short(mean) }),
            say("deviation", { deviation: short(deviation) }),
          ];
    return [
      make("p", { className: "lit-axes" }, make("code", {}, shapeOf(value))),
      make("p", { className: "lit-statistics" }, [value.dtype, ...range].join(" · ")),
    ];
  };

  const origin = (element, value, { run }) => {
    const shown = element.closest("[data-observed]") ?? document;
    const line = shown
      .querySelector(`[data-o="${element.dataset.o}"]`)
      .closest("[data-n]").dataset.n;
    const where = [
      say("observed_at", { number: line }),
      value.call.split(", ").map(worded).join(and),
    ]
      .filter(Boolean)
      .join(" · ");
    const command = make("code", {}, labels.command);
    command.title = run.versions.join(", ");
    return make(
      "p",
      { className: "lit-statistics lit-run" },
      where,
      make("br"),
      say("run", { ...run, name: worded(run.name), data: worded(run.data) }),
      make("br"),
      say("record_again"),
      " ",
      command,
    );
  };

  /** Show all of the open card, until it is closed. */
  const stay = () => {
    const { element, card } = current;
    current.kept = true;
    if (!card.matches(".lit-brief")) return;
    card.classList.remove("lit-brief");
    repaint();
    settle(element, card);
  };

  cards.fill = async (element, card) => {
    if (!element.matches("[data-o]")) return;
    current = { element, card, kept: keeping };
    keeping = false;
    const close = make(
      "button",
      {
        type: "button",
        className: "lit-close",
        title: say("close"),
        "aria-label": say("close"),
        onclick: clear,
      },
      "✕",
    );
    const title = card.firstElementChild;
    title.before(close);
    const record = await cardData(element);
    if (!card.isConnected) return;
    const value = record?.values?.[element.dataset.o];
    try {
      const changed = () => settle(element, card);
      const seen = value.slices.length ? picture(element, value, record, changed) : [];
      title.after(...summary(value), ...seen, origin(element, value, record));
      card.classList.toggle("lit-brief", !current.kept && !PHONE.matches);
      announce(`${value.name} ${shapeOf(value)}`);
    } catch {
      // There is no value, or the host has the record of another build.
      title.after(make("p", {}, say(ON_DISK ? "on_disk" : "unread")));
    }
    settle(element, card);
  };

  const keep = (element) => {
    keeping = true;
    show(element);
  };

  // --- Events ---------------------------------------------------------------------------

  let timer;
  let wanted = null;

  /** Show the card of a name when its data have arrived, unless the reader has moved on. */
  const offer = async (element) => {
    wanted = element;
    await ready(element);
    if (wanted === element && open()?.element !== element) show(element);
  };

  document.addEventListener("pointerover", ({ target, pointerType, buttons }) => {
    if (pointerType === "touch" || buttons || open()?.kept) return;
    // A card that was opened by a click stays open.
    if (!open() && document.querySelector(".lit-card:not(.lit-preview)")) return;
    clearTimeout(timer);
    const name = target.closest(NAME);
    if (name) timer = setTimeout(offer, open() ? 60 : 140, name);
    else if (!target.closest(".lit-seen")) {
      wanted = null;
      if (open())
        timer = setTimeout(() => {
          if (!open()?.kept) clear();
        }, 300);
    }
  });

  document.addEventListener("focusin", ({ target, relatedTarget }) => {
    if (target.closest(".lit-seen")) {
      clearTimeout(timer);
      if (open()) stay();
    } else if (target.matches(NAME)) {
      if (
        target.matches(":focus-visible") &&
        !relatedTarget?.closest(".lit-card") &&
        !open()?.kept
      )
        offer(target);
    } else {
      wanted = null;
      if (open() && !current.kept) clear();
    }
  });

  // The script of all pages shows a card for every name that is clicked.
  document.addEventListener(
    "click",
    (event) => {
      if (!plain(event)) return;
      clearTimeout(timer);
      wanted = null;
      const step = event.target.closest('.lit-way a[href^="#o"]');
      const name = event.target.closest(NAME);
      if (step) {
        event.stopImmediatePropagation(); // a click outside of code closes cards
        setTimeout(keep, 0, document.querySelector(step.getAttribute("href")));
      } else if (name && open()?.element === name) {
        event.preventDefault();
        event.stopImmediatePropagation();
        stay();
      } else {
        keeping = Boolean(name);
      }
    },
    true,
  );

  document.addEventListener(
    "keydown",
    (event) => {
      const { key, target } = event;
      if (!target.matches(NAME) || !plain(event)) return;
      const here = open()?.element === target;
      if (key === "Enter" || key === " ") {
        if (here) stay();
        else keep(target);
      } else if (here && current.kept && key === "ArrowDown") {
        (
          current.card.querySelector("canvas") ?? current.card.querySelector("button")
        ).focus();
      } else if (
        here &&
        current.kept &&
        (key === "ArrowLeft" || key === "ArrowRight")
      ) {
        const names = all(NAME);
        const next = names[names.indexOf(target) + (key === "ArrowRight" ? 1 : -1)];
        if (next) {
          next.tabIndex = -1;
          if (next.localName === "span") next.setAttribute("role", "button");
          next.focus();
          keep(next);
        }
      } else {
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
})();
