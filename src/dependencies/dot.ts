import type { Dependency } from './dependency.ts';
import { type PictureNode, pictureOf } from './picture.ts';

/** The dependencies in the language of Graphviz, with the services on the left. What is only suggested is dashed. */
export function dependenciesAsDot(dependencies: readonly Dependency[]): string {
  const { namespaces, edges } = pictureOf(dependencies);
  const groups = [...namespaces].flatMap(([namespace, nodes], index) => [
    `  subgraph cluster_${index} {`,
    `    label="${namespace}";`,
    ...nodes.map((node) => `    ${box(node)}`),
    '  }',
  ]);
  const arrows = edges.map(
    ({ from, to, label, isGuess }) => `  ${from} -> ${to} [label="${label}"${isGuess ? ', style=dashed' : ''}];`,
  );
  return ['digraph dependencies {', '  rankdir=RL;', '  node [shape=box];', ...groups, ...arrows, '}'].join('\n');
}

function box({ id, label, type }: PictureNode): string {
  return `${id} [label="${label}"${type === 'service' ? ', shape=ellipse' : ''}];`;
}
