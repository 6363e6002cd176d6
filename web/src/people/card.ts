/** A card being edited: its fields, and what was changed. */
import type { Character, CharacterChanges } from "../api/types";

/** `lines`: the height of the text field. */
export interface CardField {
  name: "description" | "personality" | "scenario" | "speech_pattern" | "emotional_tendency" | "example_dialogue" | "description_public" | "description_light";
  label: string;
  hint: string;
  lines: number;
}

export const TEXTS: CardField[] = [
  { name: "description", label: "Description", hint: "Looks, background, people, places.", lines: 4 },
  { name: "personality", label: "Personality", hint: "Dry humor, fiercely loyal, never admits to being cold.", lines: 3 },
  { name: "scenario", label: "Scenario", hint: "Where and why you meet.", lines: 2 },
  { name: "speech_pattern", label: "Speaking style", hint: "Short sentences, sailor's slang.", lines: 2 },
  { name: "emotional_tendency", label: "Mood", hint: "Quick to laugh, slow to trust.", lines: 2 },
  { name: "example_dialogue", label: "Example dialogue", hint: "{{user}}: …\n{{char}}: …", lines: 3 },
  { name: "description_light", label: "Short description", hint: "Used when the prompt is short on space.", lines: 2 },
  { name: "description_public", label: "Public info", hint: "Shown to guests and on the People page.", lines: 2 },
];

export const LINES = [
  ["pronouns", "Pronouns"],
  ["gender", "Gender"],
  ["race", "Race"],
] as const;

/** Low values of the first two make a character let secrets slip. */
export const STATISTICS = [
  ["intelligence", "Intelligence"],
  ["mental_strength", "Mental strength"],
  ["charisma", "Charisma"],
] as const;

/** All editable fields, as the inputs hold them. */
export interface Card {
  name: string;
  age: string;
  lines: Record<(typeof LINES)[number][0], string>;
  texts: Record<CardField["name"], string>;
  greetings: string[];
  statistics: Record<(typeof STATISTICS)[number][0], string>;
  tags: string;
}

export function cardOf(person: Character): Card {
  const statistic = (name: string) => String(person.statistics[name] ?? "");
  return {
    name: person.name,
    age: person.age === null ? "" : String(person.age),
    lines: { pronouns: person.pronouns, gender: person.gender, race: person.race },
    texts: Object.fromEntries(TEXTS.map(({ name }) => [name, person[name]])) as Card["texts"],
    greetings: person.greetings.length ? [...person.greetings] : [""],
    statistics: {
      intelligence: statistic("intelligence"),
      mental_strength: statistic("mental_strength"),
      charisma: statistic("charisma"),
    },
    tags: person.tags.join(", "),
  };
}

/** Takes over changes made elsewhere into the fields the user has not touched. */
export function followed(card: Card, before: Card, now: Card): Card {
  const untouched = (mine: unknown, was: unknown) => JSON.stringify(mine) === JSON.stringify(was);
  const follow = <T extends object>(mine: T, was: T, is: T): T => {
    const of = (name: string) => name as keyof T;
    const field = (name: string) => (untouched(mine[of(name)], was[of(name)]) ? is[of(name)] : mine[of(name)]);
    return Object.fromEntries(Object.keys(mine).map((name) => [name, field(name)])) as T;
  };
  return {
    ...follow(card, before, now),
    lines: follow(card.lines, before.lines, now.lines),
    texts: follow(card.texts, before.texts, now.texts),
    statistics: follow(card.statistics, before.statistics, now.statistics),
  };
}

/** The changes to save. Statistics that are not shown stay as they are. */
export function changesOf(card: Card, person: Character): CharacterChanges {
  const statistics: Record<string, unknown> = { ...person.statistics };
  for (const [name, value] of Object.entries(card.statistics)) {
    if (value.trim() === "") delete statistics[name];
    else statistics[name] = Number(value);
  }
  return {
    ...card.lines,
    ...card.texts,
    name: card.name.trim(),
    age: card.age.trim() === "" ? null : Number(card.age),
    greetings: card.greetings.filter((each) => each.trim() !== ""),
    statistics,
    tags: card.tags
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
  } as CharacterChanges;
}

/** The texts whose tokens are counted, by name. */
export function countedIn(card: Card): Record<string, string> {
  const greetings = card.greetings.map((text, at) => [`greeting ${at}`, text]);
  return { ...card.texts, ...(Object.fromEntries(greetings) as Record<string, string>) };
}
