import { drawingOf, overviewOf, type PictureArrow, type PictureBox, textOf } from '@weeder/machine-diagrams';
import { machines } from '../../../src/diagram/machines.ts';

/** The outer states of the endpoint machine and the actors that it spawns, as a Mermaid diagram. */
export function recoveryDiagram(): string {
  const endpoint = machines.get('endpoint');
  if (endpoint === undefined) throw new Error('there is no machine endpoint');
  const { boxes, arrows } = overviewOf(drawingOf(endpoint.machine));
  const [machine, ...actors] = boxes;
  return [
    'stateDiagram-v2',
    '  direction LR',
    `  [*] --> ${machine?.initial}`,
    ...[...(machine?.children ?? []), ...actors].flatMap(stateLines),
    ...arrows.map(arrowLine),
  ].join('\n');
}

function stateLines({ id, kind, lines: [name] }: PictureBox): string[] {
  const text = name === undefined ? id : textOf(name);
  const state = `  state "${kind === 'actor' ? `${text}, an actor of its own` : text}" as ${idOf(id)}`;
  return kind === 'final' ? [state, `  ${idOf(id)} --> [*]`] : [state];
}

function arrowLine({ from, to, lines }: PictureArrow): string {
  return `  ${idOf(from)} --> ${idOf(to)} : ${lines.map(textOf).join('<br>')}`;
}

function idOf(id: string): string {
  return id.replaceAll(/[. ]/g, '_');
}
