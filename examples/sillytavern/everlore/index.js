/**
 * Everlore beside SillyTavern: a chat is always its own conversation, what is asked beside the talk is kept nowhere, a chat
 * can be private, and under the last reply stands what it rests on.
 *
 * SillyTavern asks for replies itself, through "Custom (OpenAI-compatible)"; this adds headers to those requests.
 */

const NAME = "everlore";
const SESSION = "X-Conversation-Session-Id";
const MEMORY = "X-Everlore-Memory";
const BESIDE_THE_TALK = ["quiet", "impersonate"];
const USUAL = { url: "http://127.0.0.1:8420", token: "" };

const st = () => SillyTavern.getContext();

function settings() {
  const all = st().extensionSettings;
  all[NAME] = { ...USUAL, ...all[NAME] };
  return all[NAME];
}

// ── requests ─────────────────────────────────────────────────────────────────────────────────────

async function mark(request) {
  if (request.chat_completion_source !== "custom" || !isOurs(request.custom_url)) return;
  if (st().groupId && (await isKnown(request.char_name))) request.model = `everlore/${request.char_name}`;
  const headers = headersOf(request, isPrivate(), await sessionOf(request.model));
  // SillyTavern reads them as YAML.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  request.custom_include_headers = [request.custom_include_headers, ...lines].filter(Boolean).join("\n");
}

function headersOf(request, isOff, session) {
  if (isOff) return { [MEMORY]: "none" };
  return BESIDE_THE_TALK.includes(request.type) ? { [MEMORY]: "read" } : { [SESSION]: session };
}

function isOurs(url) {
  const ours = settings().url.replace(/\/+$/, "");
  return Boolean(ours) && String(url).startsWith(`${ours}/`);
}

/** Kept with the chat, so that it may be renamed; a branch of it is another chat. Each character has its own. */
async function sessionOf(model) {
  const { chatMetadata, getCurrentChatId, saveMetadata, uuidv4 } = st();
  const chat = getCurrentChatId();
  const kept = chatMetadata[NAME] ?? {};
  const isBranch = kept.chat !== chat && chatMetadata.main_chat === kept.chat;
  if (!kept.session || isBranch || kept.chat !== chat) {
    chatMetadata[NAME] = { ...kept, chat, session: kept.session && !isBranch ? kept.session : uuidv4() };
    await saveMetadata();
  }
  return `${chatMetadata[NAME].session}:${plain(model)}`;
}

/** An id is made of plain letters. */
function plain(model) {
  return Array.from(String(model), (each) => (/[\w.-]/.test(each) ? each : `~${each.codePointAt(0).toString(16)}`)).join("");
}

const known = new Map();

async function isKnown(name) {
  if (!known.get(name)) known.set(name, Boolean(await asked(`models/${encodeURIComponent(name)}`)));
  return known.get(name);
}

async function asked(path) {
  const { url, token } = settings();
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  try {
    const answer = await fetch(`${url.replace(/\/+$/, "")}/v1/${path}`, { headers });
    return answer.ok ? await answer.json() : undefined;
  } catch (failure) {
    console.warn("Everlore does not answer. Does EVERLORE_SERVER__ORIGINS name this page?", failure);
    return undefined;
  }
}

// ── what a reply rests on ────────────────────────────────────────────────────────────────────────

async function showGrounds(messageId, type) {
  const { chatCompletionSettings, getChatCompletionModel, groupId, chat } = st();
  document.querySelectorAll(".everlore-grounds").forEach((each) => each.remove());
  if (type === "first_message" || chatCompletionSettings.chat_completion_source !== "custom") return;
  if (!isOurs(chatCompletionSettings.custom_url) || isPrivate()) return;
  const name = chat[messageId]?.name;
  const model = groupId && (await isKnown(name)) ? `everlore/${name}` : getChatCompletionModel();
  const found = await asked(`conversations/${encodeURIComponent(await sessionOf(model))}/grounds`);
  const block = document.querySelector(`#chat .mes[mesid="${Number(messageId)}"] .mes_block`);
  if (found && block) block.append(groundsOf(found.data));
}

function groundsOf(grounds) {
  const details = element("details", { className: "everlore-grounds" });
  const title = grounds.length ? `Rests on ${grounds.length} things from Everlore` : "Rests on nothing from Everlore";
  const list = element("ul");
  for (const { content, kind, why } of grounds) {
    const words = element("span", { textContent: content || "(This has been deleted since.)" });
    list.append(element("li", {}, words, element("small", { textContent: `${kind}: ${why}` })));
  }
  details.append(element("summary", { textContent: title }), list);
  return details;
}

// ── the panel ────────────────────────────────────────────────────────────────────────────────────

function isPrivate() {
  return Boolean(st().chatMetadata[NAME]?.private);
}

async function setPrivate(isOff) {
  const { chatMetadata, saveMetadata } = st();
  chatMetadata[NAME] = { ...chatMetadata[NAME], private: isOff };
  await saveMetadata();
}

function panel() {
  const secret = input("everlore_private", "checkbox", (field) => void setPrivate(field.checked));
  const content = element(
    "div",
    { className: "inline-drawer-content everlore-settings" },
    labelled("Everlore's address", input("everlore_url", "url", (field) => set("url", field.value), settings().url)),
    labelled("Token, where it asks for one", input("everlore_token", "password", (field) => set("token", field.value), settings().token)),
    labelled("Private: this chat is neither remembered nor recalled from", secret),
  );
  const head = element(
    "div",
    { className: "inline-drawer-toggle inline-drawer-header" },
    element("b", { textContent: "Everlore" }),
    element("div", { className: "inline-drawer-icon fa-solid fa-circle-chevron-down down" }),
  );
  document.querySelector("#extensions_settings2")?.append(element("div", { className: "inline-drawer" }, head, content));
  return secret;
}

function set(name, value) {
  settings()[name] = value.trim();
  known.clear();
  st().saveSettingsDebounced();
}

function labelled(text, field) {
  return element("label", {}, element("span", { textContent: text }), field);
}

function input(id, type, heed, value = "") {
  const field = element("input", { id, type, value, className: type === "checkbox" ? "" : "text_pole" });
  field.addEventListener("input", () => heed(field));
  return field;
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// ── beginning ────────────────────────────────────────────────────────────────────────────────────

const { eventSource, eventTypes } = st();
const switchOfPrivate = panel();
eventSource.on(eventTypes.CHAT_COMPLETION_SETTINGS_READY, mark);
// SillyTavern waits for whoever listens.
eventSource.on(eventTypes.CHARACTER_MESSAGE_RENDERED, (messageId, type) => void showGrounds(messageId, type));
eventSource.on(eventTypes.CHAT_CHANGED, () => {
  switchOfPrivate.checked = isPrivate();
});
