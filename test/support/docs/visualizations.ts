import { diagram } from '../../../src/diagram/diagram.ts';
import { type DrawnState, drawingOf } from '../../../src/diagram/drawing.ts';
import { machines } from '../../../src/diagram/machines.ts';
import { type Picture, pictureOf } from '../../../src/diagram/picture.ts';
import { svg } from '../../../src/diagram/svg.ts';
import { systemPicture } from '../../../src/diagram/system.ts';
import { layOut } from './layOut.ts';

/** Computes the layout of every picture again. */
export async function layoutsJson(): Promise<string> {
  const lines = await Promise.all(
    pictures().map(async ([name, picture]) => `  ${JSON.stringify(name)}: ${JSON.stringify(await layOut(picture))}`),
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The generated files under `visualizations/`, by their paths. */
export function visualizations(): Record<string, () => string | Promise<string>> {
  const files = pictures().flatMap(([name, picture]) => [
    [`visualizations/${name}.svg`, async () => svg(picture, await layOut(picture))] as const,
    [`visualizations/${name}.mmd`, () => text(name, 'mermaid')] as const,
  ]);
  const configs = [...machines.keys()].map(
    (name) => [`visualizations/${name}.json`, () => text(name, 'json')] as const,
  );
  return Object.fromEntries([...files, ...configs]);
}

function pictures(): (readonly [string, Picture])[] {
  return [
    ['system', systemPicture()],
    ...[...machines].map(([name, { machine }]) => [name, pictureOf(drawingOf(machine))] as const),
  ];
}

/** Returns the section of each machine for the README: its purpose, its picture, its states with their descriptions. */
export function machineSections(): Record<string, string> {
  return Object.fromEntries(
    [...machines].map(([name, { machine, file }]) => {
      const { root } = drawingOf(machine);
      const links = `[\`${file}\`](../${file}) · [Mermaid](${name}.mmd) · [JSON](${name}.json)`;
      const rows = statesOf(root).map(({ id, description }) => `| \`${id}\` | ${description} |`);
      const states = [
        '<details>',
        '<summary>Its states in words</summary>',
        '',
        '| state | what it means |',
        '| --- | --- |',
      ];
      const section = [
        root.description,
        '',
        `[![The states of ${name}](${name}.svg)](${name}.svg)`,
        '',
        links,
        '',
        ...states,
        ...rows,
      ];
      return [name, [...section, '', '</details>'].join('\n')];
    }),
  );
}

function statesOf({ children }: DrawnState): DrawnState[] {
  return children.flatMap((child) => [child, ...statesOf(child)]);
}

function text(name: string, format: 'mermaid' | 'json'): string {
  const drawn = diagram(name, format);
  if (!drawn.ok) throw new Error(drawn.error.message);
  return drawn.value;
}
