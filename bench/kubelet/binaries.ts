import { basename, join } from 'node:path';
import { linkerFlags } from '../../test/cluster/support/plane/assets.ts';
import { builtTools, type ToolModule } from '../../test/cluster/support/plane/build.ts';

/** A separate Go module, so that tests do not build programs that only this benchmark needs. */
const node: ToolModule = {
  name: 'node',
  folder: join(import.meta.dirname, 'node'),
  version: /k8s\.io\/kubernetes (v[\d.]+)/,
  what: 'kubelet and kube-scheduler',
  takes: '5 minutes',
  linkerFlags,
};

/** The programs of a node other than containerd. */
export interface NodeBinaries {
  readonly kubelet: string;
  readonly scheduler: string;
  /** Of Kubernetes, such as `v1.36.3`. */
  readonly version: string;
}

/**
 * Builds the programs once, and caches them. Throws a SetupProblem if they cannot be built.
 */
export async function findNodeBinaries(): Promise<NodeBinaries> {
  const folder = await builtTools(node);
  const version = /v[\d.]+/.exec(basename(folder))?.[0] ?? 'of an unknown version';
  return { kubelet: join(folder, 'kubelet'), scheduler: join(folder, 'kube-scheduler'), version };
}
