import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podsToReplace } from '../../src/restart/content/affectedPods.ts';
import type { PodSummary } from '../../src/restart/pods/podSummary.ts';
import type { Use } from '../../src/restart/references/uses.ts';
import { podSummary } from '../support/objects/podSummary.ts';
import { workloadSummary } from '../support/objects/workloadObjects.ts';

const wroteAt = Date.UTC(2026, 10, 21, 12);
const source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;

function replaced(
  how: 'env' | 'volume',
  part: Partial<PodSummary>,
  present?: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const use: Use = { source, key: 'a', how, isOptional: false, containers: ['main'] };
  const pods = [podSummary({ createdAt: wroteAt, ...part })];
  return (
    podsToReplace(workloadSummary('Deployment'), pods, [{ source: { uses: [use] }, lastWrite: wroteAt, present }])
      .length === 1
  );
}

test('a pod that appears after the change was seen has the new content, whatever its times', () => {
  for (const how of ['env', 'volume'] as const) {
    assert.equal(replaced(how, {}), true);
    assert.equal(replaced(how, {}, new Map([['u-pod', new Set(['main'])]])), true);
    assert.equal(replaced(how, {}, new Map()), false);
  }
});

test('a container that starts later has new variables, if both the API’s and the node’s times say so', () => {
  const later = { startedAt: new Map([['main', wroteAt + 2_000]]) };
  const [waiting, running] = [new Map([['u-pod', new Set<string>()]]), new Map([['u-pod', new Set(['main'])]])];
  assert.equal(replaced('env', later, waiting), false);
  assert.equal(replaced('env', later, running), true, 'it ran before');
  assert.equal(replaced('env', later), true, 'its containers are unknown');
  assert.equal(replaced('env', { startedAt: new Map([['main', wroteAt + 1_000]]) }, waiting), true, 'too close');
  assert.equal(replaced('volume', later, waiting), true, 'it may have been filled before');
});

test('pods below a partition are not replaced, whatever content they have', () => {
  const summary = workloadSummary('StatefulSet', {
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
  });
  const pods = [0, 1, 2, 3].map((ordinal) =>
    podSummary({
      name: `web-${ordinal}`,
      uid: `u-${ordinal}`,
      owner: { kind: 'StatefulSet', name: 'web', uid: summary.uid },
    }),
  );
  const use: Use = { source, key: 'a', how: 'env', isOptional: false, containers: ['main'] };
  const old = podsToReplace(summary, pods, [{ source: { uses: [use] }, lastWrite: wroteAt }]);
  assert.deepEqual(
    old.map(({ name }) => name),
    ['web-2', 'web-3'],
  );
});
