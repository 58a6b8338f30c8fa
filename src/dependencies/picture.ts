import { type Dependency, dependantKey, serviceKey } from './dependency.ts';

/** A box of a picture: a service or a dependant. */
export interface PictureNode {
  readonly id: string;
  readonly label: string;
  readonly namespace: string;
  readonly type: 'service' | 'dependant';
}

/** An arrow from a dependant to a service. */
interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** It is neither configured nor declared. */
  readonly isGuess: boolean;
}

/** What the formats of pictures share. */
interface Picture {
  /** The nodes of each namespace. */
  readonly namespaces: ReadonlyMap<string, readonly PictureNode[]>;
  readonly edges: readonly PictureEdge[];
}

export function pictureOf(dependencies: readonly Dependency[]): Picture {
  const nodes = new Map<string, PictureNode>();
  const idOf = (key: string, node: Omit<PictureNode, 'id'>) => {
    const existing = nodes.get(key) ?? { ...node, id: `n${nodes.size}` };
    nodes.set(key, existing);
    return existing.id;
  };
  const edges = dependencies.map((dependency): PictureEdge => {
    const { service, workload, sources, confidence } = dependency;
    const isGuess = sources.every((source) => source === 'suggested');
    const label = isGuess ? (confidence ?? '') : sources.filter((source) => source !== 'suggested').join(', ');
    return {
      from: idOf(dependantKey(workload), {
        label: `${workload.kind} ${workload.name}`,
        namespace: workload.namespace,
        type: 'dependant',
      }),
      to: idOf(`service ${serviceKey(service)}`, {
        label: service.name,
        namespace: service.namespace,
        type: 'service',
      }),
      label,
      isGuess,
    };
  });
  return { namespaces: Map.groupBy(nodes.values(), ({ namespace }) => namespace), edges };
}
