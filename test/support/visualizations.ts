import { diagram } from '../../src/diagram/diagram.ts';
import { drawingOf } from '../../src/diagram/drawing.ts';
import { machines } from '../../src/diagram/machines.ts';
import { pictureOf } from '../../src/diagram/picture.ts';
import { systemPicture } from '../../src/diagram/system.ts';
import { layOut } from './layOut.ts';

/** Where everything of every picture is: laid out anew. */
export async function layoutsJson(): Promise<string> {
  const pictures = [
    ['system', systemPicture()] as const,
    ...[...machines].map(([name, { machine }]) => [name, pictureOf(drawingOf(machine))] as const),
  ];
  const lines = await Promise.all(
    pictures.map(async ([name, picture]) => `  ${JSON.stringify(name)}: ${JSON.stringify(await layOut(picture))}`),
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The generated files under `visualizations/`, by their paths. */
export function visualizations(): Record<string, () => string> {
  const ofMachines = [...machines.keys()].flatMap((name) => [
    [`visualizations/${name}.svg`, () => text(name, 'svg')] as const,
    [`visualizations/${name}.mmd`, () => text(name, 'mermaid')] as const,
    [`visualizations/${name}.json`, () => text(name, 'json')] as const,
  ]);
  const ofSystem = [
    ['visualizations/system.svg', () => text('system', 'svg')] as const,
    ['visualizations/system.mmd', () => text('system', 'mermaid')] as const,
  ];
  return Object.fromEntries([...ofSystem, ...ofMachines]);
}

/** The section of a machine in the README: what it is, its picture, its states with their descriptions. */
export function machineSections(): Record<string, string> {
  return Object.fromEntries(
    [...machines].map(([name, { machine, file }]) => {
      const { root } = drawingOf(machine);
      const links = `[\`${file}\`](../${file}) · [Mermaid](${name}.mmd) · [JSON](${name}.json)`;
      return [name, `${root.description}\n\n![The states of ${name}](${name}.svg)\n\n${links}`];
    }),
  );
}

function text(name: string, format: 'svg' | 'mermaid' | 'json'): string {
  const drawn = diagram(name, format);
  if (!drawn.ok) throw new Error(drawn.problem.sentence);
  return drawn.value;
}
