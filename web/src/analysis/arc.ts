/**
 * The course of a conversation's mood as a line: bright words stand high, dark ones low, and what is neither in between.
 *
 * In: the steps in the words of the analysis. Out: a place for each, and the path through them. Start at `arcOf`.
 */
export interface Step {
  text: string;
  x: number;
  y: number;
}

const BRIGHT = new Set(
  (
    "affection affectionate amused amusement calm camaraderie celebration celebratory cheer cheerful closeness comfort " +
    "confident content cozy curious delight delighted eager ease elated encouraged enthusiasm enthusiastic excited " +
    "excitement fond friendly fun gentle glad gratitude grateful happiness happy harmony hope hopeful humor humour inspired intimacy " +
    "intimate joy joyful laughter lighthearted love loving optimism optimistic peace peaceful playful playfulness " +
    "pleased pride proud reassured reconciled reconciliation relaxed relief relieved reunion romance romantic safe " +
    "satisfied serene tender tenderness thrilled triumph triumphant trust trusting warm warmth welcoming wonder"
  ).split(" "),
);
const DARK = new Set(
  (
    "afraid aggression alarm alienation anger angry anguish annoyance annoyed anxiety anxious apprehension argument " +
    "bitter bitterness betrayal betrayed bleak cold conflict confrontation confused confusion danger defensive desperate " +
    "despair disappointed disappointment distance distant distress distrust doubt dread embarrassed embarrassment " +
    "fear fearful frustrated frustration fury gloom grief guilt guilty heartbreak hostile hostility hurt irritated " +
    "irritation isolated jealous jealousy lonely loneliness loss melancholy mistrust mourning nervous outrage pain " +
    "panic quarrel rage regret remorse resentment restless sad sadness scared shame shock sorrow stress suspicion " +
    "suspicious tense tension terror uneasy unease upset vengeful wary wariness worried worry"
  ).split(" "),
);
const NOTHING = new Set(["no", "not", "without", "less"]);

/** From -1, dark, to 1, bright; 0 for words that say neither, or both. */
export function moodOf(text: string): number {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const found: number[] = words.flatMap((word, at) => {
    const mood = BRIGHT.has(word) ? 1 : DARK.has(word) ? -1 : 0;
    return mood ? [NOTHING.has(words[at - 1] ?? "") ? -mood : mood] : [];
  });
  return found.length ? found.reduce((sum, each) => sum + each, 0) / found.length : 0;
}

/** Places in a box of that size, with a margin around them. */
export function arcOf(texts: readonly string[], width: number, height: number, margin: number): Step[] {
  const across = texts.length > 1 ? (width - 2 * margin) / (texts.length - 1) : 0;
  return texts.map((text, at) => ({
    text,
    x: texts.length > 1 ? margin + at * across : width / 2,
    y: height / 2 - moodOf(text) * (height / 2 - margin),
  }));
}

/** A soft line through the steps. */
export function pathOf(steps: readonly Step[]): string {
  return steps
    .map(({ x, y }, at) => {
      const before = steps[at - 1];
      if (!before) return `M${x} ${y}`;
      const middle = (before.x + x) / 2;
      return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
    })
    .join("");
}
