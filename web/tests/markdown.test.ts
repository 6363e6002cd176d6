// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { highlighted } from "../src/text/highlight";
import { safeCode, safeHtml } from "../src/text/markdown";
import { rewriteTags } from "../src/text/tags";

function shown(markdown: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = safeHtml(markdown);
  return box;
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<ScRiPt src=//evil.example/x.js></sCrIpT>",
  '<img src=x onerror="alert(1)">',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  "<svg><script>alert(1)</script></svg>",
  "<svg/onload=alert(1)>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "<iframe src=javascript:alert(1)></iframe>",
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jAvA\tsCrIpT:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  "[x](javascript:alert(1))",
  "[x](<javascript:alert(1)>)",
  "![x](javascript:alert(1))",
  '![x](javascript:alert(1) "t")',
  "<javascript:alert(1)>",
  '<p style="background:url(//evil.example)">x</p>',
  "<style>@import '//evil.example';</style>",
  "<link rel=stylesheet href=//evil.example>",
  '<form action="//evil.example"><input name=key><button>Go</button></form>',
  '<details open ontoggle="alert(1)"><summary>x</summary></details>',
  '<b onmouseover="alert(1)" id="app" class="x" data-x="y" name="body">x</b>',
  '<video src="//evil.example" poster="//evil.example"></video>',
  "<base href=//evil.example>",
  "<meta http-equiv=refresh content='0;url=//evil.example'>",
  "<object data=//evil.example></object><embed src=//evil.example>",
  "`<script>alert(1)</script>`",
  '"><script>alert(1)</script>',
  "<b><script>alert(1)//</b>",
  "[x]: javascript:alert(1)\n\n[x]",
];

const ALLOWED = new Set([
  "align",
  "alt",
  "colspan",
  "href",
  "open",
  "rel",
  "rowspan",
  "src",
  "start",
  "target",
  "title",
]);

describe("hostile text", () => {
  it.each(HOSTILE)("does nothing: %s", (text) => {
    const box = shown(text);

    expect(
      box.querySelector(
        "script, style, iframe, object, embed, form, input, button, link, meta, base, svg, math, video",
      ),
    ).toBeNull();
    for (const element of box.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        expect(ALLOWED).toContain(name);
        if (name === "href" || name === "src") expect(value).toMatch(/^(https?:|mailto:|\/(?!\/)|#|data:image\/|$)/);
      }
    }
  });

  it("asks no other server for a picture", () => {
    const box = shown('![a map](https://evil.example/map.png) <img src="//evil.example/dot.gif" alt="dot">');

    expect(box.querySelector("img")).toBeNull();
    expect(box.querySelector("a")?.getAttribute("href")).toBe("https://evil.example/map.png");
    expect(box.textContent).toContain("Image: a map");
    expect(box.textContent).toContain("Image: dot");
  });

  it("never even reaches a parser with a handler or a style", () => {
    for (const text of HOSTILE) {
      const before = rewriteTags(text, ({ name }) => (name === "b" || name === "p" ? `<${name}>` : null));
      expect(before.replaceAll(/<(b|p)>/g, "")).not.toContain("<");
    }
  });

  it("shows tags without a meaning as they were typed", () => {
    expect(shown("Dear <Nova>, I <3 <script>x</script>").textContent?.trim()).toBe(
      "Dear <Nova>, I <3 <script>x</script>",
    );
  });
});

describe("Markdown", () => {
  it("becomes what it means", () => {
    const box = shown("*She nods.* **Yes.**\nNext line\n\n- one\n- two\n\n```\nlet x;\n```");

    expect(box.querySelector("em")?.textContent).toBe("She nods.");
    expect(box.querySelector("strong")?.textContent).toBe("Yes.");
    expect(box.querySelector("br")).not.toBeNull();
    expect(box.querySelectorAll("li")).toHaveLength(2);
    expect(box.querySelector("pre code")?.textContent).toBe("let x;\n");
  });

  it("keeps harmless tags of imported cards, without how they should look", () => {
    const box = shown(
      `<div style="color: red"><i class='x'>softly</i><br/>and <b title="a > b &amp; c">then</b> 1 < 2</div>`,
    );

    expect(box.querySelectorAll("div, i, br, b")).toHaveLength(4);
    expect(box.querySelector("b")?.title).toBe("a > b & c");
    expect(box.querySelector("[style], [class]")).toBeNull();
    expect(box.textContent).toBe("softlyand then 1 < 2");
  });

  it("says nothing of comments", () => {
    expect(shown("before <!-- <b>hidden</b> --> after").textContent?.trim()).toBe("before  after");
  });

  it("opens links elsewhere, and tells them nothing", () => {
    const link = shown("[x](https://example.org)").querySelector("a");

    expect([link?.target, link?.rel]).toEqual(["_blank", "noopener noreferrer nofollow"]);
  });

  it("shows pictures that are ours", () => {
    expect(shown("![x](/api/media/m1)").querySelector("img")?.getAttribute("src")).toBe("/api/media/m1");
  });
});

describe("code", () => {
  it("keeps the language of a block, and no other class", () => {
    expect(shown("```python\nx = 1\n```").querySelector("code")?.className).toBe("language-python");
    expect(shown('<code class="danger">x</code> <span class="hljs-string">y</span>').querySelector("[class]")).toBeNull();
  });

  it("is highlighted in known languages, and stays text", () => {
    const html = highlighted('print("<img src=x onerror=alert(1)>")', "python") ?? "";
    const box = document.createElement("div");
    box.innerHTML = html;

    expect(box.querySelector(".hljs-string")).not.toBeNull();
    expect(box.querySelector("img")).toBeNull();
    expect(box.textContent).toBe('print("<img src=x onerror=alert(1)>")');
    expect(highlighted("x", "no-such-language")).toBeNull();
  });

  it("is nothing but tokens", () => {
    expect(safeCode('<span class="hljs-title function_">f</span><b onclick="x">g</b><span class="evil">h</span>')).toBe(
      '<span class="hljs-title function_">f</span>g<span>h</span>',
    );
  });
});
