import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { baselineOf } from '../../../../src/observer/drift/baseline.ts';
import { compare } from '../../../../src/observer/drift/compare.ts';
import { project } from '../../../../src/observer/drift/project.ts';
import { walk } from '../../../../src/observer/objects/livePaths.ts';
import type { Drift } from '../../../../src/observer/objects/projection.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { type RandomCase, randomCases, randomUpdates } from '../../../support/objects/randomDeployments.ts';
import { applying, driftsOf, good } from '../../support/observer/applying.ts';

/** By path: every value of a spec and of the labels that one manager owns; atomic lists are one value. */
function valuesIn(object: JsonObject, { topology }: ResourcePlan): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const { metadata, spec } = object;
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  walk({ metadata: { labels: labels ?? {} }, spec }, topology, (text, _path, value, place) => {
    if (!isObject(value) || place.map === 'atomic') values.set(text, value);
    return true;
  });
  for (const path of [...values.keys()])
    if ([...values.keys()].some((each) => each !== path && isWithin(each, path))) values.delete(path);
  return values;
}

/** The same, and the values in such lists one by one, as JSON. */
function leavesIn(object: JsonObject, plan: ResourcePlan): Map<string, string> {
  const leaves = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const [i, element] of value.entries()) add(`${path}[${i}]`, element);
    else if (isObject(value)) for (const [name, below] of Object.entries(value)) add(`${path}.${name}`, below);
    else leaves.set(path, JSON.stringify(value));
  };
  for (const [path, value] of valuesIn(object, plan)) add(path, value);
  return leaves;
}

