import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { merging } from '@weeder/embedded-cluster/conformance';
import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { contentOf } from '../../../src/observer/drift/content.ts';
import { stepTextOf } from '../../../src/observer/drift/fieldsV1.ts';
import { elementStep, elementText } from '../../../src/observer/objects/path.ts';
import type { SchemaNode } from '../../../src/observer/objects/schemaNode.ts';
import type { ResourcePlan } from '../../../src/observer/plan/resourceApi.ts';
import { eventually, sharedControlPlane } from '../support/cluster.ts';
import { type Applying, applying, driftsOf } from '../support/observer/applying.ts';
import { builtInListsFile, builtInPaths, extractBuiltInLists } from '../support/observer/builtInLists.ts';
import { gadgetDefinition, objectsOfKinds } from '../support/observer/kindsOfObjects.ts';
import { at } from '../support/observer/observedObjects.ts';
import { extractFile, extractOpenapi, readDocument } from '../support/observer/openapiExtract.ts';
import { minorVersion, skipBefore } from '../support/plane/apiServerVersion.ts';
import { kubernetesVersion } from '../support/plane/kubernetesVersions.ts';

const newest = Number(kubernetesVersion().minor.split('.')[1]);

suite('the documents of the API server about lists and maps match its behaviour', { concurrency: true }, () => {
  test('the documents in the tests without a server are those of the server', async (t) => {
    const cluster = await sharedControlPlane();
    if (await skipBefore(t, cluster, newest, 'the documents are those of the newest version')) return;
    const extracted = await extractOpenapi(cluster);
    assert.ok(extracted === readFileSync(extractFile, 'utf8'), 'run test/cluster/support/observer/openapiExtract.ts');
  });

  test('weeder check knows every list with keys, and every set, of the server’s documents', async () => {
    const cluster = await sharedControlPlane();
    const text = readFileSync(builtInListsFile, 'utf8');
    // Older versions have fewer lists.
    const isNewest = (await minorVersion(cluster)) >= newest;
    if (isNewest) {
      assert.ok((await extractBuiltInLists(cluster)) === text, 'run test/cluster/support/observer/builtInLists.ts');
    }
    const builtInLists: unknown = JSON.parse(text);
    let compared = 0;
    for (const path of await builtInPaths(cluster)) {
      const real = objectOf(await readDocument(cluster, path));
      const [version = '', group = ''] = path
        .replace(/^apis?\//, '')
        .split('/')
        .toReversed();
      const ofPath = onlyOf(objectOf(builtInLists), group, version);
      const there = new Set(kindsIn(real));
      // A schema in a definition of kinds contains itself: its lists are endless.
      there.delete('CustomResourceDefinition');
      for (const kind of kindsIn(ofPath).filter((each) => there.has(each))) {
        const expected = keyedLists(merging(real, kind));
        const known = [...keyedLists(merging(ofPath, kind))].filter(([list]) => isNewest || expected.has(list));
        assert.deepEqual(new Map(known), expected, `${path} ${kind}`);
        compared += expected.size;
      }
    }
    assert.ok(compared > 400, `${compared}`);
  });

  test('every list in the objects of every built-in kind has a known list topology', async () => {
    const cluster = await sharedControlPlane();
    const paths = await builtInPaths(cluster);
    const lists = (await Promise.all(paths.map((path) => readDocument(cluster, path)))).flatMap(listsIn);
    assert.ok(lists.length > 400, `${lists.length}`);
    const silent = lists.filter(({ schema }) => schema['x-kubernetes-list-type'] === undefined);
    // It lists the kinds, and is not a part of an object.
    assert.deepEqual([...new Set(silent.map(({ name }) => name))], ['APIResource.verbs']);
  });

  for (const object of objectsOfKinds)
    test(`of a ${String(object['kind'])} a manager owns exactly the fields that the list topology predicts`, async (t) => {
      const applied = await apply(await applying(t, 'topology'), object);
      const { manifest, topology } = applied.plan;
      const owned = new Set<string>();
      const entry = [at(applied.reply, 'metadata', 'managedFields')].flat().map(objectOf).find(isOwn);
      ownedIn(objectOf(entry?.['fieldsV1']), '', owned);
      const expected = new Set<string>();
      leavesIn(contentOf(manifest.object), topology, '', expected);
      assert.deepEqual([...owned].toSorted(), [...expected].toSorted());
    });

  for (const object of objectsOfKinds)
    test(`of a ${String(object['kind'])} each accepted change of a field in the manifest is drift, and nothing else is`, async (t) => {
      const on = await applying(t, 'topology');
      const { plan, reply } = await apply(on, object);
      const live = await on.live(plan);
      assert.deepEqual(driftsOf(plan, reply, live), []);
      let accepted = 0;
      for (const patch of patchesOf(plan.manifest.object, live)) {
        const path = `${plan.target.path}?dryRun=All&fieldManager=human`;
        const answer = await on.ns.cluster.send('PATCH', path, {
          body: [patch],
          contentType: 'application/json-patch+json',
        });
        if (answer.status !== 200) continue;
        const changed = JSON.stringify(settled(objectOf(answer.body))) !== JSON.stringify(settled(live));
        const drifts = driftsOf(plan, reply, objectOf(answer.body));
        assert.equal(
          drifts.length > 0,
          changed && !isAddedToShared(patch, live),
          `${JSON.stringify(patch)}: ${JSON.stringify(drifts)}`,
        );
        accepted += changed ? 1 : 0;
      }
      assert.ok(accepted > 0, 'something of it can be changed');
      t.diagnostic(`${accepted} changes`);
    });
});

/** A step of a JSON patch. */
interface Patch {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** Controllers add to these lists, whatever the manifest has. */
function isAddedToShared({ op, path, value }: Patch, live: JsonObject): boolean {
  const list = /^\/metadata\/(finalizers|ownerReferences)\//.exec(path)?.[1];
  return op === 'add' && list !== undefined && !arrayOf(at(live, 'metadata', list)).includes(value);
}

/** A document of the kinds of one group and version; their fields are in it. */
function onlyOf(schemas: JsonObject, group: string, version: string): JsonObject {
  const isIt = (kind: JsonObject) => kind['group'] === group && kind['version'] === version;
  const those = Object.entries(schemas).map(([name, schema]) => {
    const { 'x-kubernetes-group-version-kind': kinds, ...rest } = objectOf(schema);
    const own = arrayOf(kinds).map(objectOf).filter(isIt);
    return [name, own.length === 0 ? rest : { ...rest, 'x-kubernetes-group-version-kind': own }] as const;
  });
  return { components: { schemas: Object.fromEntries(those) } };
}

function kindsIn(document: JsonObject): readonly string[] {
  const schemas = Object.values(objectOf(objectOf(document['components'])['schemas'])).map(objectOf);
  const kinds = schemas.flatMap((schema) => arrayOf(schema['x-kubernetes-group-version-kind']).map(objectOf));
  return kinds.map(({ kind }) => String(kind));
}

/** A status is not part of a manifest. */
function keyedLists(lists: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...lists].filter(([path, is]) => /^(map |set)/.test(is) && !path.includes('.status.')).toSorted());
}

