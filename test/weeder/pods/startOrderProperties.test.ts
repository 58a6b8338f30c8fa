import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns, virtualClock } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { createPodIndex } from '../../../src/weeder/pods/createPodIndex.ts';
import { pod } from '../../support/objects/objects.ts';
import { createKubelet, type ModelContainer, type ModelPod } from '../../support/pods/kubelet.ts';

const run = fc.record({ lasts: fc.constantFrom(0, 700, 5000, 60_000), exit: fc.constantFrom(0, 1) });
const container = (kind: ModelContainer['kind'], probes: readonly number[] = [0]) =>
  fc.record({
    kind: fc.constant(kind),
    runs: fc.array(run, { minLength: 1, maxLength: 4 }),
    startsIn: fc.constantFrom(0, 300),
    probe: fc.constantFrom(...probes),
  });
const before = fc.oneof(container('initContainer'), container('sidecar', [0, 2000, 20_000]));
const loss = fc.record({ at: fc.integer({ min: 5000, max: 100_000 }), lasts: fc.constantFrom(0, 900, 12_000) });
const modelPod: fc.Arbitrary<ModelPod> = fc.record({
  containers: fc
    .tuple(fc.array(before, { maxLength: 3 }), fc.array(container('container'), { minLength: 1, maxLength: 2 }))
    .map((parts) => parts.flat()),
  losses: fc.array(loss, { maxLength: 2 }),
  saysSo: fc.boolean(),
  reboots: fc.boolean(),
});

test('a pod is not deletable unless a back-off has delayed the next start, whatever the sandbox and the steps before do', () => {
  let found = 0;
  fc.assert(
    fc.property(modelPod, (drawn) => {
      const clock = virtualClock(Date.UTC(2026, 0, 1));
      const index = createPodIndex(clock);
      const node = createKubelet(drawn, clock);
      for (let step = 0; step < 480; step += 1) {
        clock.advance(250);
        const status = node.sync();
        if (status !== undefined) index.apply('MODIFIED', pod({ uid: 'u', ...status }));
        const known = index.get('u');
        if (known === undefined) continue;
        const since = index.unreportedSince('u');
        if (since !== undefined && clock.monotonic() < since + 2000) continue;
        found += 1;
        assert.ok(node.isDelayed(known.container), `${known.container} at ${250 * (step + 1)}`);
      }
    }),
    propertyRuns(100),
  );
  assert.ok(found > 0);
});
