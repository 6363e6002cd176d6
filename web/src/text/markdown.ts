/**
 * Markdown of models, users and imported cards, made into HTML that is safe to show.
 *
 * Whatever the text says: no scripts, no styles, no forms, and no address is asked without a click. Images that lie
 * elsewhere become links, because loading them would tell a stranger who reads what, and when. Tags that mean
 * nothing here are shown as they were typed.
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { escaped, rewriteTags, type Tag } from "./tags";

const TAGS = new Set(
  (
    "a abbr b blockquote br center code del details div em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre " +
    "q s small span strong sub summary sup table tbody td th thead tr u ul"
  ).split(" "),
);
const ATTRIBUTES = ["align", "alt", "colspan", "href", "open", "rowspan", "src", "start", "title"];
const ADDRESSES = /^(?:https?:|mailto:|\/(?!\/)|#|data:image\/(?:png|jpeg|gif|webp|avif);)/i;
const LANGUAGE = /^language-[\w+#.-]{1,30}$/;
const TOKEN = /^(?:hljs-[\w-]+|[\w-]+_)(?: (?:hljs-[\w-]+|[\w-]+_))*$/;
const OUR_IMAGES = /^(?:\/api\/media\/|data:image\/)/i;

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    html: ({ text }) => rewriteTags(text, written),
    image: ({ href, text }) => image(escaped(href), escaped(text)),
  },
});
const purify = DOMPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "IMG" && !OUR_IMAGES.test(node.getAttribute("src") ?? "")) node.removeAttribute("src");
  if (node.nodeName === "A" && node.hasAttribute("href")) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** The language of a code block is the only class that text may have. */
purify.addHook("uponSanitizeAttribute", (node, attribute) => {
  if (attribute.attrName !== "class") return;
  const isLanguage = node.nodeName === "CODE" && LANGUAGE.test(attribute.attrValue);
  const isToken = node.nodeName === "SPAN" && TOKEN.test(attribute.attrValue);
  attribute.keepAttr = isLanguage || (isToken && isCode);
});

let isCode = false;

/** Highlighted code: nothing but spans with the classes of tokens. */
export function safeCode(html: string): string {
  isCode = true;
  try {
    return purify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"] });
  } finally {
    isCode = false;
  }
}

export function safeHtml(markdown: string): string {
  return purify.sanitize(marked.parse(markdown) as string, {
    ALLOWED_TAGS: [...TAGS],
    ALLOWED_ATTR: [...ATTRIBUTES, "class"],
    ALLOWED_URI_REGEXP: ADDRESSES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function written({ name, closing, attributes }: Tag): string | null {
  if (!TAGS.has(name)) return null;
  if (closing) return `</${name}>`;
  if (name === "img") return image(quoted(attributes["src"]), quoted(attributes["alt"]));
  const kept = ATTRIBUTES.filter((each) => each in attributes).map((each) => ` ${each}="${quoted(attributes[each])}"`);
  return `<${name}${kept.join("")}>`;
}

/** Both as they stand in an attribute. */
function image(address: string, description: string): string {
  if (OUR_IMAGES.test(address)) return `<img src="${address}" alt="${description}">`;
  return `<a href="${address}">Image: ${description || "no description"}</a>`;
}

/** A value that came out of HTML has its entities already. */
function quoted(value = ""): string {
  return value.replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
