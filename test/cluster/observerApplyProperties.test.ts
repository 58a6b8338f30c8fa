import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/json.ts';
import { visit } from '../../src/observer/livePaths.ts';
import type { Drift } from '../../src/observer/projection.ts';
import type { ResourcePlan } from '../../src/observer/resourceApi.ts';
import { type RandomCase, randomCases } from '../support/randomDeployments.ts';
import { applying, driftsOf, good } from './support/applying.ts';

/** By path: every value of a spec and of the labels that is no list or map. */
function leavesIn(object: JsonObject, { structure }: ResourcePlan): Map<string, string> {
  const leaves = new Map<string, string>();
  const { metadata, spec } = object;
  const labels = typeof metadata === 'object' && metadata !== null && 'labels' in metadata ? metadata.labels : {};
  visit({ metadata: { labels }, spec }, structure, (text, _path, value) => {
    if (typeof value !== 'object' || value === null) leaves.set(text, JSON.stringify(value));
    return true;
  });
  return leaves;
}

const isWithin = (path: string, above: string) =>
  path === above || (path.startsWith(above) && /^[.[]/.test(path.slice(above.length)));

/** Whether a path may have been written: it differed, or it lies in something that was gone and had observed parts. */
function mayWrite(path: string, drifts: readonly Drift[], seen: ReadonlyMap<string, string>): boolean {
  if (drifts.some((drift) => isWithin(path, drift.path))) return true;
  const gone = [...path.matchAll(/[.[]/g)]
    .map(({ index }) => path.slice(0, index))
    .find((above) => above !== '' && ![...seen.keys()].some((each) => isWithin(each, above)));
  return gone !== undefined && drifts.some((drift) => isWithin(drift.path, gone));
}

test('of any manifest, schema and edit, a correction ends in sync, and writes nothing but what differed', async (t) => {
  const it = await applying(t, 'properties');
  const seenSoFar = { drifted: 0, same: 0, refused: 0 };

  async function holds({ manifest, observed, edit }: RandomCase) {
    const plan = await it.plan(manifest, observed === undefined ? {} : { observed });
    const made = good(await it.api.create(plan, it.signal)).object;
    try {
      const body = edit(await it.live(plan));
      const answer = await it.ns.cluster.send('PUT', `${plan.target.path}?fieldManager=kubectl-edit`, { body });
      if (answer.status !== 200) seenSoFar.refused += 1;
      const seen = await it.live(plan);
      const drifts = driftsOf(plan, made, seen);
      seenSoFar[drifts.length > 0 ? 'drifted' : 'same'] += 1;
      good(await it.api.correct(plan, seen, drifts, it.signal));
      const live = await it.live(plan);
      const what = () => JSON.stringify({ manifest, observed, body, drifts, live: live['spec'] }, undefined, 1);
      assert.deepEqual(driftsOf(plan, made, live), [], what());
      const [before, after] = [leavesIn(seen, plan), leavesIn(live, plan)];
      for (const path of new Set([...before.keys(), ...after.keys()])) {
        if (before.get(path) === after.get(path)) continue;
        assert(mayWrite(path, drifts, before), `${path}: ${before.get(path)} -> ${after.get(path)} ${what()}`);
      }
    } finally {
      await it.ns.cluster.api('DELETE', plan.target.path);
    }
  }

  await fc.assert(fc.asyncProperty(randomCases, holds), { numRuns: Number(process.env['RUNS'] ?? 60) });
  assert(seenSoFar.drifted > 20 && seenSoFar.refused < 20, JSON.stringify(seenSoFar));
});
