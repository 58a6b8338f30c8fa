import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedDraft } from '../../src/events/bounds.ts';
import { type EventDraft, eventBody, type ObjectRef } from '../../src/events/event.ts';
import { occurrence, recordingEvents } from '../../testing/recordingEvents.ts';

const huge = 'x'.repeat(1_200_000);
const { regarding: pod } = occurrence();
const about = (part: Partial<ObjectRef>): EventDraft => ({ ...occurrence(), regarding: { ...pod, ...part } });
const noteOf = (note: string) => boundedDraft(occurrence({ note }))?.note ?? assert.fail('not bounded');

test('a note has at most 1 kB, and only whole characters', () => {
  assert.equal(noteOf('a'.repeat(1024)), 'a'.repeat(1024));
  assert.equal(noteOf('a'.repeat(1025)), `${'a'.repeat(1021)}…`);
  const cut = noteOf('🌱'.repeat(500));
  assert.equal(cut, `${'🌱'.repeat(255)}…`);
  assert(Buffer.byteLength(cut) <= 1024);
  assert.equal(noteOf('first\nsecond\tthird \u{1b}[2J \u{0} \ud83c'), 'first\nsecond\tthird  [2J   \ufffd');
});

test('an Event about an object that can exist stays as it is', () => {
  const objects: readonly Partial<ObjectRef>[] = [
    {},
    { name: `${'a'.repeat(126)}.${'b'.repeat(126)}`, namespace: 'n'.repeat(63), uid: undefined },
    { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', uid: '8c4a0b0e-8d9c-4e26-9f3f-2b7f9a1c5d6e' },
    { kind: 'Deployment', controllerOf: { ...pod, kind: 'ReplicaSet' } },
  ];
  for (const object of objects) assert.deepEqual(boundedDraft(about(object)), about(object));
});

test('an Event about an object that cannot exist is not sent, but counted', async () => {
  const api = recordingEvents();
  const impossible: readonly Partial<ObjectRef>[] = [
    { name: huge },
    { name: 'a'.repeat(254) },
    { name: '../secrets/a' },
    { name: 'Web' },
    { name: '' },
    { namespace: 'a/b' },
    { uid: huge },
    { uid: 'a"b' },
    { kind: huge },
    { kind: 'Pod/status' },
    { apiVersion: huge },
    { apiVersion: `${'a'.repeat(260)}/v1` },
  ];
  for (const object of impossible) api.recorder.record(about(object));
  api.recorder.record(occurrence());
  await api.clock.pass(15_000);
  assert.deepEqual([api.requests.length, api.recorder.lost.impossibleObject], [1, impossible.length]);
  assert.deepEqual(api.logged, [
    { event: { lost: { impossibleObject: impossible.length } }, sentence: 'some Events were not written' },
  ]);
});

test('the body of an Event is below 4 KB, whatever the texts of others are', () => {
  const longest = {
    apiVersion: `${'a'.repeat(250)}/v1`,
    kind: 'K'.repeat(63),
    namespace: 'n'.repeat(63),
    name: 'a'.repeat(253),
    uid: 'u'.repeat(64),
    controllerOf: { ...pod, name: huge },
  };
  const source = { controller: 'weeder.dev/weeder', instance: 'n'.repeat(1_000) };
  for (const note of ['\\', '"', '\n', '\u{0}', '\u{1b}', 'é', '🌱', '\ud83c']) {
    const texts = { reason: 'r'.repeat(1_000), action: 'a'.repeat(1_000), note: note.repeat(400_000) };
    const draft = boundedDraft({ regarding: longest, type: 'Warning', ...texts }) ?? assert.fail('not bounded');
    assert.deepEqual([draft.reason.length, draft.action.length, draft.regarding.controllerOf], [126, 126, undefined]);
    const body = eventBody('n'.repeat(253), draft, source, Date.now(), { count: 1_000_000, lastObserved: Date.now() });
    const bytes = Buffer.byteLength(JSON.stringify(body));
    assert(bytes < 4_096, `${JSON.stringify(note)}: ${bytes}`);
  }
});