/** Of objects; a `…List` is the answer to a request. */
function listsIn(document: unknown): readonly { readonly name: string; readonly schema: JsonObject }[] {
  const schemas = objectOf(objectOf(objectOf(document)['components'])['schemas']);
  return Object.entries(schemas)
    .filter(([name]) => !name.endsWith('List'))
    .flatMap(([name, schema]) =>
      Object.entries(objectOf(objectOf(schema)['properties'])).map(([field, property]) => ({
        name: `${name.split('.').at(-1)}.${field}`,
        schema: objectOf(property),
      })),
    )
    .filter(({ schema }) => schema['type'] === 'array');
}

const manager = 'topology-test';

/** One apply, by one manager, of everything. Right after its definition a custom resource is not served yet. */
async function apply(on: Applying, object: JsonObject) {
  if (object['kind'] === 'Gadget') await put(on, await on.plan(gadgetDefinition));
  const plan = await eventually(() => on.plan(object), { what: `the kind ${object['kind']}` });
  return { plan, reply: await put(on, plan) };
}

function put({ ns }: Applying, { target, manifest }: ResourcePlan): Promise<JsonObject> {
  const path = `${target.path}?fieldManager=${manager}&force=true`;
  const what = `${target.path} applied`;
  return eventually(async () => objectOf(await ns.cluster.api('PATCH', path, manifest.object, contentType)), { what });
}

