/** The commands of the palette, with the words that people type for them. */
import type { App } from "../state/app.svelte";
import type { Entry } from "./entries";

export function actionsOf(app: App): Entry[] {
  return [...chatActions(app), ...appActions(app)];
}

function action(label: string, icon: Entry["icon"], also: string, run: () => unknown): Entry {
  return { id: label.replaceAll(/\W+/g, "-"), group: "Actions", label, icon, also, run };
}

/** What can be done with the open chat. */
function chatActions(app: App): Entry[] {
  const { here, thread } = app;
  if (!here || !thread) return [];
  const { id, private: isPrivate } = here;
  return [
    action("Chat details", "info", "settings model characters config info", () => app.side.show("context")),
    action("Show full prompt", "frame_inspect", "xray x-ray context tokens", () => app.togglePrompt()),
    action("Analyze this chat", "insights", "analyse themes tone summary", () => (app.sheet = { kind: "analysis", conversationId: id })),
    action(
      isPrivate ? "Make this chat not private" : "Make this chat private",
      "lock",
      "private incognito temporary secret",
      () => app.chats.change(id, { config: { private: !isPrivate } }),
    ),
  ];
}

function appActions(app: App): Entry[] {
  const { appearance, demo, learnt, route, side } = app;
  const settings = (part: string) => () => route.go("settings", { part });
  return [
    action("New chat", "add_comment", "create start conversation talk", () => route.go("home")),
    action("Create a character", "person_add", "new add person bot", () => (app.sheet = { kind: "character" })),
    action("Create a campaign", "map", "new add game story session", () => route.go("campaigns")),
    action("Add a memory", "psychology", "new create remember note fact", () => (app.sheet = { kind: "memory", memory: null })),
    action("Connect a model", "neurology", "llm ollama openai api key provider server", settings("models")),
    action("Import", "upload_file", "upload restore load card chat workspace file sillytavern", settings("data")),
    action("Export", "download", "backup download save copy workspace file", settings("data")),
    appearance.theme === "dark"
      ? action("Switch to the light theme", "palette", "theme bright day mode dark appearance color", () => appearance.setTheme("light"))
      : action("Switch to the dark theme", "palette", "theme night mode light appearance color", () => appearance.setTheme("dark")),
    action("Use the system theme", "palette", "theme automatic dark light appearance color", () => appearance.setTheme("system")),
    action(
      appearance.contrast ? "Turn off high contrast" : "Turn on high contrast",
      "visibility",
      "theme accessibility appearance color",
      () => appearance.setContrast(!appearance.contrast),
    ),
    action(
      learnt.on ? "Turn off new memory messages" : "Turn on new memory messages",
      "psychology",
      "notify notifications toast learned",
      () => learnt.switch(!learnt.on),
    ),
    action(
      side.expanded ? "Collapse sidebar" : "Expand sidebar",
      side.expanded ? "chevron_left" : "chevron_right",
      "rail labels navigation menu",
      () => side.toggleRail(),
    ),
    ...(demo.here === null
      ? []
      : [
          demo.here
            ? action("Remove the demo", "delete", "sample example world delete tamsin", () => demo.confirmRemove(app))
            : action("Open the demo", "travel_explore", "sample example world try", async () => {
                if (await demo.open()) route.go("home");
              }),
        ]),
  ];
}
