import lists from '../../../generated/builtInLists.json' with { type: 'json' };
import { type Topologies, topologiesOf } from './topologies.ts';

/**
 * Returns the list topologies of built-in kinds without a cluster: which of their lists have keys or are sets, in the
 * version of Kubernetes that weeder is tested with. It contains nothing about other lists and about maps.
 */
export function builtInTopologies(): Topologies {
  return topologiesOf({ components: { schemas: lists } });
}
