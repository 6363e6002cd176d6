// What JavaScript clients do with a running Everlore: each feature of each client, one JSON object at the end.
// Run by scripts/clients/run.py in the folder into which the packages were installed: node in_node.mjs URL
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/package.json`);
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const url = process.argv[2];
const model = "everlore/nova";
const TEXT = "The ferry leaves at dawn.";
const SEES = "I see a picture.";
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

function expect(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(found)}`.slice(0, 200));
}

function versionOf(name) {
  return JSON.parse(readFileSync(`${process.cwd()}/node_modules/${name}/package.json`, "utf8")).version;
}

async function withOpenai() {
  const { default: OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
  const ask = (content, more = {}) =>
    client.chat.completions.create({ model, messages: [{ role: "user", content }], ...more });
  const tool = {
    type: "function",
    function: { name: "weather", parameters: { type: "object", properties: { place: { type: "string" } } } },
  };
  const schema = { type: "object", properties: { name: { type: "string" }, leaves_at: { type: "number" } } };
  return {
    chat: async () => expect((await ask("When?")).choices[0].message.content, TEXT),
    stream: async () => {
      let text = "";
      for await (const chunk of await ask("When?", { stream: true })) text += chunk.choices[0]?.delta?.content ?? "";
      expect(text, TEXT);
    },
    tools: async () => {
      const first = (await ask("Weather?", { tools: [tool] })).choices[0].message;
      const result = { role: "tool", tool_call_id: first.tool_calls[0].id, content: "rain" };
      const messages = [{ role: "user", content: "Weather?" }, first, result];
      const answer = await client.chat.completions.create({ model, messages, tools: [tool] });
      expect(answer.choices[0].message.content, TEXT);
    },
    forms: async () => {
      const form = { type: "json_schema", json_schema: { name: "ferry", schema } };
      const made = await ask("Which?", { response_format: form });
      expect(JSON.parse(made.choices[0].message.content), { name: "Oslo", leaves_at: 7 });
    },
    pictures: async () => {
      const parts = [{ type: "text", text: "What is this?" }, { type: "image_url", image_url: { url: PIXEL } }];
      expect((await ask(parts)).choices[0].message.content, SEES);
    },
    embeddings: async () => expect((await client.embeddings.create({ model: "any", input: ["a"] })).data.length, 1),
    errors: async () => {
      const error = await ask("fail with 429").catch((each) => each);
      expect(error.status, 429);
    },
    responses: async () => expect((await client.responses.create({ model, input: "When?" })).output_text, TEXT),
  };
}

async function withAiSdk() {
  const { generateText, streamText, generateObject, embed, tool, stepCountIs } = await load("ai");
  const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
  const { z } = await load("zod");
  const everlore = createOpenAICompatible({
    name: "everlore",
    baseURL: `${url}/v1`,
    apiKey: "unused",
    supportsStructuredOutputs: true,
  });
  const nova = everlore(model);
  return {
    chat: async () => expect((await generateText({ model: nova, prompt: "When?" })).text, TEXT),
    stream: async () => {
      let text = "";
      for await (const piece of streamText({ model: nova, prompt: "When?" }).textStream) text += piece;
      expect(text, TEXT);
    },
    tools: async () => {
      const weather = tool({ inputSchema: z.object({ place: z.string() }), execute: async () => "rain" });
      const asked = { model: nova, prompt: "Weather?", tools: { weather }, stopWhen: stepCountIs(3) };
      expect((await generateText(asked)).text, TEXT);
    },
    forms: async () => {
      const schema = z.object({ name: z.string(), leaves_at: z.number() });
      const made = await generateObject({ model: nova, schema, prompt: "Which?" });
      expect(made.object, { name: "Oslo", leaves_at: 7 });
    },
    pictures: async () => {
      const content = [{ type: "text", text: "What is this?" }, { type: "image", image: PIXEL }];
      expect((await generateText({ model: nova, messages: [{ role: "user", content }] })).text, SEES);
    },
    embeddings: async () => {
      const made = await embed({ model: everlore.textEmbeddingModel("any"), value: "a" });
      if (!made.embedding.length) throw new Error("no vector");
    },
    errors: async () => {
      const error = await generateText({ model: nova, prompt: "fail with 429", maxRetries: 0 }).catch((each) => each);
      expect(error.statusCode, 429);
    },
  };
}

async function withInspector() {
  const bin = `${process.cwd()}/node_modules/.bin/mcp-inspector`;
  const ask = (...args) => execFileSync(bin, ["--cli", `${url}/mcp`, "--transport", "http", ...args], { encoding: "utf8" });
  return {
    tools: async () => {
      if (!ask("--method", "tools/list").includes("search_memories")) throw new Error("no tools");
      const told = ask("--method", "tools/call", "--tool-name", "list_characters");
      if (!told.includes("Nova")) throw new Error(told.slice(0, 200));
    },
  };
}

const found = {};
for (const [name, make] of [["openai", withOpenai], ["ai", withAiSdk], ["@modelcontextprotocol/inspector", withInspector]]) {
  const features = {};
  for (const [feature, run] of Object.entries(await make())) {
    features[feature] = await run().then(() => "yes", (error) => `${error.name}: ${error.message}`.slice(0, 400));
  }
  found[`${name === "ai" ? "AI SDK" : name} ${versionOf(name)} (JavaScript)`] = features;
}
console.log(JSON.stringify(found));
process.exit(0);
