export const diagramFormats = ['mermaid', 'svg', 'json', 'ascii'] as const;
export type DiagramFormat = (typeof diagramFormats)[number];

/** The name under which the picture of all the actors goes. */
export const system = 'system';

/** All that can be drawn, without loading the machines. */
export const drawable = [
  system,
  'endpoint',
  'dependants',
  'podDeletion',
  'workload',
  'recreation',
  'application',
  'resource',
  'manager',
  'lease',
  'reflector',
] as const;
