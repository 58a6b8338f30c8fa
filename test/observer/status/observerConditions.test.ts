import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { reportedError } from '../../../src/observer/spec/application.ts';
import { type ApplicationView, conditionsOf, type ResourceView } from '../../../src/observer/status/conditions.ts';

function resource(name: string, more: Partial<ResourceView> = {}): ResourceView {
  return {
    identity: { group: 'apps', kind: 'Deployment', namespace: 'shop', name },
    state: 'inSync',
    isApplied: true,
    reason: '',
    terminating: '',
    refusal: '',
    isAsLastApplied: false,
    paths: [],
    conflictingManager: undefined,
    ...more,
  };
}

function view(more: Partial<ApplicationView> = {}): ApplicationView {
  return {
    phase: 'observing',
    mode: 'correct',
    pausedUntil: undefined,
    faults: [],
    accountError: '',
    notes: [],
    resources: [resource('web')],
    ...more,
  };
}

/** Each condition as `Type=Status Reason: message`. */
function told(more: Partial<ApplicationView>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    conditionsOf(view(more)).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  );
}

suite('the conditions', () => {
  test('do not say that nothing fails while something is yet to be applied', () => {
    const waiting = { resources: [resource('web', { isApplied: false, state: 'pending' })] };
    const degraded = (more: Partial<ApplicationView>) => told(more)['Degraded'];
    assert.equal(degraded(waiting), 'False AsExpected: Nothing has failed so far.');
    assert.equal(degraded({ ...waiting, phase: 'applying' }), 'False AsExpected: Nothing has failed so far.');
    assert.equal(degraded({ ...waiting, mode: 'detect' }), 'False AsExpected: Nothing fails.');
    assert.equal(degraded({}), 'False AsExpected: Nothing fails.');
  });

  test('say of a missing account that nothing is applied, where something is to be', () => {
    const accountError = 'Nothing is applied: the ServiceAccount shop/deployer is not there.';
    const those = (more: Partial<ApplicationView>) => {
      const { Applied, Degraded } = told({ accountError, resources: [resource('web', { isApplied: false })], ...more });
      return [Applied, Degraded];
    };
    assert.deepEqual(those({ phase: 'applying' }), [
      `False ServiceAccountNotFound: ${accountError}`,
      `True ServiceAccountNotFound: ${accountError}`,
    ]);
    assert.deepEqual(those({ phase: 'applying', mode: 'detect' })[1], 'False AsExpected: Nothing fails.');
    assert.deepEqual(those({ phase: 'deleting' }), [
      'False Deleting: The application is being deleted.',
      'False AsExpected: Nothing fails.',
    ]);
  });

  test('of an application that is well', () => {
    assert.deepEqual(told({}), {
      Applied: 'True AllApplied: All manifests are applied as they are now.',
      InSync: 'True AsApplied: Every observed field is as it was applied.',
      Degraded: 'False AsExpected: Nothing fails.',
      Invalid: 'False Valid: The spec has no faults.',
    });
  });

  test('say which fields of which resources are not as applied', () => {
    const resources = [
      resource('web', { state: 'drifted', paths: ['.spec.replicas', '.spec.paused'] }),
      resource('db', { state: 'missing' }),
      resource('ok'),
    ];
    assert.equal(
      told({ resources })['InSync'],
      'False DriftDetected: Not as applied: Deployment shop/web (.spec.replicas, .spec.paused), Deployment shop/db (missing).',
    );
    assert.equal(
      told({ resources: resources.slice(1) })['InSync'],
      'False Missing: Not as applied: Deployment shop/db (missing).',
    );
  });

  test('still say what differs while its correction is refused or tried again', () => {
    for (const state of ['refused', 'backingOff', 'claimed'] as const) {
      assert.match(
        told({ resources: [resource('web', { state, reason: 'No.', paths: ['.a'] })] })['InSync'] ?? '',
        /^False DriftDetected/,
      );
      assert.match(
        told({ resources: [resource('web', { state, reason: 'No.' })] })['InSync'] ?? '',
        /^Unknown NotObserved/,
      );
    }
  });

  test('name five of many', () => {
    const resources = Array.from({ length: 8 }, (_, index) => resource(`web-${index}`, { state: 'missing' }));
    assert.match(told({ resources })['InSync'] ?? '', /web-4 \(missing\) and 3 more\.$/);
  });

  test('say in mode detect that nothing is applied, and whether it is in sync all the same', () => {
    const { Applied, InSync } = told({ mode: 'detect', resources: [resource('web', { isApplied: false })] });
    assert.equal(Applied, 'False DetectOnly: Nothing is ever applied in mode detect.');
    assert.match(InSync ?? '', /^True AsApplied/);
  });

  test('say until when it is paused', () => {
    const { Applied, InSync, Degraded } = told({ phase: 'paused', pausedUntil: Date.UTC(2026, 10, 21, 18) });
    assert.equal(Applied, 'False Paused: Paused until 2026-11-21T18:00:00.000Z.');
    assert.equal(InSync, 'Unknown Paused: Paused until 2026-11-21T18:00:00.000Z.');
    assert.match(Degraded ?? '', /^False/);
  });

  test('say what is not applied and why, and that the rest is on its way', () => {
    const failing = [resource('web', { isApplied: false, state: 'refused', reason: 'No such field.' }), resource('db')];
    const { Applied, Degraded } = told({ resources: failing });
    assert.equal(Applied, 'False Failed: Not applied: Deployment shop/web (No such field).');
    assert.equal(Degraded, 'True Refused: The API server refuses: Deployment shop/web (No such field).');
    assert.match(
      told({ phase: 'applying', resources: [resource('web', { state: 'pending', isApplied: false })] })['Applied'] ??
        '',
      /^Unknown Applying/,
    );
  });

  test('say of what is kept that its newest manifest is refused, and whether it is as it was', () => {
    const kept = { isApplied: false, refusal: 'No such field.' } as const;
    const asBefore = told({ resources: [resource('web', { ...kept, state: 'refused', isAsLastApplied: true })] });
    assert.equal(asBefore['Applied'], 'False Failed: Not applied: Deployment shop/web (No such field).');
    assert.match(asBefore['InSync'] ?? '', /^True AsApplied/);
    assert.match(asBefore['Degraded'] ?? '', /^True Refused: .*web \(No such field\)\.$/);
    const drifted = told({ resources: [resource('web', { ...kept, state: 'drifted', paths: ['.a'] })] });
    assert.equal(drifted['InSync'], 'False DriftDetected: Not as applied: Deployment shop/web (.a).');
    for (const type of ['Applied', 'Degraded'] as const) assert.equal(drifted[type], asBefore[type]);
    const unknown = told({ resources: [resource('web', { ...kept, state: 'refused' })] });
    assert.match(unknown['InSync'] ?? '', /^Unknown NotObserved/);
  });

  test('say of each trouble what it is, the most lasting first', () => {
    const all = [
      resource('a', { state: 'backingOff', reason: 'r' }),
      resource('b', { state: 'typeMissing', reason: 'r' }),
      resource('c', { state: 'refused', reason: 'r' }),
      resource('d', { state: 'claimed', reason: 'by shop/other' }),
    ];
    const reasonWith = (from: number) => told({ resources: all.slice(0, from) })['Degraded']?.split(':')[0];
    assert.deepEqual([4, 3, 2, 1].map(reasonWith), [
      'True OwnershipConflict',
      'True Refused',
      'True NoKindMatch',
      'True Retrying',
    ]);
    assert.equal(
      told({ resources: all })['Degraded'],
      'True OwnershipConflict: Belongs to another application: Deployment shop/d (by shop/other).',
    );
  });

  test('name the rival of a fight', () => {
    const fought = resource('web', { state: 'drifted', paths: ['.spec.replicas'], conflictingManager: 'kubectl-edit' });
    assert.equal(
      told({ resources: [fought] })['Degraded'],
      'True CorrectionBackOff: Changed back repeatedly: Deployment shop/web (.spec.replicas) by kubectl-edit.',
    );
  });

  test('say what the end of an application or of a resource waits for', () => {
    const stuck = resource('web', { reason: 'may not be deleted' });
    assert.equal(
      told({ phase: 'deleting', resources: [stuck] })['Degraded'],
      'True DeletionBlocked: Not deleted: Deployment shop/web (may not be deleted).',
    );
    assert.match(told({ phase: 'deleting', resources: [stuck] })['InSync'] ?? '', /^Unknown Deleting/);
    const leaving = resource('web', { state: 'leaving', isApplied: false, reason: 'may not be deleted' });
    const { Applied, InSync, Degraded } = told({ resources: [leaving, resource('db')] });
    assert.match(Degraded ?? '', /^True DeletionBlocked/);
    assert.match(`${Applied} ${InSync}`, /^True AllApplied.*True AsApplied/);
  });

  test('carry what belongs to being in sync', () => {
    const notes = ['The replicas of Deployment shop/web are an autoscaler’s.'];
    assert.equal(told({ notes })['InSync'], `True AsApplied: Every observed field is as it was applied. ${notes[0]}`);
  });
});

