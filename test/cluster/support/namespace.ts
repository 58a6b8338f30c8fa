import { randomBytes } from 'node:crypto';
import { type Cleanup, cleanUp } from './cleanup.ts';
import { type Cluster, connect, coordinatesVariable, readCoordinates } from './plane/access.ts';
import { startControlPlane } from './plane/controlPlane.ts';

/** The namespace of a test. */
export type TestNamespace = Awaited<ReturnType<typeof newNamespace>>;

let shared: Promise<Cluster> | undefined;

/**
 * The control plane that all tests of a run share. run.ts starts it; a test file that is run directly starts its own.
 * A test that stops or suspends the API server has to use a separate one (`startControlPlane`).
 */
export function sharedControlPlane(): Promise<Cluster> {
  const file = process.env[coordinatesVariable];
  shared ??= file === undefined ? startControlPlane() : Promise.resolve(connect(readCoordinates(file)));
  return shared;
}

/**
 * Creates a namespace with a unique name. It is not deleted, because the deletion of hundreds of namespaces would take
 * more CPU than the tests, and delay tests of terminating namespaces.
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

/** Creates a namespace of this name. */
export async function newNamespace(cluster: Cluster, name: string, t: Cleanup) {
  await cluster.api('POST', '/api/v1/namespaces', { metadata: { name } });
  return {
    name,
    cluster,
    /** The path of a namespaced resource: `path('apis/apps/v1', 'replicasets', 'web')`. */
    path: (group: string, resource: string, object?: string) =>
      `/${group}/namespaces/${name}/${resource}${object === undefined ? '' : `/${object}`}`,
    /** Registers a function that is called when the test ends. */
    after: (cleanup: () => unknown) => t.after(cleanup),
  };
}
