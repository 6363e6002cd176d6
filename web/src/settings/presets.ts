/** Model servers that people use, with their usual addresses. */
import type { ModelWish } from "../api/house";

export interface Preset {
  name: string;
  provider: ModelWish["provider"];
  address: string;
  /** Whether the server wants an API key. */
  needsKey: boolean;
  help: string;
}

export const PRESETS: readonly Preset[] = [
  {
    name: "Ollama",
    provider: "ollama",
    address: "http://127.0.0.1:11434",
    needsKey: false,
    help: "Runs on your computer. Start Ollama and pull a model first.",
  },
  {
    name: "LM Studio",
    provider: "openai",
    address: "http://127.0.0.1:1234/v1",
    needsKey: false,
    help: "Runs on your computer. Load a model and start the server in LM Studio.",
  },
  {
    name: "llama.cpp",
    provider: "openai",
    address: "http://127.0.0.1:8080/v1",
    needsKey: false,
    help: "Runs on your computer. Start llama-server with a model.",
  },
  {
    name: "OpenAI",
    provider: "openai",
    address: "https://api.openai.com/v1",
    needsKey: true,
    help: "Messages are sent to OpenAI. You need an API key.",
  },
  {
    name: "OpenRouter",
    provider: "openai",
    address: "https://openrouter.ai/api/v1",
    needsKey: true,
    help: "Many models with one API key. Messages are sent to OpenRouter.",
  },
  {
    name: "Other",
    provider: "openai",
    address: "",
    needsKey: true,
    help: "Any OpenAI-compatible server. Its address usually ends in /v1.",
  },
];

/** The address with the scheme that people leave out: `localhost:11434`, `api.openai.com/v1`. */
export function withScheme(typed: string): string {
  const address = typed.trim();
  if (!address || address.includes("://")) return address;
  const host = address.split(/[:/]/, 1)[0] ?? "";
  const isNear = !host.includes(".") || /^[\d.]+$/.test(host) || host.endsWith(".local");
  return `${isNear ? "http" : "https"}://${address}`;
}

/** The preset of an address, or "Other". Ollama may be on another computer, but its address has no path. */
export function presetFor(provider: string, address: string): Preset {
  const plain = address.replace(/\/+$/, "");
  const other = PRESETS[PRESETS.length - 1] as Preset;
  if (provider === "ollama" && plain && !/^https?:\/\/[^/]+\/./.test(plain)) return PRESETS[0] as Preset;
  return PRESETS.find((preset) => preset.address === plain && preset.provider === provider) ?? other;
}