const isWithin = (path: string, above: string) =>
  path === above || (path.startsWith(above) && /^[.[]/.test(path.slice(above.length)));

/** Whether a path may have been written: it differed, or lies in something that was deleted and had observed parts. */
function mayWrite(path: string, drifts: readonly Drift[], seen: ReadonlyMap<string, string>): boolean {
  if (drifts.some((drift) => isWithin(path, drift.path))) return true;
  const ancestor = [...path.matchAll(/[.[]/g)]
    .map(({ index }) => path.slice(0, index))
    .find((above) => above !== '' && ![...seen.keys()].some((each) => isWithin(each, above)));
  return ancestor !== undefined && drifts.some((drift) => isWithin(drift.path, ancestor));
}

test('for any manifest, schema and edit, a correction ends in sync, and writes only what differed', async (t) => {
  const it = await applying(t, 'properties');

  async function holds({ manifest, observed, edit }: RandomCase, met: Record<'drifted' | 'accepted edits', number>) {
    const plan = await it.plan(manifest, observed === undefined ? {} : { observed });
    const reply = good(await it.api.create(plan, it.signal)).object;
    try {
      const body = edit(await it.live(plan));
      const answer = await it.ns.cluster.send('PUT', `${plan.target.path}?fieldManager=kubectl-edit`, { body });
      if (answer.status === 200) met['accepted edits'] += 1;
      const seen = await it.live(plan);
      const drifts = driftsOf(plan, reply, seen);
      if (drifts.length > 0) met.drifted += 1;
      good(await it.api.correct(plan, seen, drifts, it.signal));
      const live = await it.live(plan);
      const what = () => JSON.stringify({ manifest, observed, body, drifts, live: live['spec'] });
      assert.deepEqual(driftsOf(plan, reply, live), [], what());
      const [before, after] = [leavesIn(seen, plan), leavesIn(live, plan)];
      for (const path of new Set([...before.keys(), ...after.keys()])) {
        if (before.get(path) === after.get(path)) continue;
        assert(mayWrite(path, drifts, before), `${path}: ${before.get(path)} -> ${after.get(path)} ${what()}`);
      }
    } finally {
      await it.ns.cluster.api('DELETE', plan.target.path);
    }
  }

  await assertMeets({ drifted: 20, 'accepted edits': 40 }, 60, (met) =>
    fc.asyncProperty(randomCases, (each) => holds(each, met)),
  );
});

/** Observed paths, by a projection of the manifest itself. */
function observedIn({ manifest, mask, topology }: ResourcePlan): ReadonlySet<string> {
  const { fields } = project(manifest.object, manifest, mask, topology);
  return new Set(fields.keys());
}

test('for any update of an edited resource, new values are set, and other clients’ changes of the rest are preserved', async (t) => {
  const it = await applying(t, 'updates');

  async function holds([first, second]: readonly [RandomCase, RandomCase], met: Record<Rule, number>) {
    const planned = ({ manifest, observed }: RandomCase, before?: ResourcePlan) =>
      it.plan(manifest, {
        ...(observed === undefined ? {} : { observed }),
        ...(before === undefined ? {} : { before }),
      });
    const before = await planned(first);
    good(await it.api.create(before, it.signal));
    try {
      const body = first.edit(await it.live(before));
      await it.ns.cluster.send('PUT', `${before.target.path}?fieldManager=kubectl-edit`, { body });
      const plan = await planned(second, before);
      const seen = await it.live(plan);
      good(await it.api.update(plan, seen, it.signal));
      const between = await it.live(plan);
      const desired = baselineOf(plan, good(await it.api.dryRunApply(plan, it.signal)));
      const drifts = compare(desired, project(between, plan.manifest, plan.mask, plan.topology));
      const [was, is] = [seen['spec'], between['spec']];
      const what = JSON.stringify({ first, second, drifts, was, is });
      assert(
        drifts.every(({ type }) => type === 'excess' || type === 'duplicate'),
        `only what others added is left: ${what}`,
      );
      checkRest(plan, before, seen, between, met, what);
      if (drifts.length > 0) good(await it.api.correct(plan, between, drifts, it.signal));
      const projection = project(await it.live(plan), plan.manifest, plan.mask, plan.topology);
      assert.deepEqual(compare(desired, projection), [], what);
    } finally {
      await it.ns.cluster.api('DELETE', before.target.path);
    }
  }

  await assertMeets({ preserved: 50, set: 50, removed: 20, leftOut: 0, theirs: 0 }, 60, (met) =>
    fc.asyncProperty(randomUpdates, (each) => holds(each, met)),
  );
});

/** Unobserved values after the update: set if the manifest has changed them, and otherwise unchanged. */
function checkRest(
  plan: ResourcePlan,
  before: ResourcePlan,
  seen: JsonObject,
  live: JsonObject,
  met: Record<Rule, number>,
  what: string,
): void {
  const [was, previous, next, is] = [seen, before.manifest.object, plan.manifest.object, live].map(
    (object) => new Map([...valuesIn(object, plan)].map(([path, value]) => [path, JSON.stringify(value)])),
  );
  assert(was && previous && next && is);
  const observed = [...observedIn(plan)];
  for (const path of new Set([...was.keys(), ...previous.keys(), ...next.keys(), ...is.keys()])) {
    if (observed.some((each) => isWithin(path, each) || isWithin(each, path))) continue;
    const values: Values = { was: was.get(path), previous: previous.get(path), next: next.get(path), is: is.get(path) };
    const rule = ruleFor(values);
    met[rule] += 1;
    assert(wasFollowed[rule](values), `${rule} ${path}: ${JSON.stringify(values)} ${what}`);
  }
}

/** One value: as it was seen, as the manifest had it and has it now, and as it is; undefined: absent. */
type Values = Readonly<Record<'was' | 'previous' | 'next' | 'is', string | undefined>>;
type Rule = 'set' | 'preserved' | 'leftOut' | 'removed' | 'theirs';

function ruleFor({ was, previous, next }: Values): Rule {
  if (next !== undefined && next !== previous) return 'set';
  if (next !== undefined) return was === undefined ? 'leftOut' : 'preserved';
  return previous === undefined ? 'theirs' : 'removed';
}

const wasFollowed: Readonly<Record<Rule, (values: Values) => boolean>> = {
  /** The manifest has another value than before. */
  set: ({ next, is }) => is === next,
  preserved: ({ was, is }) => is === was,
  /** Another client removed it: it is still absent, unless it lay in something that was created again. */
  leftOut: ({ next, is }) => is === undefined || is === next,
  /** It left the manifest: it is removed, unless another client has written it. */
  removed: ({ was, is }) => is === undefined || is === was,
  theirs: ({ was, is }) => is === undefined || is === was || was === undefined,
};
