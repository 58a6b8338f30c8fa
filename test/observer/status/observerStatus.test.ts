import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { mergePatch } from '@weeder/kube-runtime/objects';
import type { Drift } from '../../../src/observer/objects/projection.ts';
import { shownDrifts } from '../../../src/observer/objects/shownDrifts.ts';
import { type InventoryEntry, readInventory, writeEntry } from '../../../src/observer/spec/inventory.ts';
import type { DesiredCondition } from '../../../src/observer/status/condition.ts';
import { conditionOf, statusPatch } from '../../../src/observer/status/statusPatch.ts';

const now = Date.UTC(2026, 10, 21, 18, 0, 0, 750);
const deployment = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' };
const secret = { group: '', kind: 'Secret', namespace: 'shop', name: 'password' };
const image: Drift = { path: '.spec.image', desired: 'nginx:1', found: 'nginx:2', type: 'changed' };

function entry(more: Partial<InventoryEntry> = {}): InventoryEntry {
  return {
    identity: deployment,
    apiVersion: 'apps/v1',
    appliedUid: 'u1',
    hash: 'h1',
    state: 'inSync',
    drifts: [],
    initialised: new Map(),
    ...more,
  };
}

function inSync(more: Partial<DesiredCondition> = {}): DesiredCondition {
  return {
    type: 'InSync',
    status: 'True',
    reason: 'AsApplied',
    message: 'Every observed field is as applied.',
    ...more,
  };
}

function said(more: Partial<Parameters<typeof statusPatch>[1]> = {}): Parameters<typeof statusPatch>[1] {
  return { generation: 1, conditions: [inSync()], inventory: [entry()], ...more };
}

/** Each state and each difference, and its text in the status. */
const states = [
  ['pending', 'Pending'],
  ['inSync', 'InSync'],
  ['drifted', 'Drifted'],
  ['missing', 'Missing'],
  ['terminating', 'Terminating'],
  ['claimed', 'OwnershipConflict'],
  ['typeMissing', 'NoKindMatch'],
  ['refused', 'Refused'],
  ['backingOff', 'BackingOff'],
  ['unverified', 'Unverified'],
  ['leaving', 'Leaving'],
] as const satisfies readonly (readonly [InventoryEntry['state'], string])[];
const differences = [
  ['changed', 'Changed'],
  ['missing', 'Missing'],
  ['excess', 'Excess'],
  ['duplicate', 'Duplicate'],
] as const satisfies readonly (readonly [Drift['type'], string])[];

/** The status after a patch, as the API server would have it. */
function patched(before: unknown, patch: object | undefined): unknown {
  return objectOf(mergePatch({ status: before }, objectOf(patch)))['status'];
}

