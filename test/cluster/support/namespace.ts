import { randomBytes } from 'node:crypto';
import { type Cleanup, cleanUp } from './cleanup.ts';
import { type Cluster, connect, coordinatesVariable, readCoordinates } from './plane/access.ts';
import { startControlPlane } from './plane/controlPlane.ts';

/** A namespace of one test. */
export interface TestNamespace {
  readonly name: string;
  readonly cluster: Cluster;
  /** The path of a namespaced resource: `path('apis/apps/v1', 'replicasets', 'web')`. */
  path(group: string, resource: string, name?: string): string;
  /** Called when the test ends. */
  after(cleanup: () => unknown): void;
}

let shared: Promise<Cluster> | undefined;

/**
 * The control plane that all tests of a run share: the one that run.ts started, or, for a test file that is run by
 * hand, one that ends together with this process. Break one of your own (`startControlPlane`), not this one.
 */
export function sharedControlPlane(): Promise<Cluster> {
  const file = process.env[coordinatesVariable];
  shared ??= file === undefined ? startControlPlane() : Promise.resolve(connect(readCoordinates(file)));
  return shared;
}

/**
 * Creates a namespace with a unique name. It ends with its control plane: emptying hundreds of them, kind by kind,
 * would take more of two cores than the tests themselves, and delay those that test the end of a namespace.
 */
export async function testNamespace(t: Cleanup, prefix: string, cluster?: Cluster): Promise<TestNamespace> {
  const home = cluster ?? (await sharedControlPlane());
  const name = `${prefix}-${randomBytes(4).toString('hex')}`;
  const cleanups: (() => unknown)[] = [];
  const namespace = await newNamespace(home, name, { after: (cleanup) => cleanups.push(cleanup) });
  cleanUp(t, async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  return namespace;
}

/** Creates a namespace of this name; `t` decides about its end. */
export async function newNamespace(cluster: Cluster, name: string, t: Cleanup): Promise<TestNamespace> {
  await cluster.api('POST', '/api/v1/namespaces', { metadata: { name } });
  return {
    name,
    cluster,
    path: (group, resource, object) =>
      `/${group}/namespaces/${name}/${resource}${object === undefined ? '' : `/${object}`}`,
    after: (cleanup) => t.after(cleanup),
  };
}
