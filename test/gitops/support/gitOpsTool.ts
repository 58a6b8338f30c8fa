import type { JsonObject } from '@weeder/kube-runtime/base';
import type { TestNamespace } from '../../cluster/support/namespace.ts';

/** Argo CD or Flux, which runs against the control plane of the tests. */
export interface GitOpsTool {
  /** The field manager of what it writes. */
  readonly manager: string;
  /** The annotation with which it keeps an object that is no longer in Git. */
  readonly keep: Readonly<Record<string, string>>;
  /** Creates a repository, and the object with which the tool applies it; that one is called as the namespace is. */
  follow(ns: TestNamespace, spec?: JsonObject): Promise<Followed>;
}

/** A repository that Argo CD or Flux applies. */
export interface Followed {
  /** Commits these objects in place of all others. */
  commit(...objects: readonly object[]): Promise<void>;
  /** Waits until the newest commit is applied, and the tool sees no difference. */
  untilApplied(): Promise<void>;
  /** Makes the tool compare the cluster with the newest commit, and waits until it has done so. */
  compare(): Promise<void>;
  /** Waits until the tool reports this of the objects of the newest commit. */
  untilHealth(health: Health): Promise<void>;
}

export type Health = 'healthy' | 'progressing' | 'suspended' | 'failed';

/** The content of the only file of a repository. JSON is YAML. */
export function fileOf(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}
