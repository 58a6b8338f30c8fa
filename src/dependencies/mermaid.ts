import type { Dependency } from './dependency.ts';
import { type PictureNode, pictureOf } from './picture.ts';

/**
 * The dependencies as a Mermaid flowchart with the services on the left. What is only suggested has a dashed arrow.
 */
export function dependenciesAsMermaid(dependencies: readonly Dependency[]): string {
  const { namespaces, edges } = pictureOf(dependencies);
  const groups = [...namespaces].flatMap(([namespace, nodes], index) => [
    `  subgraph g${index}["${namespace}"]`,
    ...nodes.map((node) => `    ${box(node)}`),
    '  end',
  ]);
  const arrows = edges.map(({ from, to, label, isGuess }) => `  ${from} ${isGuess ? '-.->' : '-->'}|${label}| ${to}`);
  return ['flowchart RL', ...groups, ...arrows].join('\n');
}

function box({ id, label, type }: PictureNode): string {
  return type === 'service' ? `${id}(["${label}"])` : `${id}["${label}"]`;
}
