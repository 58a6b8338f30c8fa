import type { Picture } from '@weeder/machine-diagrams';
import { type DrawnState, drawingOf, type PlacedPicture, picturesOf, svg } from '@weeder/machine-diagrams';
import { diagram } from '../../../src/diagram/diagram.ts';
import { system } from '../../../src/diagram/formats.ts';
import { machines } from '../../../src/diagram/machines.ts';
import { systemPictures } from '../../../src/diagram/systemFormats.ts';
import { hashOf, keyOf, layOutOnce } from './layOutOnce.ts';

/** The layout of every picture. */
export async function layoutsJson(): Promise<string> {
  const lines = await Promise.all(
    drawings().map(async ([name, pictures]) => {
      const layouts = await Promise.all(pictures.map(layOutOnce));
      return `  ${JSON.stringify(name)}: [\n${layouts.map((layout) => `    ${JSON.stringify(layout)}`).join(',\n')}\n  ]`;
    }),
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The key of every layout with the hash of the layout, so that nothing is laid out again without need. */
export async function layoutKeysJson(): Promise<string> {
  const pictures = drawings().flatMap(([, pictures]) => pictures);
  const keys = await Promise.all(pictures.map(async (picture) => [keyOf(picture), hashOf(await layOutOnce(picture))]));
  return `${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`;
}

/** The generated files under `visualizations/`, by their paths. */
export function visualizations(): Record<string, () => string | Promise<string>> {
  const files = drawings().flatMap(([name, pictures]) => [
    [`visualizations/${name}.svg`, async () => svg(await Promise.all(pictures.map(placed)))] as const,
    [`visualizations/${name}.mmd`, () => text(name, 'mermaid')] as const,
  ]);
  const configs = [...machines.keys()].map(
    (name) => [`visualizations/${name}.json`, () => text(name, 'json')] as const,
  );
  return Object.fromEntries([...files, ...configs]);
}

async function placed(picture: Picture): Promise<PlacedPicture> {
  return { picture, layout: await layOutOnce(picture) };
}

function drawings(): (readonly [string, readonly Picture[]])[] {
  return [
    [system, systemPictures()],
    ...[...machines].map(([name, { machine }]) => [name, picturesOf(drawingOf(machine))] as const),
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
