// The interactive parts of annotated pages, which are readable without them. The only
// data that we store are the chosen colours, the language, whether code wraps and the
// pages read so far. The only page that we fetch is the site's own page of equations,
// when it is first needed.
(() => {
  "use strict";

  const labels = JSON.parse(document.getElementById("__labels").textContent);

  /** A label of the site in the language of the page, its braces filled in. */
  const say = (name, values = {}) => fill(labels[name], values);
  const fill = (label, values) => label.replace(/\{(\w+)\}/g, (_, key) => values[key]);

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // A page opened from a disk has no server that finds the page of a folder.
  if (location.protocol === "file:") {
    for (const link of all("a[href]")) {
      if (link.protocol === "file:" && link.pathname.endsWith("/"))
        link.pathname += "index.html";
    }
  }

  /** An element with these properties, attributes and children. */
  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  /** A clone without ids, and with absolute links, to show at another place. */
  const copyOf = (element, base) => {
    const copy = element.cloneNode(true);
    for (const part of [copy, ...all("[id], [tabindex], a[href]", copy)]) {
      part.removeAttribute("id");
      part.removeAttribute("tabindex");
      if (part.matches("a[href]")) part.href = new URL(part.getAttribute("href"), base);
    }
    for (const link of all(".headerlink", copy)) link.remove();
    return copy;
  };

  /** The text of an element, in which each formula occurs once. */
  const wordsOf = (element) => {
    const copy = element.cloneNode(true);
    for (const part of all(".katex-html, annotation, .headerlink", copy)) part.remove();
    return copy.textContent.trim();
  };

  const used = (count) => say("uses", { count });

  const live = make("div", { className: "lit-live", "aria-live": "polite" });
  document.body.append(live);
  const announce = (words) => {
    live.textContent = words;
  };

  // --- The page of equations ------------------------------------------------------

  const CITED = `.md-typeset a[href^="${labels.equations}#"]:not(.lit-card a)`;
  let equations;

  /** `{url, page}` of the page of equations, fetched once; null if there is none. */
  const registry = () =>
    (equations ??= (async () => {
      if (!labels.equations || location.protocol === "file:") return null;
      if (!document.querySelector(`${CITED}, .katex [class*="sym-"]`)) return null;
      const url = new URL(labels.equations, location);
      const answer = await fetch(url).catch(() => null);
      if (!answer?.ok) return null;
      return {
        url,
        page: new DOMParser().parseFromString(await answer.text(), "text/html"),
      };
    })());

  const describeSymbol = ({ cells: [symbol, meaning] }) =>
    `${wordsOf(symbol)}: ${wordsOf(meaning)}`;
  const namesOf = (row) => (row.dataset.names ?? "").split(/\s+/).filter(Boolean);

  // --- Highlighting of related names and symbols ----------------------------------

  const NAME = ".lit-code .n";
  /** Whether a name of the registry is meant: `.key` is an attribute, `key` any name. */
  const means = (name, element) =>
    name === element.textContent ||
    (name === `.${element.textContent}` &&
      element.previousSibling?.textContent.endsWith("."));
  const uses = (name) => all(NAME).filter((element) => means(name, element));
  const blockOf = (element) => `#${element.closest(".lit-block").id}`;
  const symbolOf = (element) => {
    const symbol = element.closest('.katex-html [class*="sym-"]');
    return symbol && [...symbol.classList].find((name) => name.startsWith("sym-"));
  };

  let card = null;
  let origin = null; // where the focus returns to
  let asked = 0; // a late answer must not undo a newer question

  const clearHighlight = () => {
    for (const element of all(".lit-on")) element.classList.remove("lit-on");
  };
  const light = (elements) => {
    for (const element of elements) element.classList.add("lit-on");
  };

  const clear = () => {
    asked += 1;
    clearHighlight();
    if (card?.contains(document.activeElement)) origin?.focus();
    card?.remove();
    document.body.classList.remove("lit-sheet");
    card = origin = null;
    announce("");
  };

  /** The text "defined in line 64", or a link to a definition on another page. */
  const whereDefined = (element) => {
    if (!element.matches("a[href]")) return "";
    const place = new URL(element.href);
    if (place.origin !== location.origin)
      return make("a", { href: place }, say("documentation"));
    const block =
      place.pathname === location.pathname &&
      document.getElementById(decodeURIComponent(place.hash.slice(1)));
    const definition =
      block &&
      uses(element.textContent).find((use) => use.matches(".d") && block.contains(use));
    if (!definition) return make("a", { href: place }, say("definition"));
    return make(
      "a",
      { href: place },
      say("defined", { number: definition.closest("[data-n]").dataset.n }),
    );
  };

  /** Place a card below a name, within the column of the code. */
  const placeBelow = (element, floating) => {
    const at = element.getBoundingClientRect();
    const box = floating.parentNode.getBoundingClientRect();
    floating.style.left = 0; // its width must not depend on where it was
    const left = Math.min(at.left - box.left, box.width - floating.offsetWidth - 8);
    floating.style.left = `${Math.max(8, left)}px`;
    floating.style.top = `${at.bottom - box.top + 5}px`;
  };

  /** What the page of equations says about one symbol and its names but `known`. */
  const explain = (row, { url, page }, known) => {
    const [symbol, meaning] = row.cells;
    const first = make(
      "p",
      {},
      ...copyOf(symbol, url).childNodes,
      " — ",
      ...copyOf(meaning, url).childNodes,
    );
    const names = namesOf(row)
      .filter((name) => ![known, `.${known}`].includes(name))
      .flatMap((name) => {
        const use = uses(name)[0];
        const code = make("code", {}, name);
        return [use ? make("a", { href: blockOf(use) }, code) : code, " "];
      });
    const second = names.length
      ? make("p", {}, `${say("names_of_symbol")} `, ...names)
      : known
        ? ""
        : make("p", {}, say("unnamed"));
    const sections = all(".lit-equation", page).filter((part) =>
      part.querySelector(`.${row.id}`),
    );
    const links = sections.flatMap((part, i) => {
      const title = part.querySelector("h2, h3, h4");
      return [
        i ? ", " : "",
        make("a", { href: `${url}#${part.id}` }, title ? wordsOf(title) : part.id),
      ];
    });
    const third = links.length
      ? [make("p", {}, make("small", {}, `${say("equations_of_symbol")} `, ...links))]
      : [];
    return [first, second, ...third];
  };

  const showName = async (element) => {
    const name = element.textContent;
    clear();
    const question = asked;
    origin = element;
    // A click gave the focus to the whole code, around which the next key draws a frame.
    if (document.activeElement === element.closest(".lit-code")) {
      element.tabIndex = -1;
      if (element.localName === "span") element.setAttribute("role", "button");
      element.focus({ preventScroll: true });
    }
    const found = element.matches(".k") ? [element] : uses(name);
    light(found);
    announce(`${name}: ${used(found.length)}`);
    const place = whereDefined(element);
    card = make(
      "div",
      { className: "lit-card lit-float", role: "group", "aria-label": name },
      make(
        "p",
        {},
        make("code", {}, name),
        " ",
        make("small", {}, used(found.length)),
        place ? " · " : "",
        place,
      ),
    );
    element.closest(".lit-side").append(card);
    cards.place(element, card);
    cards.fill(element, card);
    const known = await registry();
    if (!known || question !== asked) return;
    for (const row of all('tr[id^="sym-"][data-names]', known.page)) {
      if (!namesOf(row).some((known) => means(known, element))) continue;
      light(all(`.${row.id}`));
      card.append(...explain(row, known, name));
    }
    cards.place(element, card);
  };

  /** Whether the first button or a key was pressed without a modifier key. */
  const plain = ({ button, ctrlKey, metaKey, shiftKey, altKey }) =>
    !(button || ctrlKey || metaKey || shiftKey || altKey);

  // Pages with recorded values load one more script, which places the card of a name
  // and fills it in.
  const cards = {
    make,
    all,
    plain,
    announce,
    place: placeBelow,
    fill() {},
    show: showName,
    clear,
  };
  window.__lit_cards = cards;

  // It is loaded when a name is first pointed at, focused or clicked. The event is then
  // dispatched again; a click waits for the script, so that it does not open two cards.
  const observed = document.getElementById("__observed")?.content.firstChild;
  const EARLY = ["pointerover", "focusin", "click", "keydown"];
  let coming;
  const come = () =>
    new Promise((there) => {
      const script = document.importNode(observed, true);
      script.onload = script.onerror = there;
      document.head.append(script);
    });
  const early = async (event) => {
    const { target, type, key } = event;
    const name = target.closest?.(".lit-code [data-o]");
    if (!name && !target.closest?.(".lit-way a")) return;
    const pressed = name && type === "keydown" && /^(Enter| )$/.test(key);
    const waits = plain(event) && (type === "click" || pressed);
    if (waits) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    await (coming ??= come());
    for (const each of EARLY) document.removeEventListener(each, early, true);
    const still = { pointerover: ":hover", focusin: ":focus" }[type];
    if (waits || (still && target.matches(still)))
      target.dispatchEvent(new event.constructor(type, event));
  };
  if (observed) for (const type of EARLY) document.addEventListener(type, early, true);

  const showSymbols = async (formula, chosen) => {
    clear();
    const question = asked;
    origin = formula;
    const ids = [...new Set(all('[class*="sym-"]', formula).map(symbolOf))];
    if (ids.length === 1) [chosen] = ids;
    if (chosen) light(all(`.${chosen}`));
    const known = await registry();
    if (question !== asked) return;
    const rowOf = (id) => known?.page.getElementById(id);
    const choices = make("div", {
      className: "lit-choices",
      role: "group",
      "aria-label": say("choose_symbol"),
    });
    const detail = make("div");
    const choose = (id) => {
      clearHighlight();
      const row = rowOf(id);
      const names = row ? namesOf(row).flatMap(uses) : [];
      light([...all(`.${id}`), ...names]);
      for (const button of choices.children)
        button.setAttribute("aria-pressed", button.dataset.symbol === id);
      detail.replaceChildren(...(row ? explain(row, known) : []));
      announce(row ? describeSymbol(row) : id);
    };
    for (const id of ids) {
      const row = rowOf(id);
      const symbol =
        row?.cells[0].querySelector(".katex") ?? formula.querySelector(`.${id}`);
      const button = make("button", {
        type: "button",
        "aria-pressed": "false",
        "data-symbol": id,
        onclick: () => choose(id),
        "aria-label": row ? describeSymbol(row) : id,
      });
      button.append(symbol ? copyOf(symbol, location) : id);
      choices.append(button);
    }
    card = make(
      "div",
      { className: "lit-card", role: "group", "aria-label": say("choose_symbol") },
      choices,
      detail,
    );
    const host =
      formula.closest(
        ".katex-display, p, li, table, figure, h1, h2, h3, h4, .lit-note > *",
      ) ?? formula;
    if (host.localName === "li") host.append(card);
    else host.after(card);
    if (chosen) choose(chosen);
    if (document.activeElement === formula) choices.firstChild.focus();
  };

  document.addEventListener("click", (event) => {
    if (!plain(event)) return;
    const { target } = event;
    if (target.closest(".lit-card")) return;
    const name = target.closest(NAME);
    const symbol = !target.closest("a") && symbolOf(target);
    if (name) {
      event.preventDefault();
      if (getSelection().isCollapsed) showName(name);
    } else if (symbol) {
      showSymbols(target.closest(".katex"), symbol);
    } else if (!target.closest("a, button, summary, label, input")) {
      clear();
    }
  });

  /** The arrows walk through the names of a block of code: left and right in order of
      reading, up and down to the nearest name of the nearest line. */
  const walk = (event, pre) => {
    const names = all(".n", pre);
    const here = names.indexOf(document.activeElement);
    let next;
    if (event.key === "ArrowRight") next = names[here + 1];
    else if (event.key === "ArrowLeft" && here >= 0) next = names[here - 1] ?? pre;
    else if (here >= 0 && /^Arrow(Up|Down)$/.test(event.key)) {
      const { left, top } = names[here].getBoundingClientRect();
      const way = event.key === "ArrowUp" ? -1 : 1;
      const away = (name) => {
        const box = name.getBoundingClientRect();
        return Math.abs(box.top - top) * 1e4 + Math.abs(box.left - left);
      };
      const beyond = names.filter(
        (name) => (name.getBoundingClientRect().top - top) * way > 2,
      );
      next = beyond.sort((a, b) => away(a) - away(b))[0] ?? names[here];
    }
    if (!next) return;
    event.preventDefault();
    if (next !== pre) {
      next.tabIndex = -1;
      if (next.localName === "span") next.setAttribute("role", "button");
    }
    next.focus();
  };

  /** What a key moves to: formulas on a line of their own, and figures. */
  const STOPS = { e: ".md-content .katex-display .katex", g: ".md-content figure" };

  /** Focus the next of these elements; the previous one if `step` is -1. */
  const focusNext = (selector, step) => {
    const places = all(selector).filter((one) => one.checkVisibility());
    const here = places.findIndex((one) => one.contains(document.activeElement));
    const below = places.findIndex((one) => one.getBoundingClientRect().top > 0);
    const start = (below < 0 ? places.length : below) - (step < 0 ? 1 : 0);
    const next = places[here < 0 ? start : here + step];
    if (!next) return;
    if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
  };

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    // In the shadow tree of a figure, only the path of the event has the focused element.
    const isTyping = event
      .composedPath()[0]
      .matches?.("input, textarea, select, [contenteditable]");
    const stops = STOPS[key.toLowerCase()];
    if (stops && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      focusNext(stops, event.shiftKey ? -1 : 1);
      return;
    }
    if (key === "Escape") {
      const menu = document.querySelector(".lit-menu[open]");
      const drawer = document.getElementById("__drawer");
      if (preview) unpreview();
      else if (drawer?.checked) drawer.click();
      else if (menu) {
        menu.open = false;
        menu.firstElementChild.focus();
      } else clear();
      return;
    }
    if (!plain(event)) return;
    const pre = target.closest(".lit-code");
    if (pre && key.startsWith("Arrow")) walk(event, pre);
    if (key !== "Enter" && key !== " ") return;
    if (target.matches("span.n")) {
      event.preventDefault();
      showName(target);
    }
    if (target.matches(".katex[tabindex]")) {
      event.preventDefault();
      showSymbols(target);
    }
  });

  // The arrow keys reach the links in code, like all other names.
  for (const link of all(".lit-code a.n")) link.tabIndex = -1;
  for (const formula of all(".md-typeset .katex")) {
    if (formula.closest("a") || !formula.querySelector('[class*="sym-"]')) continue;
    formula.tabIndex = 0;
    formula.setAttribute("role", "group");
    formula.setAttribute("aria-label", say("formula"));
  }

  // --- A cited equation, shown where it is cited ----------------------------------

  let preview = null;
  let previewed = null;
  let timer;

  const unpreview = () => {
    clearTimeout(timer);
    previewed?.removeAttribute("aria-describedby");
    preview?.remove();
    preview = previewed = null;
  };

  /** Show the equation that a link cites. Returns whether there is one. */
  const showPreview = async (link) => {
    if (previewed === link) return true;
    unpreview();
    previewed = link;
    const known = await registry();
    const section = known?.page.getElementById(
      decodeURIComponent(new URL(link.href).hash.slice(1)),
    );
    if (previewed !== link) return true;
    if (!section?.matches(".lit-equation")) return false;
    const words = all(":scope > p", section).find(
      (p) => !p.querySelector(".katex-display"),
    );
    const parts = [
      section.querySelector("h2, h3, h4"),
      section.querySelector(".katex-display"),
      words,
    ];
    preview = make(
      "div",
      {
        className: "lit-card lit-float lit-preview md-typeset",
        role: "tooltip",
        id: "lit-preview",
      },
      ...parts.filter(Boolean).map((part) => copyOf(part, known.url)),
    );
    document.querySelector("main").append(preview);
    link.setAttribute("aria-describedby", "lit-preview");
    const at = link.getBoundingClientRect();
    const below = at.bottom + preview.offsetHeight + 12 < innerHeight;
    const left = Math.min(
      at.left,
      document.documentElement.clientWidth - preview.offsetWidth - 8,
    );
    preview.style.left = `${Math.max(8, left) + scrollX}px`;
    // Above the link, anchor it at its bottom: it grows when the fonts are loaded.
    preview.style.top = `${(below ? at.bottom + 4 : at.top - 4) + scrollY}px`;
    preview.style.translate = below ? "" : "0 -100%";
    return true;
  };

  // Touch screens have no hover, so the first tap shows the card. A second tap, or one on
  // the title of the card, follows the link.
  let pointer = "mouse";
  document.addEventListener("pointerdown", ({ pointerType }) => {
    pointer = pointerType;
  });
  document.addEventListener("click", async (event) => {
    if (pointer !== "touch" || event.target.closest(".lit-preview")) return;
    const link = event.target.closest(CITED);
    if (!link) {
      unpreview();
      return;
    }
    if (preview && previewed === link) return;
    event.preventDefault();
    if (!(await showPreview(link))) {
      location.assign(link.href);
      return;
    }
    const title = preview?.querySelector("h2, h3, h4");
    title?.replaceChildren(make("a", { href: link.href }, ...title.childNodes));
  });

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = event.target.closest(CITED);
    clearTimeout(timer);
    if (link) timer = setTimeout(showPreview, 120, link);
    else if (previewed && !event.target.closest(".lit-preview"))
      timer = setTimeout(unpreview, 250);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(CITED) && target.matches(":focus-visible")) showPreview(target);
    else if (previewed && !target.closest(".lit-preview")) unpreview();
  });

  // --- Light, dark, system: remembered as Material does ---------------------------

  const options = all(".lit-palette .md-option");
  const applyScheme = (index) => {
    const color = __lit_apply_palette(options[index]);
    __md_set("__palette", { index, color });
  };
  options.forEach((option, index) => {
    option.addEventListener("change", () => applyScheme(index));
    option.addEventListener("keydown", ({ key }) => {
      if (key !== "Enter") return;
      applyScheme((index + 1) % options.length);
      options[(index + 1) % options.length].focus();
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    const option = options.find(({ checked }) => checked);
    if (option?.dataset.mdColorMedia === "(prefers-color-scheme)")
      __lit_apply_palette(option);
  });

  // --- Code that wraps on a phone: remembered, and set before the first paint -----

  const wrap = document.querySelector(".lit-wrap");
  if (wrap) {
    const { classList } = document.body;
    wrap.ariaPressed = classList.contains("lit-wrapped");
    wrap.onclick = () => {
      const wrapped = classList.toggle("lit-wrapped");
      wrap.ariaPressed = wrapped;
      __md_set("__wrap", wrapped);
    };
  }

  // A browser may end a line after any hyphen, but the options of a command stay whole.
  for (const code of all(".md-typeset :not(pre) > code")) {
    if (code.children.length || !/(^| )-/.test(code.textContent)) continue;
    const words = code.textContent.split(/( +)/);
    code.replaceChildren(
      ...words.map((word) =>
        word.startsWith("-") ? make("span", { className: "lit-whole" }, word) : word,
      ),
    );
  }

  // --- The page that explains the parts of a page ----------------------------------

  // Each step of its list is ticked off when the part of that number is used. The numbers
  // are generated content, and so no part of the code. A part that this screen does not
  // show has no step.
  const tour = document.querySelector(".lit-tour");
  if (tour) {
    const parts = [
      ".lit-note > p",
      '.katex [class*="sym-"]',
      ".lit-link",
      ".lit-source",
      ".lit-code [data-o]",
      ".lit-cite",
      ".shape",
    ];
    const steps = all(":scope > ol > li", tour);
    let shown = 0;
    for (const [n, selector] of parts.entries()) {
      const part = tour.querySelector(`.lit-excerpt ${selector}`);
      if (!part?.checkVisibility()) {
        steps[n]?.remove();
        continue;
      }
      const spot = make("span", { className: "lit-spot", "data-spot": ++shown });
      if (part.matches("p")) part.prepend(spot);
      else (part.closest(".katex") ?? part).after(spot);
    }
    for (const kind of ["pointerover", "focusin", "click"]) {
      tour.addEventListener(kind, ({ target }) => {
        const within = target.closest(".lit-excerpt");
        for (const [n, selector] of parts.entries())
          if (within && target.closest(selector)) steps[n]?.classList.add("lit-done");
      });
    }
  }

  // --- Copying, enlarging, scrolling ----------------------------------------------

  /** Copies the address of a link, or the text of a block as it is in its file: line
      numbers and shapes are generated content, so they are not part of the text. */
  const copyButton = (part) => {
    const label = say(part.href ? "copy_link" : "copy");
    const button = make("button", {
      type: "button",
      className: "lit-copy",
      title: label,
      "aria-label": label,
    });
    const done = () => {
      announce(say("copied"));
      button.classList.add("lit-done");
      setTimeout(() => button.classList.remove("lit-done"), 1500);
    };
    // If the browser refuses, select the code, so that one key press copies it.
    const refused = () => getSelection().selectAllChildren(part);
    button.onclick = () =>
      navigator.clipboard
        .writeText(part.href ?? part.textContent.replace(/\n+$/, ""))
        .then(done, refused);
    return button;
  };
  if (navigator.clipboard) {
    for (const pre of all(".lit-side > pre, .highlight:not(:has(.md-code__nav)) > pre"))
      pre.after(copyButton(pre.querySelector("code")));
    for (const part of all(".lit-launch > a, .lit-equation li:first-child > code"))
      part.after(copyButton(part));
  }

  const enlarge = (picture) => {
    const dialog = make("dialog", {
      className: "lit-dialog",
      "aria-label": say("enlarge"),
    });
    const close = make(
      "button",
      { type: "button", onclick: () => dialog.close() },
      say("close"),
    );
    dialog.append(close, make("div", { tabIndex: 0 }, picture.cloneNode(true)));
    dialog.onclick = ({ target }) => {
      if (target === dialog || target.parentNode === dialog) dialog.close();
    };
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  };
  // A page may say that its pictures are part of something else, such as a card.
  for (const picture of all(
    ".md-typeset figure > svg, .lit-plot svg, .md-typeset img",
  )) {
    if (picture.closest("a, td, .no-zoom")) continue;
    const show = () => enlarge(picture);
    picture.style.cursor = "zoom-in";
    picture.addEventListener("click", ({ target }) => {
      if (!target.closest("a")) show();
    });
    picture.after(
      make(
        "button",
        { type: "button", className: "lit-zoom", onclick: show },
        say("enlarge"),
      ),
    );
  }

  // Mark the words of a search on annotated pages. On other pages Material's script
  // does it, which would measure every block of code here.
  const searchTerms = new URLSearchParams(location.search)
    .get("h")
    ?.match(/[\p{L}\p{N}_]+/gu);
  const article = document.querySelector(".lit > article");
  if (searchTerms && article && CSS.highlights) {
    const wanted = new RegExp(searchTerms.join("|"), "giu");
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    const found = new Highlight();
    while (texts.nextNode()) {
      for (const { index, 0: word } of texts.currentNode.data.matchAll(wanted)) {
        found.add(
          new StaticRange({
            startContainer: texts.currentNode,
            startOffset: index,
            endContainer: texts.currentNode,
            endOffset: index + word.length,
          }),
        );
      }
    }
    CSS.highlights.set("lit-found", found);
  }

  // Elements that scroll sideways must be focusable for keyboard users.
  const WIDE =
    ".katex-display, .md-typeset__scrollwrap, .lit-note > table, .highlight code, .lit-output code, .lit-plot > div";
  const reach = (box) => {
    // Because of `content-visibility`, an unrendered formula has no measured width.
    const { scrollWidth } = box.querySelector(":scope > .katex > .katex-html") ?? box;
    if (scrollWidth > box.clientWidth) box.tabIndex = 0;
    else if (box !== document.activeElement) box.removeAttribute("tabindex"); // keeps the focus
  };
  // Measure one formula at a time, in idle time, because measuring forces layout.
  const idle = window.requestIdleCallback ?? ((then) => setTimeout(then));
  const observer = new ResizeObserver(() => {
    const boxes = all(WIDE).filter((box) => !box.querySelector("[tabindex], a[href]"));
    for (const box of boxes) idle(() => reach(box), { timeout: 1000 });
  });
  observer.observe(document.querySelector("main"));

  document.addEventListener("click", ({ target }) => {
    for (const menu of all(".lit-menu[open]")) {
      if (!menu.contains(target) || target.closest("a")) menu.open = false;
    }
  });

  // --- The search field of the error page -------------------------------------------

  // The CSP forbids forms, so open the URL of the search.
  const lost = document.querySelector(".lit-find");
  lost?.addEventListener("submit", (event) => {
    event.preventDefault();
    const goal = new URL(lost.action, location);
    goal.search = new URLSearchParams(new FormData(lost));
    location.assign(goal);
  });

  // --- The same page in another language ------------------------------------------

  /** The element being read: the last block or heading above the middle of the screen. */
  const here = () => {
    if (scrollY < 8) return location.hash;
    const places = all(
      ".lit-block[id], .md-typeset :is(h2, h3, h4)[id], .lit-equation[id]",
    );
    const above = places.filter(
      (place) => place.getBoundingClientRect().top < innerHeight / 2,
    );
    return above.length ? `#${above.at(-1).id}` : "";
  };

  const LANGUAGE = "literate.language";
  const languages = all(".lit-languages a");
  for (const link of languages) {
    link.addEventListener("click", () => {
      link.hash = here();
      try {
        localStorage.setItem(LANGUAGE, link.dataset.language);
      } catch {
        /* Storage may be blocked. */
      }
    });
  }

  /** Offer the language that was chosen before; never redirect. */
  const offer = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem(LANGUAGE);
    } catch {
      return;
    }
    const link = languages.find(
      ({ dataset }) => dataset.offer && dataset.language === chosen,
    );
    if (!link) return;
    const go = make(
      "a",
      { href: link.href, lang: link.lang, hreflang: link.hreflang },
      link.dataset.offer,
    );
    go.addEventListener("click", () => {
      go.hash = here();
    });
    const own = languages.find(({ dataset }) => !dataset.offer);
    const stay = make(
      "button",
      { type: "button", title: say("close"), "aria-label": say("close") },
      "✕",
    );
    const bar = make(
      "aside",
      { className: "lit-offer", "aria-label": say("language") },
      go,
      stay,
    );
    stay.addEventListener("click", () => {
      localStorage.setItem(LANGUAGE, own.dataset.language);
      bar.remove();
    });
    document.querySelector(".md-container").prepend(bar);
  };
  offer();

  // --- The order of reading ---------------------------------------------------------

  // The stops whose end has been on the screen count as read. Only this browser knows.
  const route = document.querySelector(".lit-route");
  if (route) {
    const FINISHED = "literate.route";
    const stops = all("li a", route);
    // A page has the same path below its language in every language.
    const { folder = "" } = labels;
    const nameOf = ({ pathname }) =>
      pathname.slice(new URL(folder, location).pathname.length);
    let finished = [];
    try {
      finished = JSON.parse(localStorage.getItem(FINISHED)) ?? [];
    } catch {
      /* Storage may be blocked. */
    }
    const mark = () => {
      for (const stop of stops)
        stop.classList.toggle("lit-done", finished.includes(nameOf(stop)));
      // A page may list the stops itself.
      for (const stop of all(".lit-stops li"))
        stop.classList.toggle(
          "lit-done",
          finished.includes(nameOf(stop.querySelector("a"))),
        );
    };
    mark();
    // What comes next is after the last stop that was read, unless all of these are read.
    const isOpen = (stop) => !finished.includes(nameOf(stop));
    const last = stops.findLastIndex((stop) => !isOpen(stop));
    const open = stops.slice(last + 1).find(isOpen) ?? stops.find(isOpen);
    const start =
      route.matches("[data-start]") && route.querySelector(".lit-route__next");
    if (start && open && last >= 0) {
      start.href = open.href;
      start.textContent = say("route_on", { title: open.dataset.title });
    }
    const here = stops.find((stop) => stop.ariaCurrent);
    const end = document.querySelector(".md-footer");
    if (here && end) {
      new IntersectionObserver((seen, observer) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting) || scrollY < 8) return;
        observer.disconnect();
        finished = [...new Set([...finished, nameOf(here)])];
        try {
          localStorage.setItem(FINISHED, JSON.stringify(finished));
        } catch {
          return;
        }
        mark();
      }).observe(end);
    }
  }

  // Load the translators' panel at the first pointer or focus event.
  const { currentScript } = document;
  if (labels.sentences && location.protocol !== "file:") {
    const load = () => {
      for (const event of ["pointerover", "focusin"]) removeEventListener(event, load);
      const asset = (name) => new URL(name, currentScript.src).href;
      document.head.append(
        make("link", { rel: "stylesheet", href: asset("sentences.css") }),
        make("script", { src: asset("sentences.js") }),
      );
    };
    for (const event of ["pointerover", "focusin"]) addEventListener(event, load);
  }
})();
