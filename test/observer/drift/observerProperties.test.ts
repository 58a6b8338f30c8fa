import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { split } from '../../../src/observer/apply/split.ts';
import { compare } from '../../../src/observer/drift/compare.ts';
import { project } from '../../../src/observer/drift/project.ts';
import type { Manifest } from '../../../src/observer/objects/identity.ts';
import { type FieldMask, leaf } from '../../../src/observer/schema/fieldMask.ts';
import { readObserverSchema } from '../../../src/observer/schema/readObserverSchema.ts';
import { manifestOf } from '../../support/docs/manifests.ts';
import { maskOf } from '../../support/oracle/fieldMasks.ts';
import { type Case, cases, type Node, topologyOfNode } from '../../support/oracle/observerCases.ts';
import { type Leaf, leavesOf } from '../../support/oracle/observerLeaves.ts';
import { differs } from '../../support/oracle/observerOracle.ts';

const key = fc.constantFrom(
  'apiVersion',
  'metadata',
  'name',
  'spec',
  '__proto__',
  'observer_schema_list_min_length',
  'observer_schema_list_max_length',
  'observer_schema_list_key',
);
const identity = { apiVersion: 'example.org/v1', kind: 'Odd', metadata: { name: 'odd' } };

function laidOut({ node, manifest: spec, schema }: Case) {
  const topology = topologyOfNode({ type: 'map', isAtomic: false, fields: { spec: node } });
  const manifest: Manifest = manifestOf({ ...identity, spec });
  const mask: FieldMask = schema === undefined ? leaf : maskOf(manifest, { spec: schema });
  return { manifest, mask, topology };
}

function projected(example: Case, spec: object) {
  const { manifest, mask, topology } = laidOut(example);
  return project({ ...identity, spec }, manifest, mask, topology);
}

test('drift is reported exactly if something observed differs, for any kind, manifest, schema and edit', () =>
  assertMeets({ drifted: 300, same: 300 }, 3_000, (met) =>
    fc.property(cases, (example) => {
      const drifts = compare(projected(example, example.reply), projected(example, example.live));
      const isDrift = differs(example);
      met[isDrift ? 'drifted' : 'same'] += 1;
      assert.equal(drifts.length > 0, isDrift, JSON.stringify({ ...example, drifts }, undefined, 1));
    }),
  ));

test('the order of elements with keys or values is not observed', () => {
  fc.assert(
    fc.property(cases, (example) => {
      const turned = turnedRound(example.node, example.live);
      assert.ok(isObject(turned));
      const drifts = compare(projected(example, example.live), projected(example, turned));
      assert.deepEqual(drifts, [], JSON.stringify({ ...example, turned }));
    }),
    propertyRuns(1_000),
  );
});

/** The value with the elements of each map list and set reversed, except for lists with duplicates. */
function turnedRound(node: Node | undefined, value: unknown): unknown {
  if (isObject(value)) {
    const below = (name: string) =>
      node?.type === 'map' && Object.hasOwn(node.fields, name) ? node.fields[name] : undefined;
    if (node?.type === 'map' && node.isAtomic) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, turnedRound(below(name), each)]));
  }
  if (!Array.isArray(value) || node?.type !== 'list' || node.list === 'atomic' || node.list === 'unknown') return value;
  const ids = value.map((each) => JSON.stringify(isObject(each) ? [each['k'], each['p'] ?? 'TCP'] : each));
  const isClear =
    value.every((each) => isObject(each) === (node.items.type === 'map')) && new Set(ids).size === ids.length;
  return isClear ? value.map((each) => turnedRound(node.items, each)).toReversed() : value;
}

test('the parts of a manifest form the whole, each field is in the right part, and only keys are in both', () => {
  fc.assert(
    fc.property(cases, (example) => {
      const { manifest, mask, topology } = laidOut(example);
      const { whole, observed, unobserved } = split(manifest, mask, topology);
      const leaves = leavesOf(example.node, example.manifest, example.schema ?? 'observed');
      const message = JSON.stringify({ ...example, observed, unobserved });
      assert.deepEqual(specOf(whole), example.manifest);
      const [own, init] = [pathsOf(example, observed), pathsOf(example, unobserved ?? {})];
      for (const leaf of leaves) {
        assert.ok(
          own.has(leaf.path) === leaf.isObserved || (leaf.isKey && own.has(leaf.path)),
          `${leaf.path} ${message}`,
        );
        assert.ok(init.has(leaf.path) !== leaf.isObserved || leaf.isKey, `${leaf.path} ${message}`);
        const value = own.get(leaf.path) ?? init.get(leaf.path);
        assert.deepEqual(value?.value, leaf.value, message);
      }
      const paths = new Set(leaves.map(({ path }) => path));
      assert.ok(
        [...own.keys(), ...init.keys()].every((path) => paths.has(path)),
        message,
      );
    }),
    propertyRuns(2_000),
  );
});

test('each element of a part contains the keys that the manifest has', () => {
  fc.assert(
    fc.property(cases, (example) => {
      const { manifest, mask, topology } = laidOut(example);
      const { observed, unobserved } = split(manifest, mask, topology);
      const keys = leavesOf(example.node, example.manifest, 'observed').filter(({ isKey }) => isKey);
      for (const part of [pathsOf(example, observed), pathsOf(example, unobserved ?? {})])
        for (const { path } of keys) {
          const element = path.slice(0, path.lastIndexOf('/'));
          const isThere = [...part.keys()].some((other) => other.startsWith(`${element}/`));
          assert.ok(!isThere || part.has(path), `${path} ${JSON.stringify({ ...example, observed, unobserved })}`);
        }
    }),
    propertyRuns(1_000),
  );
});

function specOf(body: JsonObject): JsonObject {
  return objectOf(body['spec']);
}

function pathsOf({ node }: Case, body: JsonObject): ReadonlyMap<string, Leaf> {
  return new Map('spec' in body ? leavesOf(node, body['spec'], 'observed').map((leaf) => [leaf.path, leaf]) : []);
}

test('any value for a schema is read or refused, and every error has a path', () => {
  const words = fc.constantFrom(null, 'observed', 'observer_schema_list_min_length', 'metadata', 'name', 1, -1, 0.5);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      words,
      fc.anything(),
      fc.array(tie('tree')),
      fc.dictionary(key, tie('tree')),
    ),
  }));
  fc.assert(
    fc.property(
      fc.oneof(tree, fc.array(fc.record({ apiVersion: tree, kind: tree, metadata: tree, spec: tree }))),
      (value) => {
        const { errors, entries } = readObserverSchema(value);
        assert.ok(errors.every(({ where, message }) => where.startsWith('observerSchema') && message !== ''));
        assert.ok(
          value === null ||
            value === undefined ||
            !Array.isArray(value) ||
            errors.length > 0 ||
            entries.size === value.length,
        );
      },
    ),
    propertyRuns(1_000),
  );
});
