import { type Line, type Part, textOf } from './picture.ts';

/** The first lines of a box: its name and its description. `width`: characters. */
export function headed(name: string, description: string, width: number): Line[] {
  return [{ parts: [{ text: name, kind: 'name' }] }, ...flowed([{ text: description, kind: 'description' }], width)];
}

/** As few lines as have room for the parts. Only descriptions and lists of actions are broken. */
export function flowed(parts: readonly Part[], width: number): Line[] {
  const lines: Part[][] = [];
  for (const part of parts.flatMap(wordsOf)) {
    const line = lines.at(-1);
    if (line !== undefined && textOf({ parts: line }).length + part.text.length < width) line.push(part);
    else lines.push([part]);
  }
  return lines.map((line) => ({ parts: line.reduce(joined, []) }));
}

function wordsOf({ text, kind }: Part): Part[] {
  const isBroken = kind === 'description' || kind === 'action';
  const words = text.split(' ').filter((word) => word !== '');
  return isBroken ? words.map((word) => ({ text: word, kind })) : [{ text, kind }];
}

/** Adds a part to a line; words of one kind become one part. */
function joined(line: readonly Part[], { text, kind }: Part): readonly Part[] {
  const last = line.at(-1);
  return last?.kind === kind
    ? [...line.slice(0, -1), { text: `${last.text} ${text}`, kind }]
    : [...line, { text, kind }];
}
