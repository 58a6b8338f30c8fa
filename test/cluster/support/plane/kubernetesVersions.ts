import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupProblem } from './process.ts';

/** A version of Kubernetes that the cluster tests run on. */
export interface KubernetesVersion {
  /** Such as `1.36`. */
  readonly minor: string;
  /** The folder of the Go module of its control plane. */
  readonly folder: string;
  /** Such as `1.36.3`. */
  readonly kubernetes: string;
  readonly etcd: string;
}

const modules = join(import.meta.dirname, '..', '..', 'controlplane');

/** The versions whose control plane can be built, oldest first: the folders of `test/cluster/controlplane`. */
export const kubernetesVersions: readonly KubernetesVersion[] = readdirSync(modules)
  .sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]))
  .map((minor) => {
    const folder = join(modules, minor);
    const goMod = readFileSync(join(folder, 'go.mod'), 'utf8');
    const required = (name: string): string => RegExp(`\\t${name} v([\\d.]+)`).exec(goMod)?.[1] ?? 'unknown';
    return { minor, folder, kubernetes: required('k8s.io/kubernetes'), etcd: required('go.etcd.io/etcd/server/v3') };
  });

/** Returns the version with this minor version, by default the newest. Throws a SetupProblem if it is not there. */
export function kubernetesVersion(minor?: string): KubernetesVersion {
  const found = minor === undefined ? kubernetesVersions.at(-1) : kubernetesVersions.find((v) => v.minor === minor);
  if (found !== undefined) return found;
  const allowed = kubernetesVersions.map((version) => version.minor);
  throw new SetupProblem(`The flag --kubernetes: found "${minor}", allowed are ${allowed.join(', ')}.`);
}
