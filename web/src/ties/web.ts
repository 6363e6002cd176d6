/**
 * The relationships of the workspace, prepared for the graph and the list. Pure functions.
 *
 * A bond connects two people by what they share. A tie connects two entities of a campaign; an entity that is a person is
 * shown as that person. Start at `woven`.
 */
import type { Entity, Tie } from "../api/campaigns";
import type { Bond, GraphOfAll, Partner } from "../api/types";
import { relationName } from "../happened/labels";
import { addressOf } from "../places";
import { USER_ID } from "../state/people.svelte";
import { counted } from "../text/numbers";
import { type Look, lookOf } from "./looks";

export interface Node {
  id: string;
  name: string;
  href: string;
  look: Look;
  hidden?: boolean;
}

export interface Thread {
  id: string;
  kind: "bond" | "tie";
  source_id: string;
  target_id: string;
  words: string;
  directed: boolean;
  weight: number;
  evidence: string;
  /** From when to when it is true, or when something new happened last. */
  since: string | null;
  until: string | null;
  last_at: string | null;
  campaign_id: string | null;
  /** The page with the details. */
  href: string;
}

export interface Web {
  nodes: Node[];
  threads: Thread[];
}

/** Empty means not set. `tie` is the selected one. */
export interface Filter {
  person: string;
  kind: string;
  words: string;
  tie: string;
}

export function filterOf(query: URLSearchParams): Filter {
  const of = (name: string) => query.get(name) ?? "";
  return { person: of("person"), kind: of("kind"), words: of("words"), tie: of("tie") };
}

export function woven({ bonds, entities, ties }: GraphOfAll, nameOf: (id: string) => string): Web {
  const places = new Map(entities.map((entity) => [entity.id, entity.person_id ?? entity.id]));
  const most = Math.max(1, ...bonds.map(sumOf));
  const threads = [
    ...bonds.map((bond) => bonded(bond, most)),
    ...ties.map((tie) => tied(tie, places)),
  ].filter(({ source_id, target_id }) => source_id !== target_id);
  const nodes = new Map<string, Node>();
  for (const id of bonds.flatMap(({ one_id, other_id }) => [one_id, other_id])) nodes.set(id, personNode(id, nameOf));
  for (const entity of entities) {
    const id = entity.person_id ?? entity.id;
    if (!nodes.has(id)) nodes.set(id, entity.person_id ? personNode(id, nameOf) : entityNode(entity));
  }
  return { nodes: [...nodes.values()], threads };
}

/** Filters by person, by kind, and by a part of a name or text. */
export function narrowed({ nodes, threads }: Web, { person, kind, words }: Filter): Web {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const wanted = words.trim().toLowerCase();
  const kept = threads.filter((thread) => {
    const ends = [thread.source_id, thread.target_id];
    const text = [...ends.map((id) => names.get(id) ?? ""), thread.words, thread.evidence].join(" ").toLowerCase();
    return (!person || ends.includes(person)) && (!kind || thread.kind === kind) && text.includes(wanted);
  });
  const shown = new Set(kept.flatMap(({ source_id, target_id }) => [source_id, target_id]));
  return { nodes: nodes.filter(({ id }) => shown.has(id)), threads: kept };
}

/** Updates the bonds of one person with how many memories they now share, and with whom. */
export function rebound(bonds: Bond[], personId: string, partners: Partner[]): Bond[] {
  const shared = new Map(partners.map((each) => [each.person_id, each]));
  const known = new Set<string>();
  const kept = bonds.flatMap((bond): Bond[] => {
    if (bond.one_id !== personId && bond.other_id !== personId) return [bond];
    const other = bond.one_id === personId ? bond.other_id : bond.one_id;
    known.add(other);
    const partner = shared.get(other);
    const memories = partner?.memories ?? 0;
    if (memories + bond.talks + bond.interactions === 0) return [];
    return [{ ...bond, memories, last_at: later(bond.last_at, partner?.last_at) }];
  });
  const fresh = partners
    .filter(({ person_id }) => !known.has(person_id))
    .map(({ person_id, memories, last_at }): Bond => {
      const [one_id, other_id] = [personId, person_id].toSorted() as [string, string];
      return { one_id, other_id, memories, talks: 0, interactions: 0, last_at };
    });
  return [...kept, ...fresh];
}

function personNode(id: string, nameOf: (id: string) => string): Node {
  return { id, name: nameOf(id), href: addressOf("person", { id }), look: id === USER_ID ? "user" : "person" };
}

function entityNode({ id, name, kind, campaign_id, is_spoiler }: Entity): Node {
  const href = addressOf("campaigns", { id: campaign_id ?? "", part: "world", item: id });
  return { id, name, href, look: lookOf(kind), hidden: is_spoiler };
}

function bonded(bond: Bond, most: number): Thread {
  const { one_id, other_id, last_at } = bond;
  return {
    id: `${one_id} ${other_id}`,
    kind: "bond",
    source_id: one_id,
    target_id: other_id,
    words: sharedBy(bond),
    directed: false,
    weight: sumOf(bond) / most,
    evidence: "",
    since: null,
    until: null,
    last_at,
    campaign_id: null,
    href: bond.memories
      ? addressOf("memories", {}, { person: one_id, partner: other_id })
      : addressOf("timeline", {}, { person: one_id }),
  };
}

function tied(tie: Tie, places: Map<string, string>): Thread {
  const place = (id: string) => places.get(id) ?? id;
  return {
    id: tie.id,
    kind: "tie",
    source_id: place(tie.source_id),
    target_id: place(tie.target_id),
    words: relationName(tie.type),
    directed: true,
    weight: 0.1,
    evidence: tie.evidence,
    since: tie.valid_from,
    until: tie.valid_to,
    last_at: null,
    campaign_id: tie.campaign_id,
    href: addressOf("campaigns", { id: tie.campaign_id ?? "", part: "world", item: tie.source_id }),
  };
}

const sumOf = ({ memories, talks, interactions }: Bond): number => memories + talks + interactions;

/** "3 memories, 1 chat". */
function sharedBy({ memories, talks, interactions }: Bond): string {
  const parts: [number, string, string][] = [
    [memories, "memory", "memories"],
    [talks, "chat", "chats"],
    [interactions, "interaction", "interactions"],
  ];
  return parts
    .filter(([number]) => number)
    .map(([number, one, many]) => counted(number, one, many))
    .join(", ");
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && Date.parse(other) > Date.parse(one) ? other : one;
}
