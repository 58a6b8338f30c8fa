import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft } from '@weeder/kube-runtime/events';
import { pino } from 'pino';
import { detailOf, logByTable, recordByTable } from '../../src/controller/report/readers.ts';
import { normal, reasonsOn, warningIf } from '../../src/controller/report/reasons.ts';
import { decision, logLine, onPage, report, type TableOf } from '../../src/controller/report/reportTable.ts';

type LampEvent =
  | { readonly type: 'lamp.lit'; readonly name: string; readonly watts: number }
  | { readonly type: 'lamp.broken'; readonly name: string }
  | { readonly type: 'fuse.blown' };

const { normal: usual, either } = reasonsOn('lamp');
const reasons = {
  Lit: either('Light', 'Glow').means('It is lit.'),
  Off: usual('Wait').means('It is off.'),
};
type LampTable = TableOf<LampEvent, typeof reasons, 'lit', { readonly limit: number }>;

const table: LampTable = {
  'lamp.lit': {
    ...decision('lit', onPage),
    log: ({ watts }, { limit }) => (watts > limit ? logLine.warn : logLine.info)('lamp lit', { watts }),
    event: ({ watts }, { limit }) => (watts === 0 ? undefined : warningIf(watts > limit, 'Lit', 'Light', `${watts} W`)),
    outcome: () => 'lit',
    detail: ({ watts }) => `${watts} W`,
  },
  'lamp.broken': { ...report('broken'), log: () => logLine.error('lamp broken') },
  'fuse.blown': {
    ...report('fuse blown'),
    log: () => logLine.debug('fuse blown'),
    event: () => normal('Off', 'Wait', 'All.'),
  },
};

const lit = (watts: number): LampEvent => ({ type: 'lamp.lit', name: 'desk', watts });
const nameOf = (event: LampEvent) => ('name' in event ? event.name : undefined);

test('a log line has the level and the fields of its row after those that all events have', () => {
  const lines: string[] = [];
  const logger = pino(
    { base: null, timestamp: false, level: 'debug' },
    { write: (line: string) => void lines.push(line.trim()) },
  );
  const log = logByTable(table, (event: LampEvent) => ({ name: nameOf(event) }), logger, { limit: 60 });
  for (const event of [lit(40), lit(100), { type: 'lamp.broken', name: 'desk' } as const]) log(event);
  assert.deepEqual(lines, [
    '{"level":30,"name":"desk","watts":40,"msg":"lamp lit"}',
    '{"level":40,"name":"desk","watts":100,"msg":"lamp lit"}',
    '{"level":50,"name":"desk","msg":"lamp broken"}',
  ]);
});

test('an Event is recorded if its row has one for this event, and if it is about an object', () => {
  const drafts: EventDraft[] = [];
  const asked: string[] = [];
  const regarding = (event: LampEvent) => {
    asked.push(event.type);
    const name = nameOf(event);
    return name === undefined ? undefined : { apiVersion: 'v1', kind: 'Lamp', namespace: 'home', name, uid: undefined };
  };
  const record = recordByTable(table, regarding, (draft) => drafts.push(draft), { limit: 60 });
  for (const event of [lit(0), lit(40), lit(100)]) record(event);
  record({ type: 'lamp.broken', name: 'desk' });
  record({ type: 'fuse.blown' });
  assert.deepEqual(
    drafts.map(({ regarding: { name }, type, reason, action, note }) => [name, type, reason, action, note]),
    [
      ['desk', 'Normal', 'Lit', 'Light', '40 W'],
      ['desk', 'Warning', 'Lit', 'Light', '100 W'],
    ],
  );
  assert.deepEqual(asked, ['lamp.lit', 'lamp.lit', 'fuse.blown']);
});

test('the detail of a row without one is empty', () => {
  assert.equal(detailOf(table, lit(40)), '40 W');
  assert.equal(detailOf(table, { type: 'fuse.blown' }), '');
});

test('the compiler refuses an Event with a reason, a type or an action that is not documented', () => {
  const row = { ...report('lit'), log: () => logLine.info('lit') };
  const tables: readonly LampTable[] = [
    { ...table, 'lamp.lit': { ...row, event: () => normal('Lit', 'Glow', '') } },
    // @ts-expect-error: the reason is unknown.
    { ...table, 'lamp.lit': { ...row, event: () => normal('Dark', 'Light', '') } },
    // @ts-expect-error: the action belongs to another reason.
    { ...table, 'lamp.lit': { ...row, event: () => normal('Off', 'Light', '') } },
    // @ts-expect-error: this reason is never a Warning.
    { ...table, 'fuse.blown': { ...row, event: () => warningIf(true, 'Off', 'Wait', '') } },
    // @ts-expect-error: the result is unknown to the metrics.
    { ...table, 'lamp.lit': { ...row, outcome: () => 'broken' } },
    // @ts-expect-error: a type of event has no row.
    { 'lamp.lit': row, 'lamp.broken': row },
  ];
  assert.equal(tables.length, 6);
});
