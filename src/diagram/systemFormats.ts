import type { Line, Part, Picture, PictureBox } from '@weeder/machine-diagrams';
import { headed, place } from '@weeder/machine-diagrams';
import { links, parts } from './system.ts';

/** In characters. */
const widths = { box: 32, head: 80 };

/** The pictures of the actor system, one for each part. What is outside of a part is a place that arrows come from or lead to. */
export function systemPictures(): Picture[] {
  return parts.map(({ name, description, members }) => {
    const shown = links.filter(({ from, to }) => from in members || to in members);
    const outside = (ids: readonly string[], end: string) =>
      [...new Set(ids)].filter((id) => !(id in members)).map((id) => place(`${end} ${id}`, id));
    const froms = outside(
      shown.map(({ from }) => from),
      'from',
    );
    const tos = outside(
      shown.map(({ to }) => to),
      'to',
    );
    const children = Object.entries(members).map(([id, about]) => box(id, 'plain', headed(id, about, widths.box)));
    return {
      title: `The actor system of weeder, ${name}: ${description}`,
      boxes: [...froms, { ...box(name, 'region', headed(name, description, widths.head)), children }, ...tos],
      arrows: shown.map(({ from, to, words, events }) => ({
        from: from in members ? from : `from ${from}`,
        to: to in members ? to : `to ${to}`,
        ways: [],
        kind: /^(invokes|spawns)/.test(words.join(' ')) ? 'spawn' : 'plain',
        lines: [...words.map((text) => line(text, 'action')), ...events.map((text) => line(text, 'event'))],
      })),
    };
  });
}

function box(id: string, kind: PictureBox['kind'], lines: readonly Line[]): PictureBox {
  return { id, kind, lines, children: [] };
}

function line(text: string, kind: Part['kind']): Line {
  return { parts: [{ text, kind }] };
}

/** The actor system as a Mermaid flowchart. */
export function systemMermaid(): string {
  const arrows = links.map(
    ({ from, to, words, events }) => `  ${from} -- "${[...words, ...events].join('<br>')}" --> ${to}`,
  );
  const groups = parts.flatMap(({ name, members }) => [
    `  subgraph ${name.replace(' ', '_')} ["${name}"]`,
    ...Object.keys(members).map((id) => `    ${id}`),
    '  end',
  ]);
  return ['flowchart TD', '  apiServer', ...groups, ...arrows, ''].join('\n');
}

/** The actor system as lines for a terminal, one for each sender and receiver. */
export function systemAscii(): string {
  const lines = links.map(
    ({ from, to, words, events }) =>
      [`${from} → ${to}`, [words.join(' '), events.join(', ')].filter((part) => part !== '').join('; ')] as const,
  );
  const width = Math.max(...lines.map(([pair]) => pair.length));
  return lines.map(([pair, text]) => `${pair.padEnd(width)}  ${text}\n`).join('');
}