suite('the condition Invalid', () => {
  const ofOne = reportedError({
    code: 'name',
    path: ['spec', 'manifests', 1, 'metadata', 'name'],
    message: 'missing',
    manifest: 1,
  });
  const ofWhole = reportedError({ code: 'spec', path: ['spec', 'mode'], message: 'found "x"', manifest: undefined });
  const ofSchema = { of: 'schema', place: 'spec.observerSchema[0]', message: 'has no leaf' } as const;

  test('has every fault in one sentence, and is named after the one that concerns most', () => {
    assert.equal(
      told({ faults: [ofSchema, ofOne] })['Invalid'],
      'True ManifestInvalid: 2 faults: spec.observerSchema[0]: has no leaf, spec.manifests[1].metadata.name: missing.',
    );
    assert.equal(
      told({ faults: [ofSchema] })['Invalid'],
      'True SchemaInvalid: One fault: spec.observerSchema[0]: has no leaf.',
    );
    assert.match(told({ faults: [ofSchema, ofOne, ofWhole] })['Invalid'] ?? '', /^True SpecInvalid: 3 faults/);
  });

  test('of one resource leaves the others applied and in sync', () => {
    const { Applied, InSync } = told({ faults: [ofOne] });
    assert.equal(Applied, 'False Invalid: All but what has faults is applied.');
    assert.match(InSync ?? '', /^True AsApplied/);
  });

  test('of the whole holds everything', () => {
    const { Applied, InSync } = told({ phase: 'invalid', faults: [ofWhole], resources: [] });
    assert.match(`${Applied} ${InSync}`, /^False Invalid: .* Unknown Invalid: /);
  });
});
