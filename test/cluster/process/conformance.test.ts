import { after, suite } from 'node:test';
import { boundNode, conformance, featuresOf, testCompaction } from '@weeder/embedded-cluster/conformance';
import { streamsLists } from '../../support/api/watchList.ts';
import { type ControlPlane, sharedControlPlane, startControlPlane } from '../support/cluster.ts';
import { minorVersion } from '../support/plane/apiServerVersion.ts';
import { ensureNode } from '../support/plane/node.ts';

await ensureNode(await sharedControlPlane(), boundNode);
const features = featuresOf(await minorVersion(await sharedControlPlane()));

suite('a real API server', { concurrency: true }, () => {
  conformance(sharedControlPlane, { ...features, hasWatchList: streamsLists() });
});

let own: Promise<ControlPlane> | undefined;

/** With its watch cache, the API server would serve compacted revisions from memory. */
function withoutWatchCache(): Promise<ControlPlane> {
  own ??= startControlPlane({
    controllerManager: false,
    apiServerFlags: ['--watch-cache=false', '--etcd-compaction-interval=0'],
  });
  return own;
}

suite('a real API server without its watch cache', () => {
  after(async () => (await own)?.stop());
  testCompaction(withoutWatchCache, async () => (await withoutWatchCache()).compactEtcd());
});
