import assert from 'node:assert/strict';
import { objectOf } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';
import { z } from 'zod';
import packageJson from '../../../../package.json' with { type: 'json' };
import { named } from '../manifests.ts';
import { Manifest } from './kustomize.ts';

const Labelled = z.looseObject({
  labels: z.looseObject({ 'app.kubernetes.io/managed-by': z.literal('Helm'), 'helm.sh/chart': z.string() }),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** The objects by name, without what Helm alone adds, which is asserted here. */
export function comparable(
  objects: readonly Manifest[],
  origin: 'helm' | 'kustomize',
): Readonly<Record<string, unknown>> {
  const entries = objects.map((object) => {
    const place = `${named(object)} in ${object.metadata.namespace}`;
    const same = Manifest.parse(JSON.parse(JSON.stringify(object), inOneForm));
    if (origin === 'kustomize') return [place, same];
    const { labels, annotations, ...metadata } = Labelled.parse(same.metadata);
    const { 'app.kubernetes.io/managed-by': _, 'helm.sh/chart': chart, ...others } = labels;
    assert.equal(chart, `weeder-${packageJson.version}`);
    const isKept = object.kind === 'CustomResourceDefinition';
    assert.deepEqual(annotations, isKept ? { 'helm.sh/resource-policy': 'keep' } : undefined);
    return [place, { ...same, metadata: { ...metadata, labels: others } }];
  });
  assert.equal(new Set(entries.map(([place]) => place)).size, objects.length);
  return Object.fromEntries(entries);
}

/** The content of a config, and variables by their names: their order and format have no meaning. */
function inOneForm(key: string, value: unknown): unknown {
  if (key === 'weeder.yaml') return parse(String(value));
  if (key === 'env' && Array.isArray(value))
    return Object.fromEntries(value.map((each) => [String(objectOf(each)['name']), each]));
  return value;
}
