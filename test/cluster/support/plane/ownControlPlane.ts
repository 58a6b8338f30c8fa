import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, cleanUp, forSuite } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { sharedControlPlane } from '../namespace.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './controlPlane.ts';
import { take } from './ports.ts';

/**
 * Starts a control plane for one test or suite, which may stop its servers. It has no controllers unless requested.
 * Only one of them runs at a time over all test processes, because two cores cannot run more. It ends with the test or
 * suite.
 */
export async function ownControlPlane(t: Cleanup, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { dir } = await sharedControlPlane();
  const lock = join(dir, 'own-control-plane');
  await eventually(() => take(lock), { what: 'a turn for a control plane of its own', within: 1_200_000, every: 100 });
  try {
    const plane = await startControlPlane({ controllerManager: false, ...options });
    cleanUp(t, async () => {
      await plane.stop();
      rmSync(lock, { force: true });
    });
    return plane;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
}

/** Starts a separate control plane for all tests of the calling suite. */
export function suiteControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  return forSuite((t) => ownControlPlane(t, options));
}