const contentType = 'application/apply-patch+yaml';

function isOwn(entry: JsonObject): boolean {
  return entry['manager'] === manager && entry['operation'] === 'Apply';
}

/** The paths that are owned and have no owned path below them. */
function ownedIn(tree: JsonObject, path: string, owned: Set<string>): void {
  const below = Object.keys(tree).filter((key) => key !== '.');
  if (below.length === 0) owned.add(path);
  for (const key of below) ownedIn(objectOf(tree[key]), path + stepTextOf(key), owned);
}

/** The same of what is applied, by the list topology. */
function leavesIn(value: unknown, place: SchemaNode, path: string, leaves: Set<string>): void {
  const isMerged = place.list.type === 'map' || place.list.type === 'set';
  if (isObject(value) && place.map === 'granular' && Object.keys(value).length > 0)
    for (const [name, below] of Object.entries(value)) leavesIn(below, place.field(name), `${path}.${name}`, leaves);
  else if (Array.isArray(value) && isMerged && value.length > 0)
    for (const [index, element] of value.entries())
      leavesIn(element, place.items(), path + elementText(elementStep(place.list, element, index)), leaves);
  else leaves.add(path);
}

/** Each value replaced and removed, each list shortened and lengthened, as far as the live object has it. */
function patchesOf(manifest: unknown, live: unknown, path = ''): Patch[] {
  if (live === undefined || isIdentifying(path)) return [];
  const fields = isObject(manifest)
    ? Object.keys(manifest).flatMap((name) =>
        patchesOf(manifest[name], objectOf(live)[name], `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      )
    : [];
  const elements = Array.isArray(manifest) && Array.isArray(live) ? elementPatches(manifest, live, path) : [];
  const isScalar = !isObject(manifest) && !Array.isArray(manifest);
  const own = isScalar ? [{ op: 'replace', path, value: another(live) }] : [];
  return path === '' ? fields : [...own, { op: 'remove', path }, ...fields, ...elements];
}

function elementPatches(manifest: readonly unknown[], live: readonly unknown[], path: string): Patch[] {
  const [first] = live;
  const added =
    first === undefined ? [] : [first, another(first)].map((value) => ({ op: 'add', path: `${path}/-`, value }));
  return [...added, ...manifest.flatMap((each, index) => patchesOf(each, live[index], `${path}/${index}`))];
}

function isIdentifying(path: string): boolean {
  return /^\/(apiVersion|kind|metadata(\/(name|namespace))?)$/.test(path) && path !== '/metadata';
}

/** The same for another value, in everything that it contains. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}x`;
  if (Array.isArray(value)) return value.map(another);
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, each]) => [name, another(each)]));
}

/** Without the fields that the server and its controllers write all the time. */
function settled({ metadata, status: _, ...content }: JsonObject): JsonObject {
  const { managedFields: __, resourceVersion: ___, generation: ____, annotations, ...rest } = objectOf(metadata);
  const { 'deployment.kubernetes.io/revision': _____, ...others } = objectOf(annotations);
  return { ...content, metadata: rest, annotations: others };
}
