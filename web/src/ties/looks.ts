/** The kinds of dots and lines in the relationship graph, with their names for the legend. */
export const LOOKS = {
  user: "You",
  person: "People",
  npc: "Story characters",
  location: "Places",
  item: "Items",
  faction: "Groups",
  creature: "Creatures",
  event: "Events",
  other: "Other",
} as const;

export type Look = keyof typeof LOOKS;

export const LINES = { bond: "Shared memories and chats", tie: "Relationship in a campaign" } as const;

export type LineKind = keyof typeof LINES;

export const lookOf = (kind: string): Look => (kind in LOOKS ? (kind as Look) : "other");

export interface Legend {
  dots: Look[];
  lines: LineKind[];
  hasHidden: boolean;
}

/** Only what is drawn. */
export function legendOf(
  nodes: readonly { look: Look; hidden?: boolean }[],
  ties: readonly { directed: boolean }[],
): Legend {
  const looks = new Set(nodes.map(({ look }) => look));
  const kinds = new Set(ties.map(lineOf));
  return {
    dots: (Object.keys(LOOKS) as Look[]).filter((look) => looks.has(look)),
    lines: (Object.keys(LINES) as LineKind[]).filter((kind) => kinds.has(kind)),
    hasHidden: nodes.some(({ hidden }) => hidden),
  };
}

export const lineOf = ({ directed }: { directed: boolean }): LineKind => (directed ? "tie" : "bond");
