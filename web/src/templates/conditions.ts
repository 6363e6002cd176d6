/** When a section is used, in words. The server's names for it are in `everlore.domain.condition`. */

const CLAIMS: [name: string, claim: string][] = [
  ["hasMemories", "memories were found"],
  ["hasSummary", "older messages are summarized"],
  ["includeScene", "the scene is included"],
  ["hasCampaign", "the chat belongs to a campaign"],
  ["hasEpisodes", "the chat has story stages"],
  ["useNLP", "the writing style is repeated"],
  ["supportsMedia", "images or speech can be requested"],
  ["hasImageTags", "image tags are set"],
  ["hasTools", "the model has tools"],
  ["isGuest", "a guest is chatting"],
];

export interface ConditionChoice {
  value: string;
  label: string;
}

export const CUSTOM = "custom";
export const CHOICES: ConditionChoice[] = [
  { value: "always", label: "Always" },
  ...CLAIMS.map(([value, claim]) => ({ value, label: `Only if ${claim}` })),
  ...CLAIMS.map(([name, claim]) => ({ value: `not ${name}`, label: `Not if ${claim}` })),
];
export const NAMES = CLAIMS.map(([name]) => name);

/** One line that says when a section is used; empty for always. */
export function conditionLabel(condition: string): string {
  if (condition === "always") return "";
  return CHOICES.find(({ value }) => value === condition)?.label ?? `If ${condition}`;
}
