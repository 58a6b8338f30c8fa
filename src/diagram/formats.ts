export const diagramFormats = ['mermaid', 'svg', 'json', 'ascii'] as const;
export type DiagramFormat = (typeof diagramFormats)[number];

/** The name of the picture of the actor system. */
export const system = 'system';

/** The names of all pictures, available without loading the machines. */
export const drawable = [
  system,
  'endpoint',
  'dependants',
  'podDeletion',
  'podCreation',
  'workload',
  'rollout',
  'recreation',
  'latePods',
  'application',
  'resource',
  'manager',
  'receiver',
  'lease',
  'reflector',
] as const;
