import type { DrawnState, DrawnTransition } from './drawing.ts';

/** One line of text in a picture. */
export interface Line {
  readonly text: string;
  readonly kind: 'name' | 'description' | 'detail' | 'event' | 'guard' | 'action';
}

/** Pixels a line takes, and pixels a character: the font has one width for all of them. */
const lineHeight = 15;
const characterWidth = 6.7;
const descriptionWidth = 44;
const labelWidth = 30;

/** What stands in a state's box: its name, what it is about, and what happens in it. */
export function linesOf(
  { name, description, entry, exit, invokes }: DrawnState,
  within: readonly DrawnTransition[],
): Line[] {
  return [
    { text: name, kind: 'name' },
    ...wrapped(description, descriptionWidth).map((text) => ({ text, kind: 'description' }) as const),
    ...entry.map((action) => ({ text: `entry / ${action}`, kind: 'detail' }) as const),
    ...invokes.map((actor) => ({ text: `invoke ${actor}`, kind: 'detail' }) as const),
    ...exit.map((action) => ({ text: `exit / ${action}`, kind: 'detail' }) as const),
    ...within.flatMap(arrowText),
  ];
}

/** What stands on an arrow: when, whether, and what is done. */
export function arrowText({ when, guard, actions }: DrawnTransition): Line[] {
  return [
    { text: when, kind: 'event' },
    ...(guard === undefined ? [] : [{ text: `[${guard}]`, kind: 'guard' } as const]),
    ...wrapped(actions.length === 0 ? '' : `/ ${actions.join(', ')}`, labelWidth).map(
      (text) => ({ text, kind: 'action' }) as const,
    ),
  ];
}

/** How much room lines take, in pixels. */
export function sizeOf(lines: readonly Line[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(0, ...lines.map(({ text }) => text.length));
  return { width: Math.ceil(longest * characterWidth), height: lines.length * lineHeight };
}

/** Where the baseline of the nth line is, below the top of the text. */
export function baseline(index: number): number {
  return index * lineHeight + 11;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
