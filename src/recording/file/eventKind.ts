/** How a timeline prints a kind of event, and whether it is a decision, which a replay has to reproduce. */
export interface EventKind {
  readonly words: string;
  readonly isDecision: boolean;
}

export function decision(words: string): EventKind {
  return { words, isDecision: true };
}

export function report(words: string): EventKind {
  return { words, isDecision: false };
}
