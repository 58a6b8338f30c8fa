import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { widgetDefinition } from '../../../support/objects/definition.ts';
import { eventually } from '../eventually.ts';
import type { TestNamespace } from '../namespace.ts';
import { untilAbsent } from './observedObjects.ts';
import { readDocument, schemasOf } from './openapiExtract.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind of its own for one test, whose definition the test changes. */
export type CustomKind = ReturnType<typeof customKind>;

/** `spec`: the schemas of the fields of `spec`. */
export function customKind(ns: TestNamespace) {
  const { cluster } = ns;
  const group = `${ns.name}.example.org`;
  const definitionPath = `${definitions}/widgets.${group}`;
  const pathOf = (name: string) => ns.path(`apis/${group}/v1`, 'widgets', name);

  const definition = (spec: JsonObject) => widgetDefinition(group, spec);

  async function publishedSpec(): Promise<unknown> {
    const schemas = Object.entries(schemasOf(await readDocument(cluster, `apis/${group}/v1`)));
    const widget = objectOf(schemas.find(([name]) => name.endsWith('.Widget'))?.[1]);
    return objectOf(objectOf(widget['properties'])['spec'])['properties'];
  }

  return {
    definition,
    pathOf,
    object: (name: string, spec: JsonObject) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name },
      spec,
    }),
    /** Creates the definition, or changes it, and waits until the API server uses and publishes it, if that is awaited. */
    async define(spec: JsonObject, isAwaited = true) {
      const body = definition(spec);
      const answer = await cluster.send('POST', definitions, { body });
      if (answer.status === 201) ns.after(() => cluster.send('DELETE', definitionPath));
      else {
        const { resourceVersion } = objectOf(objectOf(await cluster.api('GET', definitionPath))['metadata']);
        const metadata = { ...body.metadata, resourceVersion };
        await cluster.api('PUT', definitionPath, { ...body, metadata });
      }
      if (isAwaited)
        await eventually(async () => isDeepStrictEqual(await publishedSpec(), spec), { what: 'the published schema' });
    },
    async remove() {
      await cluster.api('DELETE', definitionPath);
      await untilAbsent(cluster, definitionPath, 'the end of the definition');
    },
    specOf: async (name: string) => objectOf(objectOf(await cluster.api('GET', pathOf(name)))['spec']),
    /** What `kubectl apply --server-side` does. */
    applyServerSide: (name: string, spec: JsonObject) =>
      cluster.send('PATCH', `${pathOf(name)}?fieldManager=kubectl&force=true`, {
        body: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec },
        contentType: 'application/apply-patch+yaml',
      }),
  };
}
