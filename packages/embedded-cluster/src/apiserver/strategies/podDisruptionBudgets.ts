import { resource } from '../registry/resource.ts';

export const podDisruptionBudgets = resource({
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  zero: { spec: {}, status: {} },
  fields: ['spec', 'status'],
  generation: 'spec',
  update: { isUnconditional: false, creates: false },
  shortNames: ['pdb'],
  initialStatus: () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
});
