import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { application } from '../../machines/observer/application.ts';
import { resource } from '../../machines/observer/resource.ts';
import { rollout } from '../../machines/restart/rollout.ts';
import { workload } from '../../machines/restart/workload.ts';
import { dependants } from '../../machines/weeder/dependants.ts';
import { endpoint } from '../../machines/weeder/endpoint.ts';
import { podDeletion } from '../../machines/weeder/podDeletion.ts';
import { cpuTime } from '../support/cpuTime.ts';
import { rareOfApplication, rareOfResource } from '../support/objects/observerRare.ts';
import { rareTransitions } from '../support/objects/workloadRare.ts';
import { transitionCoverage, transitionsOf } from '../support/oracle/transitionCoverage.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { readReplay } from '../support/replay/replayFile.ts';
import { play } from '../support/replay/replayRun.ts';
import { lineOf } from '../support/replay/replayTimeline.ts';

const folder = join(import.meta.dirname, '../replays');
const files = globSync('*/*.yaml', { cwd: folder }).toSorted();
const recordings = globSync('*/*.jsonl', { cwd: folder }).toSorted();
const machines = [endpoint, dependants, podDeletion, workload, rollout, application, resource];
const coverage = transitionCoverage();
let report = '';

const noLateTimer = 'in a replay no timer is late; behaviourSuspended.test.ts has late ones';

/** Transitions that no replay takes, and why: they are taken in workloadMachineRare and observerMachineRare.test.ts. */
const unreachable: Readonly<Record<string, string>> = {
  'dependants.closing -- xstate.error.actor.pendingOutcomes -> dependants.closed':
    'this effect throws only because of a bug in weeder',
  'podDeletion.waiting.over -- deletion.withdrawn -> podDeletion.abandoned': noLateTimer,
  'podDeletion.attempting.queued -- slot.granted [isOver] -> podDeletion.waiting.over': noLateTimer,
  'podDeletion.attempting.queued -- slot.granted [isOutOfTurn] -> podDeletion.deciding': noLateTimer,
  'podDeletion.attempting.queued -- slot.granted -> podDeletion.deciding':
    'in a replay the slots suffice; behaviourMaintenance.test.ts has a deletion that waits for one',
  ...Object.fromEntries(
    [...rareTransitions, ...rareOfApplication, ...rareOfResource].map(({ name, why }) => [name, why]),
  ),
};

after(() => console.log(report));

for (const file of files) {
  const read = readReplay(join(folder, file));
  test(read.ok ? `${file}: ${read.value.title}` : file, async () => {
    if (!read.ok) assert.fail(read.error.join('\n'));
    const used = cpuTime();
    const { failures, timeline } = await play(read.value, coverage.inspect);
    if (failures.length > 0) assert.fail([...failures, 'seen:', ...timeline.map(lineOf)].join('\n'));
    assert.ok(used() < 2000, 'simulated time took two seconds of a processor');
  });
}

for (const file of recordings) {
  test(`${file}: a replay repeats the recorded decisions`, async () => {
    assert.deepEqual(await playRecording(join(folder, file)), []);
  });
}

test('every file in the folder is a replay', () => {
  const storedFiles = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.equal(storedFiles.length, files.length + recordings.length);
  assert.ok(recordings.length > 0);
});

test('all replays together take every transition of the machines', () => {
  const lines = machines.map((machine) => {
    const total = transitionsOf(machine).length;
    return `${machine.id}: ${total - coverage.missing(machine).length} of ${total} transitions`;
  });
  const missing = machines.flatMap((machine) => coverage.missing(machine)).map(({ name }) => name);
  const names = missing.map(
    (name) => `never taken: ${name}${unreachable[name] === undefined ? '' : ` (${unreachable[name]})`}`,
  );
  report = [`${files.length + recordings.length} replays`, ...lines, ...names].join('\n');
  assert.deepEqual(missing.toSorted(), Object.keys(unreachable).toSorted(), report);
});
