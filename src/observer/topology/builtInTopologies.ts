import lists from '../../../generated/builtInLists.json' with { type: 'json' };
import { type Topologies, topologiesOf } from './topologies.ts';

/**
 * What is known of built-in kinds where no cluster is asked: which of their lists have keys, or are sets, as the version
 * of Kubernetes that weeder is tested with has it. Says nothing of other lists and of maps.
 */
export function builtInTopologies(): Topologies {
  return topologiesOf({ components: { schemas: lists } });
}