suite('the status patch', () => {
  test('contains everything the first time, and is undefined without a change', () => {
    const status = patched(undefined, statusPatch(undefined, said(), now));
    assert.deepEqual(status, {
      observedGeneration: 1,
      conditions: [{ ...inSync(), observedGeneration: 1, lastTransitionTime: '2026-11-21T18:00:00Z' }],
      resourcesInSync: '1/1',
      resources: [
        {
          group: 'apps',
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          appliedUid: 'u1',
          hash: 'h1',
          state: 'InSync',
        },
      ],
    });
    assert.equal(statusPatch(status, said(), now + 60_000), undefined);
  });

  test('contains only what has changed: for a new generation of the same resources, not the inventory', () => {
    const status = patched(undefined, statusPatch(undefined, said(), now));
    const patch = statusPatch(status, said({ generation: 2 }), now);
    assert.deepEqual(Object.keys(objectOf(objectOf(patch)['status'])).sort(), ['conditions', 'observedGeneration']);
    const drifted = statusPatch(status, said({ inventory: [entry({ state: 'drifted' })] }), now);
    assert.deepEqual(Object.keys(objectOf(objectOf(drifted)['status'])), ['resourcesInSync', 'resources']);
  });

  test('counts the resources in sync, of those that the manifests have', () => {
    const entries = (['inSync', 'drifted', 'inSync', 'pending', 'leaving', 'terminating'] as const).map((state) =>
      entry({ state }),
    );
    const status = (inventory: readonly InventoryEntry[]) =>
      objectOf(objectOf(statusPatch(undefined, said({ inventory }), now))['status'])['resourcesInSync'];
    assert.deepEqual([status(entries), status([])], ['2/4', '0/0']);
  });

  test('preserves the time of a condition while its status is the same, and sets a new one when it changes', () => {
    const first = patched(undefined, statusPatch(undefined, said(), now));
    const reworded = said({ conditions: [inSync({ reason: 'Other', message: 'Else.' })] });
    const second = patched(first, statusPatch(first, reworded, now + 5_000));
    assert.equal(conditionOf(objectOf(second)['conditions'], 'InSync')?.message, 'Else.');
    assert.equal(conditionOf(objectOf(second)['conditions'], 'InSync')?.lastTransitionTime, '2026-11-21T18:00:00Z');
    const third = patched(
      second,
      statusPatch(second, said({ conditions: [inSync({ status: 'False' })] }), now + 9_000),
    );
    assert.equal(conditionOf(objectOf(third)['conditions'], 'InSync')?.lastTransitionTime, '2026-11-21T18:00:09Z');
  });

  test('preserves the conditions of other clients', () => {
    const foreign = { type: 'Audited', status: 'True', reason: 'R', message: '', lastTransitionTime: 'x' };
    const patch = statusPatch({ conditions: [foreign] }, said(), now);
    const types = arrayOf(objectOf(objectOf(patch)['status'])['conditions']).map((each) => objectOf(each)['type']);
    assert.deepEqual(types, ['InSync', 'Audited']);
  });

  test('stays below the limit of etcd: for very many resources it omits drifts, but never a row', () => {
    const drifts = shownDrifts(
      deployment,
      Array.from({ length: 20 }, (_, index) => ({ ...image, path: `.a${index}`, found: 'x'.repeat(500) })),
    );
    const inventory = Array.from({ length: 500 }, (_, index) =>
      entry({ identity: { ...deployment, name: `web-${index}` }, drifts }),
    );
    const patch = statusPatch(undefined, said({ inventory }), now);
    assert.ok(Buffer.byteLength(JSON.stringify(patch)) < 400 * 1024);
    const rows = readInventory(objectOf(objectOf(patch)['status'])['resources']);
    assert.deepEqual(
      rows.map(({ identity }) => identity),
      inventory.map(({ identity }) => identity),
    );
    assert.ok(rows.every((row) => row.drifts.length > 0));
  });
});

suite('drifts in the status', () => {
  test('are at most 20, with values as JSON of at most 256 characters', () => {
    const drifts = Array.from({ length: 25 }, (_, index) => ({ ...image, path: `.a${index}` }));
    assert.deepEqual(
      shownDrifts(deployment, drifts).map(({ path }) => path),
      drifts.slice(0, 20).map(({ path }) => path),
    );
    const [long] = shownDrifts(deployment, [{ ...image, desired: 'x'.repeat(1_000), found: { a: [1] } }]);
    assert.equal(long?.desired, `"${'x'.repeat(254)}…`);
    assert.equal(long?.found, '{"a":[1]}');
    const [pair] = shownDrifts(deployment, [{ ...image, desired: `${'x'.repeat(253)}😀😀` }]);
    assert.equal(pair?.desired, `"${'x'.repeat(253)}…`);
  });

  test('have no value if there is none, and none for a Secret', () => {
    assert.deepEqual(shownDrifts(deployment, [{ ...image, found: undefined, type: 'missing' }]), [
      { path: '.spec.image', type: 'missing', desired: '"nginx:1"' },
    ]);
    assert.deepEqual(shownDrifts(secret, [{ ...image, path: '.data.a' }]), [{ path: '.data.a', type: 'changed' }]);
    assert.deepEqual(shownDrifts({ ...secret, group: 'example.org' }, [image]).length, 1);
    assert.ok('found' in (shownDrifts({ ...secret, group: 'example.org' }, [image])[0] ?? {}));
  });
});

