import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { reportedError } from '../../../src/observer/spec/application.ts';
import { applicationStateOf, worstState } from '../../../src/observer/status/applicationState.ts';
import type { ApplicationView, ResourceView } from '../../../src/observer/status/condition.ts';
import { conditionsOf } from '../../../src/observer/status/conditions.ts';

function resource(name: string, more: Partial<ResourceView> = {}): ResourceView {
  return {
    identity: { group: 'apps', kind: 'Deployment', namespace: 'shop', name },
    state: 'inSync',
    isApplied: true,
    reason: '',
    terminating: '',
    isDelayed: false,
    refusal: '',
    isAsLastApplied: false,
    unserved: '',
    paths: [],
    conflictingManager: undefined,
    wait: undefined,
    pending: '',
    ...more,
  };
}

function view(more: Partial<ApplicationView> = {}): ApplicationView {
  return {
    phase: 'observing',
    mode: 'correct',
    isSettling: false,
    pausedUntil: undefined,
    errors: [],
    accountError: '',
    notes: [],
    resources: [resource('web')],
    ...more,
  };
}

/** Each condition as `Type=Status Reason: message`. */
function textsOf(more: Partial<ApplicationView>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    conditionsOf(view(more)).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  );
}

suite('the conditions', () => {
  test('do not report the absence of failures while something is still to be applied', () => {
    const waiting = { resources: [resource('web', { isApplied: false, state: 'pending' })] };
    const degraded = (more: Partial<ApplicationView>) => textsOf(more)['Degraded'];
    assert.equal(degraded(waiting), 'False AsExpected: Nothing has failed so far.');
    assert.equal(degraded({ ...waiting, phase: 'applying' }), 'False AsExpected: Nothing has failed so far.');
    assert.equal(degraded({ ...waiting, mode: 'detect' }), 'False AsExpected: Nothing fails.');
    assert.equal(degraded({}), 'False AsExpected: Nothing fails.');
  });

  test('report for a missing service account that nothing is applied, if something is to be applied', () => {
    const accountError = 'Nothing is applied: the ServiceAccount shop/deployer does not exist.';
    const those = (more: Partial<ApplicationView>) => {
      const { Applied, Degraded } = textsOf({
        accountError,
        resources: [resource('web', { isApplied: false })],
        ...more,
      });
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

  test('report that a healthy application is applied and in sync', () => {
    assert.deepEqual(textsOf({}), {
      Ready: 'True AsApplied: Every observed field is as it was applied.',
      Applied: 'True AllApplied: All manifests are applied as they are now.',
      InSync: 'True AsApplied: Every observed field is as it was applied.',
      Degraded: 'False AsExpected: Nothing fails.',
      Invalid: 'False Valid: The spec has no errors.',
    });
  });

  test('list the fields of the resources that are not as applied', () => {
    const resources = [
      resource('web', { state: 'drifted', paths: ['.spec.replicas', '.spec.paused'] }),
      resource('db', { state: 'missing' }),
      resource('ok'),
    ];
    assert.equal(
      textsOf({ resources })['InSync'],
      'False DriftDetected: Not as applied: Deployment shop/web (.spec.replicas, .spec.paused), Deployment shop/db (missing).',
    );
    assert.equal(
      textsOf({ resources: resources.slice(1) })['InSync'],
      'False Missing: Not as applied: Deployment shop/db (missing).',
    );
  });

  test('still report drift while its correction is refused or retried', () => {
    for (const state of ['refused', 'backingOff', 'claimed'] as const) {
      assert.match(
        textsOf({ resources: [resource('web', { state, reason: 'No.', paths: ['.a'] })] })['InSync'] ?? '',
        /^False DriftDetected/,
      );
      assert.match(
        textsOf({ resources: [resource('web', { state, reason: 'No.' })] })['InSync'] ?? '',
        /^Unknown NotObserved/,
      );
    }
  });

  test('name at most five resources', () => {
    const resources = Array.from({ length: 8 }, (_, index) => resource(`web-${index}`, { state: 'missing' }));
    assert.match(textsOf({ resources })['InSync'] ?? '', /web-4 \(missing\) and 3 more\.$/);
  });

  test('report in mode detect that nothing is applied, and whether it is in sync', () => {
    const { Applied, InSync } = textsOf({ mode: 'detect', resources: [resource('web', { isApplied: false })] });
    assert.equal(Applied, 'False DetectOnly: Nothing is ever applied in mode detect.');
    assert.match(InSync ?? '', /^True AsApplied/);
  });

  test('report until when the application is paused', () => {
    const { Applied, InSync, Degraded } = textsOf({ phase: 'paused', pausedUntil: Date.UTC(2026, 10, 21, 18) });
    assert.equal(Applied, 'False Paused: Paused until 2026-11-21T18:00:00.000Z.');
    assert.equal(InSync, 'Unknown Paused: Paused until 2026-11-21T18:00:00.000Z.');
    assert.match(Degraded ?? '', /^False/);
  });

  test('report what is not applied and why, or that it is being applied', () => {
    const failing = [resource('web', { isApplied: false, state: 'refused', reason: 'No such field.' }), resource('db')];
    const { Applied, Degraded } = textsOf({ resources: failing });
    assert.equal(Applied, 'False Failed: Not applied: Deployment shop/web (No such field).');
    assert.equal(Degraded, 'True Refused: The API server refuses: Deployment shop/web (No such field).');
    assert.match(
      textsOf({ phase: 'applying', resources: [resource('web', { state: 'pending', isApplied: false })] })['Applied'] ??
        '',
      /^Unknown Applying/,
    );
  });

  test('report for a last known good resource that its current manifest is refused, and whether it is as applied', () => {
    const refused = { isApplied: false, refusal: 'No such field.' } as const;
    const asBefore = textsOf({ resources: [resource('web', { ...refused, state: 'refused', isAsLastApplied: true })] });
    assert.equal(asBefore['Applied'], 'False Failed: Not applied: Deployment shop/web (No such field).');
    assert.match(asBefore['InSync'] ?? '', /^True AsApplied/);
    assert.match(asBefore['Degraded'] ?? '', /^True Refused: .*web \(No such field\)\.$/);
    const drifted = textsOf({ resources: [resource('web', { ...refused, state: 'drifted', paths: ['.a'] })] });
    assert.equal(drifted['InSync'], 'False DriftDetected: Not as applied: Deployment shop/web (.a).');
    for (const type of ['Applied', 'Degraded'] as const) assert.equal(drifted[type], asBefore[type]);
    const unknown = textsOf({ resources: [resource('web', { ...refused, state: 'refused' })] });
    assert.match(unknown['InSync'] ?? '', /^Unknown NotObserved/);
  });

  test('report each problem, the most permanent first', () => {
    const resources = [
      resource('a', { state: 'backingOff', reason: 'r' }),
      resource('b', { state: 'typeMissing', reason: 'r' }),
      resource('c', { state: 'refused', reason: 'r' }),
      resource('d', { state: 'claimed', reason: 'by shop/other' }),
    ];
    const reasonWith = (from: number) => textsOf({ resources: resources.slice(0, from) })['Degraded']?.split(':')[0];
    assert.deepEqual([4, 3, 2, 1].map(reasonWith), [
      'True OwnershipConflict',
      'True Refused',
      'True NoKindMatch',
      'True Retrying',
    ]);
    assert.equal(
      textsOf({ resources })['Degraded'],
      'True OwnershipConflict: Belongs to another application: Deployment shop/d (by shop/other).',
    );
  });

  test('report when a cause was seen that is checked again much later, and when', () => {
    const wait = { from: Date.UTC(2026, 10, 21, 18), until: Date.UTC(2026, 10, 21, 18, 5) };
    const { Degraded } = textsOf({
      resources: [resource('web', { state: 'unverified', reason: 'It may not get.', wait })],
    });
    assert.equal(
      Degraded,
      'True Unverified: The account may not see: Deployment shop/web (It may not get; as of 2026-11-21T18:00:00Z, checked again at 2026-11-21T18:05:00Z).',
    );
    const fought = { state: 'drifted', paths: ['.a'], conflictingManager: 'kubectl-edit', wait } as const;
    assert.match(
      textsOf({ resources: [resource('web', fought)] })['Degraded'] ?? '',
      /by kubectl-edit, next correction at 2026-11-21T18:05:00Z\.$/,
    );
  });

  test('name the conflicting manager of repeated drift', () => {
    const fought = resource('web', { state: 'drifted', paths: ['.spec.replicas'], conflictingManager: 'kubectl-edit' });
    assert.equal(
      textsOf({ resources: [fought] })['Degraded'],
      'True CorrectionBackOff: Changed back repeatedly: Deployment shop/web (.spec.replicas) by kubectl-edit.',
    );
  });

  test('report what the deletion of an application or of a resource waits for', () => {
    const stuck = resource('web', { reason: 'may not be deleted' });
    assert.equal(
      textsOf({ phase: 'deleting', resources: [stuck] })['Degraded'],
      'True DeletionBlocked: Not deleted: Deployment shop/web (may not be deleted).',
    );
    assert.match(textsOf({ phase: 'deleting', resources: [stuck] })['InSync'] ?? '', /^Unknown Deleting/);
    const leaving = resource('web', { state: 'leaving', isApplied: false, reason: 'may not be deleted' });
    const { Applied, InSync, Degraded } = textsOf({ resources: [leaving, resource('db')] });
    assert.match(Degraded ?? '', /^True DeletionBlocked/);
    assert.match(`${Applied} ${InSync}`, /^True AllApplied.*True AsApplied/);
  });

  test('contain the notes about being in sync', () => {
    const notes = ['The replicas of Deployment shop/web are an autoscaler’s.'];
    assert.equal(
      textsOf({ notes })['InSync'],
      `True AsApplied: Every observed field is as it was applied. ${notes[0]}`,
    );
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

  test('has all errors in one sentence, and the reason of the one with the widest scope', () => {
    assert.equal(
      textsOf({ errors: [ofSchema, ofOne] })['Invalid'],
      'True ManifestInvalid: 2 errors: spec.observerSchema[0]: has no leaf, spec.manifests[1].metadata.name: missing.',
    );
    assert.equal(
      textsOf({ errors: [ofSchema] })['Invalid'],
      'True SchemaInvalid: One error: spec.observerSchema[0]: has no leaf.',
    );
    assert.match(textsOf({ errors: [ofSchema, ofOne, ofWhole] })['Invalid'] ?? '', /^True SpecInvalid: 3 errors/);
  });

  test('of one resource leaves the others applied and in sync', () => {
    const { Applied, InSync } = textsOf({ errors: [ofOne] });
    assert.equal(Applied, 'False Invalid: Manifests without errors are applied.');
    assert.match(InSync ?? '', /^True AsApplied/);
  });

  test('of the whole blocks everything', () => {
    const { Applied, InSync } = textsOf({ phase: 'invalid', errors: [ofWhole], resources: [] });
    assert.match(`${Applied} ${InSync}`, /^False Invalid: .* Unknown Invalid: /);
  });
});

const failures: readonly (readonly [word: string, failure: Partial<ResourceView>])[] = [
  ['blocked', { state: 'leaving', reason: 'refused' }],
  ['unverified', { state: 'unverified' }],
  ['claimed', { state: 'claimed' }],
  ['refused', { state: 'refused' }],
  ['typeMissing', { state: 'typeMissing' }],
  ['backingOff', { state: 'backingOff' }],
  ['contested', { state: 'drifted', conflictingManager: 'kubectl-edit/Update', paths: ['.data.a'] }],
  ['drifted', { state: 'drifted', paths: ['.data.a'] }],
  ['missing', { state: 'missing' }],
  ['pending', { state: 'pending' }],
];

test('Ready has the reason of the worst resource, and the word of an application is that of Ready', () => {
  const wordOf = (resources: readonly ResourceView[]) => {
    const [ready] = conditionsOf(view({ resources }));
    assert.equal(ready?.status, applicationStateOf(ready?.reason) === 'observing' ? 'True' : 'False');
    return applicationStateOf(ready?.reason);
  };
  assert.equal(wordOf([resource('web')]), 'observing');
  const views = failures.map(([word, failure]) => [word, resource(word, failure)] as const);
  for (const [index, [word, resourceView]] of views.entries()) {
    assert.equal(wordOf([resource('web'), resourceView]), word);
    const [, ...better] = views.slice(index).map(([, other]) => other);
    if (word === 'pending') continue;
    assert.equal(wordOf([...better, resource('web'), resourceView]), word, 'the others are not as bad');
  }
  assert.equal(worstState(['observing', 'drifted', 'refused']), 'refused');
  assert.equal(worstState([]), 'pending');
});
