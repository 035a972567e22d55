"""Search, contents, breadcrumbs, languages, colours, and the way back home."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from mkdocs.utils.yaml import yaml_load
from playwright.sync_api import Browser, Page, expect

from tests.site.conftest import (
    PHONE,
    TOUCH,
    Visit,
    Watch,
    colours,
    requests,
)
from tests.site.links import Published
from tests.site.pages import (
    DOCS,
    EQUATIONS,
    FOLDERS,
    HEAVIEST,
    LANGUAGES,
    NOT_FOUND,
    address_of,
)
from tests.site.test_pages import having

INTRODUCTION = "papers/introduction/"
PAPER = "papers/transformer_xl/"
COMPRESSIVE = "papers/compressive_transformer/"
# What readers type into the search, each with the page that they look for: words of the
# papers, names of the code and whole questions.
QUESTIONS = {
    "": {
        # Words of the papers.
        "segment-level recurrence": INTRODUCTION,
        "memory": "models/memory/",
        "gradient": "models/memory/",
        "stop gradient": "models/memory/",
        "relative shift": "models/relative_shift/",
        "context fragmentation": PAPER,
        "what are u and v": PAPER,
        "global content bias and global positional bias": HEAVIEST,
        "attention length": PAPER,
        "effective context length": "training/context/",
        "wikitext-103 perplexity": PAPER,
        "compression rate": COMPRESSIVE,
        "attention reconstruction loss": "models/reconstruction/",
        "auto-encoding loss": "models/reconstruction/",
        "average pooling vs convolution": COMPRESSIVE,
        "PG-19 dataset": COMPRESSIVE,
        "DeepMind": COMPRESSIVE,
        "how far back does it see": INTRODUCTION,
        "vanishing gradients in RNN": INTRODUCTION,
        "difference between XLNet and Transformer-XL": INTRODUCTION,
        "RoPE": "path/",
        "rotary position embedding": "path/",
        "Longformer sliding window": "path/",
        "ALiBi": "path/",
        # Names of our code, and of other code for the same.
        "relative attention": HEAVIEST,
        "rel_shift": "models/relative_shift/",
        "understanding the _rel_shift function": "models/relative_shift/",
        "zero_triu": "models/relative_shift/",
        "x_padded": "models/relative_shift/",
        "RelPartialLearnableMultiHeadAttn": HEAVIEST,
        "r_w_bias": HEAVIEST,
        "dec_attn": HEAVIEST,
        "pos_emb": "models/distances/",
        "clamp_len": "models/distances/",
        "MemTransformerLM": "models/transformer_xl/",
        "mems": "models/memory/",
        "init_mems": "models/memory/",
        "update_memory": "models/memory/",
        "ext_len": "models/memory/",
        "attention_mask": "models/masking/",
        "same_length": "models/masking/",
        "Conv1dCompression": "models/compression/",
        "div_val cutoffs": "models/adaptive/clusters/",
        "ProjectedAdaptiveLogSoftmax": "models/adaptive/softmax/",
        "past_key_values": "models/fast/cache/",
        "KV cache": "models/fast/cache/",
        "bptt tgt_len": "models/memory/",
        # Questions about training and generation.
        "install": "train/",
        "How do I convert a Hugging Face checkpoint?": "train/",
        "How can I train on my own dataset?": "train/",
        "train on my own text": "train/",
        "resume training from checkpoint": "train/",
        "CUDA out of memory": "training/trainer/",
        "gradient checkpointing": "training/trainer/",
        "mixed precision fp16": "training/trainer/",
        "learning rate warmup": "training/config/",
        "gradient clipping": "training/step/",
        "teacher forcing": "training/step/",
        "tie weights": "models/language_model/",
        "temperature top-k": "training/generation/",
        "details about text generation": "training/generation/",
        "how fast is it": "measured/",
        "Have you evaluated the inference speed of transformer-xl?": "measured/",
        "bug in relative shift": "papers/left_or_right/",
        "induction head": "live/",
        # As others asked, in other words than those of the page.
        "generated text is repetitive": "training/generation/",
        "how to sample text with top-p": "training/generation/",
        "load transfo-xl-wt103 weights": "training/",
        "loss becomes nan": "training/trainer/",
        "fp16 loss scaling": "training/trainer/",
        "memory with LMShuffledIterator": "training/streams/",
        "how to evaluate with different mem_len": "training/evaluation/",
        "how large is PG19": COMPRESSIVE,
        "how does the padding and reshape trick work": "models/relative_shift/",
        "rare words smaller embedding": "models/adaptive/embedding/",
        "tied embeddings output layer": "models/language_model/",
        "how long does training take": "train/",
        "which tokens benefit from memory": "notebooks/what_memory_is_worth/",
        "attention heads visualization": "live/",
        "copy names from context": "training/returns/",
        "long range recall task": "training/recall/",
        "torch view shift without copy": "models/fast/shift/",
        "why not just use longer context": "path/",
        "stop gradient memory": "models/memory/",
        "reset the memory when a new document starts": "models/memory/",
        "initial mems zeros": "models/memory/",
        "untie_r": PAPER,
        "What position does a compressed memory slot get?": "models/compressive/",
        "auxiliary loss keeps increasing": "notebooks/train_compressive/",
        "why multiply word embeddings by sqrt(d_model)": "models/embeddings/",
        "a larger mem_len at test time": "training/evaluation/",
        "test loss of a long text": "training/evaluation/",
        "Why do recent LLMs not use Transformer-XL?": "path/",
        "in which order should students read this": "path/",
        "ablation results": "measured/",
        "put my trained model on a web page": "live/",
        "run in google colab": "notebooks/",
        "what do the line numbers and hash signs mean": "reading/",
        "add a Spanish version": "translate/",
        "annotate my code": "annotate/",
        "translate this site": "translate/",
    },
    "ja/": {
        "メモリ": "models/memory/",
        "マルチヘッドアテンション": HEAVIEST,
        "再帰": PAPER,
        "Transformer-XLを学習する": "notebooks/train_transformer_xl/",
        "rel_shift": "models/relative_shift/",
    },
    "zh/": {
        "记忆": "models/memory/",
        "相对位置": PAPER,
        "片段级循环": INTRODUCTION,
        "如何训练模型": "train/",
        "rel_shift": "models/relative_shift/",
    },
}
# Questions that were written down before the search was changed for any of them, and
# how many find their page: some of our own, and some that people asked in public about
# other code for the same models, each with the pages that have the answer.
FRESH = {"fresh_questions.json": 57, "forum_questions.json": 45}
RESULT = ".md-search-result__link"


# Search


def opened(page: Page) -> None:
    """Open the search."""
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()


def asked(page: Page, words: str) -> list[str]:
    """The addresses that a search finds, the best first, without the words to mark."""
    for typed in ("", words):
        page.locator(".md-search__input").fill(typed)
        page.keyboard.press("Shift")  # The search listens to keys.
        if not typed:
            expect(page.locator(RESULT)).to_have_count(0)
    expect(page.locator(RESULT).first).to_be_visible()
    links = page.locator(RESULT).evaluate_all("all => all.map(e => e.href)")
    return [unquote(re.sub(r"\?h=[^#]*", "", link)) for link in links]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder or "en")
def test_expected_pages_are_among_the_first_three_results(
    visit: Visit, home: str, folder: str, published: Published
) -> None:
    page = visit(f"{folder}reading/")
    opened(page)
    missed = {}
    for question, wanted in QUESTIONS[folder].items():
        # A page that is mostly English still is found by English words.
        article = published.pages[folder + wanted]
        marks = article.xpath(f"//article//*[{having('lit-mark')}]")
        if len(marks) > len(article.xpath("//article//p")) / 2:
            continue
        found = asked(page, question)
        pages = [*dict.fromkeys(link.partition("#")[0] for link in found)][:3]
        if home + folder + wanted not in pages:
            missed[question] = (wanted, pages)
        assert all(link.startswith(home + folder) for link in found), question
    assert missed == {}
    page.locator(RESULT).first.click()
    page.wait_for_url("**?h=*")
    expect(page.locator("h1")).to_be_visible()


@pytest.mark.parametrize(("name", "least"), FRESH.items())
def test_most_fresh_questions_find_their_page_among_the_first_three(
    visit: Visit, home: str, name: str, least: int
) -> None:
    questions = json.loads(Path(__file__).with_name(name).read_text("utf-8"))
    page = visit("reading/")
    opened(page)
    missed = {}
    for question, wanted in questions.items():
        links = asked(page, question)
        pages = [*dict.fromkeys(link.partition("#")[0] for link in links)][:3]
        right = {
            home + one for one in (wanted if isinstance(wanted, list) else [wanted])
        }
        if not right & {*pages}:
            missed[question] = (wanted, [one.removeprefix(home) for one in pages])
    assert len(questions) - len(missed) >= least, missed


def test_a_result_has_a_summary_and_marks_the_words_of_the_search(
    visit: Visit, published: Published
) -> None:
    page = visit("reading/")
    opened(page)
    shown = 0
    for question in ("gradient", "memory", "shift", "adaptive"):
        asked(page, question)
        tags = page.locator(".md-search-result .md-tag")
        marks = tags.locator("mark").all_inner_texts()
        begun = re.compile(question, re.IGNORECASE)
        assert [one for one in marks if not begun.match(one)] == []
        visible = "all => all.filter(e => e.checkVisibility()).length"
        results = page.locator(".md-search-result__article").all()
        counts = [one.locator(".md-tag").evaluate_all(visible) for one in results]
        assert max(counts) <= 2
        shown += sum(counts)
    assert shown
    # No word of this page's own says what it is called in other code.
    asked(page, "init_mems")
    result = page.locator(f"{RESULT}[href*='models/memory/']").first
    about = published.pages["models/memory/"].xpath(
        "string(//meta[@name='description']/@content)"
    )
    assert about
    expect(result).to_contain_text(about[:60])


def test_search_finds_words_and_names_at_their_block(visit: Visit, home: str) -> None:
    page = visit("")
    opened(page)
    # A word that only a note has, and a name that only code has.
    for words in ("fragmentation", "content_bias"):
        found = asked(page, words)
        assert any("#" in link for link in found), words
        marked = page.locator(".md-search-result__list mark").first
        expect(marked).to_have_text(re.compile(words.replace("_", "|"), re.I))
    assert any(link.startswith(f"{home}{HEAVIEST}#") for link in found), found
    item = page.locator(
        ".md-search-result__item", has=page.locator(f"a[href*='{HEAVIEST}']")
    )
    labels = re.compile(r"^#|^\d+–\d+$", re.MULTILINE)
    assert [text for text in item.all_inner_texts() if labels.search(text)] == []
    item.locator("summary").click()
    item.locator(f"{RESULT}[href*='#']").first.click()
    page.wait_for_url("**?h=*")
    expect(page.locator(":target")).to_be_in_viewport()
    page.goto(f"{home}{EQUATIONS}?h=recurrence")
    expect(page.locator(".md-content mark").first).to_have_text(
        re.compile("recurrence", re.IGNORECASE)
    )


def test_labels_of_drawings_are_separate_in_results(
    published: Published,
) -> None:
    index = published.folder / "search/search_index.json"
    entries = json.loads(index.read_text(encoding="utf-8"))["docs"]
    found = " ".join(unescape(entry["text"]) for entry in entries)
    drawings = [
        [words for words in drawing.itertext() if words.strip()]
        for page in published.pages.values()
        for drawing in page.xpath("//article//*[local-name()='svg']")
    ]
    joined = ["".join(words[-8:]) for words in drawings if len(words) > 7]
    assert joined
    assert [words for words in joined if words in found] == []
    # A page that begins with its description does not show it twice.
    begun = [re.findall(r"<p>(.+?)</p>", entry["text"])[:2] for entry in entries]
    assert [first for first, *next_ in filter(None, begun) if [first] == next_] == []


# Breadcrumbs, contents and the pages beside this one


def test_the_contents_name_every_heading_and_lead_there(
    visit: Visit, attention: Page
) -> None:
    menu = attention.locator(".lit-contents")
    headings = attention.locator("article :is(h1, h2, h3)").all_inner_texts()
    menu.locator("summary").click()
    entries = menu.locator("li > a")
    shown = [text.strip() for text in entries.all_inner_texts()]
    assert shown == [text.strip() for text in headings]
    entry = entries.nth(len(shown) // 2)
    name = entry.inner_text().strip()
    entry.click()
    expect(menu.locator("ul").first).to_be_hidden()
    target = attention.locator(":target")
    expect(target).to_be_in_viewport()
    expect(target).to_have_text(re.compile(re.escape(name)))
    below = target.bounding_box()
    header = attention.locator(".md-header").bounding_box()
    assert below
    assert header
    assert below["y"] >= header["y"] + header["height"]
    silent = visit(HEAVIEST, java_script_enabled=False)
    silent.get_by_text("Contents", exact=True).click()
    silent.locator(".lit-contents li li a").last.click()
    expect(silent.locator(":target")).to_be_in_viewport()


def test_on_a_phone_the_drawer_leads_to_other_pages(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE, **TOUCH)
    drawer = page.locator(".md-nav--primary")
    link = drawer.get_by_role("link", name="Equations")
    expect(drawer).not_to_be_in_viewport()
    page.locator("label[for=__drawer].md-header__button").tap()
    # It opens at the pages of this section; its title leads up to the others.
    section = drawer.locator("nav .md-nav__title")
    expect(section).to_be_in_viewport()
    section.tap()
    link.tap()
    page.wait_for_url("**/equations/")


# Languages


def choose(page: Page, name: str) -> None:
    page.locator(".lit-languages summary").click()
    page.locator(".lit-languages").get_by_role("link", name=name).click()


def test_the_menu_switches_languages_and_the_choice_is_offered_later(
    visit: Visit, home: str
) -> None:
    page = visit(HEAVIEST)
    for one in [*LANGUAGES[1:], *LANGUAGES[:2]]:
        choose(page, one.name)
        page.wait_for_url(f"{home}{one.folder}{HEAVIEST}*")
        expect(page.locator("html")).to_have_attribute("lang", one.tag)
    page.goto(home)
    page.locator(".lit-offer a").click()
    page.wait_for_url(f"{home}{LANGUAGES[1].folder}")


def test_the_error_page_has_search_languages_and_a_link_home(
    visit: Visit, watch: Watch, home: str
) -> None:
    watch.allow("status of 404")
    page = visit("models/no/such/page/")
    expect(page.locator("h1")).to_be_visible()
    for one in LANGUAGES:
        page.goto(f"{home}models/no/such/page/")
        choose(page, one.name)
        page.wait_for_url(home + one.folder)
        # The page of each language that says the same leads home to that language.
        page.goto(f"{home}{one.folder}{NOT_FOUND}")
        page.locator("main").get_by_role("link").click()
        page.wait_for_url(home + one.folder)
    page.goto(f"{home}models/no/such/page/")
    page.locator("main").get_by_role("searchbox").fill("recurrence")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{home}?q=recurrence")
    expect(page.locator(RESULT).first).to_be_visible()


def test_the_site_can_be_read_from_a_disk(
    published: Published, browser: Browser
) -> None:
    start = published.folder.as_uri()
    page = browser.new_page()
    page.goto(f"{start}/index.html")
    page.locator(".md-tabs").get_by_role("link", name="Models").click()
    page.wait_for_url(f"{start}/models/index.html")
    other = LANGUAGES[1]
    choose(page, other.name)
    page.wait_for_url(f"{start}/{other.folder}models/index.html")
    page.goto(f"{start}/{HEAVIEST}index.html")
    offered = page.locator(".lit-offer a").get_attribute("href")
    assert urljoin(page.url, offered) == f"{start}/{other.folder}{HEAVIEST}index.html"
    loaded = "[...document.fonts].some(font => font.status === 'loaded')"
    page.wait_for_function(loaded)
    page.close()


# Light, dark, or as the system has it


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_colour_schemes_cycle_and_are_remembered(visit: Visit, system: str) -> None:
    page = visit(HEAVIEST, color_scheme=system)
    own = {"light": "default", "dark": "slate"}[system]
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", own)
    for wanted in ("default", "slate", own):
        page.wait_for_load_state("networkidle")
        page.locator("form:has(.md-option) label:visible").click()
        expect(body).to_have_attribute("data-md-color-scheme", wanted)
        page.reload()
        assert body.get_attribute("data-md-color-scheme") == wanted
    # The last of the three follows the system again.
    colours(page, {"light": "dark", "dark": "light"}[system])


def test_a_dark_page_is_never_shown_in_light_colours_first(
    visit: Visit, watch: Watch
) -> None:
    page = visit("", color_scheme="dark")
    page.context.route("**/*.js", lambda route: route.abort())
    watch.allow(r"\.js|ERR_FAILED")
    page.reload()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    silent = visit("", java_script_enabled=False)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert silent.evaluate(ground) == "rgb(255, 255, 255)"


# The first page

EXCERPT = ".lit-excerpt"
TERM = f"{EXCERPT} .lit-note .katex-html .lit-term-{{}}"
LINE = f"{EXCERPT} .lit-line.lit-term-{{}}"


def grounds(page: Page) -> dict[str, str]:
    """The ground below the line of each term."""
    return {
        term: page.eval_on_selector(
            LINE.format(term), "e => getComputedStyle(e).backgroundColor"
        )
        for term in "abcd"
    }


def test_a_term_on_the_home_page_and_its_line_are_highlighted_together(
    visit: Visit,
) -> None:
    page = visit("")
    dark = grounds(page)
    for term in "abcd":
        for place in (LINE, TERM):
            page.locator(place.format(term)).first.hover()
            lit = grounds(page)
            assert {one for one in "abcd" if lit[one] != dark[one]} == {term}
        page.mouse.move(2, 2)
        assert grounds(page) == dark
        formula = page.locator(".katex", has=page.locator(f".lit-term-{term}")).first
        if formula.get_attribute("tabindex") == "0":
            formula.focus()
            assert grounds(page)[term] != dark[term]
            formula.blur()


def test_the_excerpt_on_the_home_page_shows_shapes_in_each_language(
    visit: Visit,
) -> None:
    for one in LANGUAGES:
        page = visit(one.folder)
        asked_for = requests(page)
        name = page.locator(
            f"{EXCERPT} [data-o]", has_text=re.compile("^position_bias$")
        )
        name.first.click()
        card = page.locator(".lit-seen")
        expect(card).to_contain_text("[batch 2, heads 4, seq_len 24, k_len 96]")
        # What it held is that of the page of the module, asked for now.
        seen = "/assets/observed/models/relative_attention"
        assert any(seen in url for url in asked_for)
        expect(card.locator("canvas")).to_be_visible()


def test_the_reading_order_links_its_stops_and_remembers_finished_ones(
    visit: Visit, home: str
) -> None:
    head = DOCS.joinpath("path.md").read_text("utf-8").split("---")[1]
    stops = [address_of(Path(stop["page"])) for stop in yaml_load(head)["route"]]
    page = visit("path/")
    route = page.locator(".lit-route")
    links = route.locator("li a")
    assert links.evaluate_all("all => all.map(e => e.href)") == [
        home + stop for stop in stops
    ]
    for here, stop in enumerate(stops[:2]):
        route.locator(".lit-route__next").click()
        expect(page).to_have_url(home + stop)
        expect(route.locator("[aria-current]")).to_have_count(1)
        expect(links.nth(here)).to_have_attribute("aria-current", "page")
        assert route.locator(".lit-done").count() == here
        page.locator(".md-footer").scroll_into_view_if_needed()
        expect(route.locator(".lit-done")).to_have_count(here + 1)
    page.goto(f"{home}path/")
    onwards = route.locator(".lit-route__next")
    expect(onwards).to_have_attribute("href", re.compile(f"{stops[2]}$"))
    expect(onwards).to_contain_text("Go on")
    # It goes on after the last stop that was read, also if others were left out.
    page.evaluate(
        "stop => localStorage.setItem('literate.route', JSON.stringify([stop]))",
        stops[2],
    )
    page.reload()
    expect(onwards).to_have_attribute("href", re.compile(f"{stops[3]}$"))
    expect(onwards).to_contain_text("Go on")
    # It points in the direction of reading.
    for direction, arrow in (("ltr", "→"), ("rtl", "←")):
        page.evaluate("direction => { document.body.dir = direction; }", direction)
        drawn = onwards.evaluate("e => getComputedStyle(e, '::after').content")
        assert arrow in drawn
    # Another page is no stop.
    page.goto(f"{home}measured/")
    expect(route).to_have_count(0)