suite('the inventory', () => {
  test('is the same after writing and reading it', () => {
    const entries = [
      entry({
        state: 'drifted',
        drifts: shownDrifts(deployment, [image]),
        initialised: new Map<string, string | null>([
          ['.spec.clusterIP', '10.0.0.1'],
          ['.spec.none', null],
        ]),
      }),
      entry({
        identity: { group: '', kind: 'Namespace', namespace: '', name: 'x' },
        appliedUid: undefined,
        hash: undefined,
      }),
    ];
    const patch = statusPatch(undefined, said({ inventory: entries }), now);
    const stored: unknown = JSON.parse(JSON.stringify(objectOf(objectOf(patch)['status'])['resources']));
    assert.deepEqual(readInventory(stored), entries);
  });

  test('has its states and differences in CamelCase', () => {
    for (const [state, written] of states) {
      assert.equal(writeEntry(entry({ state }))['state'], written);
      assert.equal(readInventory([writeEntry(entry({ state }))])[0]?.state, state);
    }
    const drifts = differences.map(([type]) => ({ path: `.${type}`, type }));
    const written = writeEntry(entry({ drifts }));
    assert.deepEqual(
      written['drifts'],
      differences.map(([is, text]) => ({ path: `.${is}`, type: text })),
    );
    assert.deepEqual(readInventory([written])[0]?.drifts, drifts);
  });

  test('of an earlier version, with states and differences in camelCase, is read, and written in CamelCase', () => {
    const row = writeEntry(entry());
    for (const [state, text] of states) {
      const earlier = readInventory([{ ...row, state }]);
      assert.deepEqual(earlier, [entry({ state })]);
      assert.deepEqual(earlier.map(writeEntry), [{ ...row, state: text }]);
      const status = { resources: [{ ...row, state }] };
      const patch = objectOf(objectOf(statusPatch(status, said({ inventory: earlier }), now))['status']);
      assert.deepEqual(patch['resources'], [{ ...row, state: text }]);
    }
    for (const [type, text] of differences) {
      const earlier = readInventory([{ ...row, drifts: [{ path: '.a', type, desired: '1' }] }]);
      assert.deepEqual(earlier, [entry({ drifts: [{ path: '.a', type, desired: '1' }] })]);
      assert.deepEqual(earlier.map(writeEntry), [{ ...row, drifts: [{ path: '.a', type: text, desired: '1' }] }]);
    }
  });

  test('with a state or a difference that no version has written, still has the row', () => {
    const row = writeEntry(entry());
    for (const state of [
      'INSYNC',
      'Claimed',
      'TypeMissing',
      'Insync',
      'insync',
      'in_sync',
      'In Sync',
      ' InSync',
      '',
      7,
      null,
      ['InSync'],
      {},
    ])
      assert.deepEqual(readInventory([{ ...row, state }]), [entry({ state: 'pending' })], JSON.stringify(state));
    const { state: _, ...stateless } = row;
    assert.deepEqual(readInventory([stateless]), [entry({ state: 'pending' })]);
    for (const type of ['CHANGED', 'Modified', '', 7, null, ['Changed']])
      assert.deepEqual(readInventory([{ ...row, drifts: [{ path: '.a', type }] }]), [entry()], JSON.stringify(type));
  });

  test('of an earlier version, with the uid of any found object, proves no apply: neither uid nor hash is used', () => {
    const [row] = readInventory([
      { kind: 'Pod', apiVersion: 'v1', name: 'a', uid: 'found', hash: 'h', state: 'inSync' },
    ]);
    assert.deepEqual([row?.appliedUid, row?.hash, row?.state], [undefined, undefined, 'inSync']);
  });

  test('with damaged rows loses these rows, and no others', () => {
    const rows = [
      { kind: 'Pod', apiVersion: 'v1', name: 'a', state: 'flying', drifts: [{ path: 1 }, 2], initialised: { a: '{' } },
      { kind: 'Pod', apiVersion: 'v1' },
      'row',
      { name: 'a', apiVersion: 'v1' },
    ];
    assert.deepEqual(readInventory(rows), [
      entry({
        identity: { group: '', kind: 'Pod', namespace: '', name: 'a' },
        apiVersion: 'v1',
        appliedUid: undefined,
        hash: undefined,
        state: 'pending',
      }),
    ]);
    assert.deepEqual(readInventory({ a: 1 }), []);
  });
});
