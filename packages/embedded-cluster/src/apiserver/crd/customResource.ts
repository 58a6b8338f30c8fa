import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { any, type Shape } from '../managedfields/shape.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type Resource, resource } from '../registry/resource.ts';
import { shapeOf } from '../schema/types.ts';
import { schemaErrors } from './schemaErrors.ts';
import { schemaShape } from './schemaShape.ts';
import { schemaValue } from './schemaValue.ts';

const commonFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Returns the resource that a CustomResourceDefinition defines, in its storage version; undefined if that is not
 * served.
 */
export function customResource(definition: KubeObject): Resource | undefined {
  const { group, names, scope, versions } = objectOf(definition['spec']);
  const version = arrayOf(versions)
    .map(objectOf)
    .find(({ storage, served }) => storage === true && served === true);
  if (version === undefined) return undefined;
  const { plural, singular, kind, shortNames } = objectOf(names);
  const hasStatus = isObject(objectOf(version['subresources'])['status']);
  const { properties, ...root } = objectOf(objectOf(version['schema'])['openAPIV3Schema']);
  const own = Object.entries(objectOf(properties)).filter(([name]) => !commonFields.has(name));
  const schema = { ...root, type: 'object', properties: Object.fromEntries(own) };
  const fields = own.map(([name]) => name);
  const defaults = objectOf(schemaValue(schema, {}));
  const isTerminating = definition.metadata.deletionTimestamp !== undefined;
  return resource({
    isCustom: true,
    group: String(group),
    version: String(version['name']),
    plural: String(plural),
    singular: String(singular),
    kind: String(kind),
    isNamespaced: scope === 'Namespaced',
    shortNames: arrayOf(shortNames).map(String),
    fields,
    hasStatus,
    shape: objectShape(schema),
    schema: objectOf(version['schema'])['openAPIV3Schema'],
    owners: 'always',
    generation: 'allButStatus',
    statusIgnores: ['f:metadata', ...fields.filter((name) => name !== 'status').map((name) => `f:${name}`)],
    statusWritesMetadata: false,
    update: { isUnconditional: false, creates: false },
    createForbidden: isTerminating ? 'create not allowed while custom resource definition is terminating' : undefined,
    decodeError: () => undefined,
    canonical: (given) => objectOf(schemaValue(schema, given)),
    initialStatus({ status }) {
      const initial = hasStatus ? defaults['status'] : status;
      return isObject(initial) ? initial : undefined;
    },
    validate: ({ kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...content }) =>
      schemaErrors(schema, withoutAbsent(content), ''),
  });
}

function objectShape(schema: JsonObject): Shape {
  const shape = schemaShape(schema);
  if (shape.type !== 'map') return shape;
  const metadata = { shape: shapeOf('ObjectMeta') ?? any, isRequired: false, dropsZero: false, default: undefined };
  return { ...shape, isAtomic: false, fields: new Map([...shape.fields, ['metadata', metadata]]) };
}

function withoutAbsent(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the name that a definition must have, `PLURAL.GROUP`. */
export function definedName(spec: JsonObject): string {
  return `${textOf(objectOf(spec['names'])['plural']) ?? ''}.${textOf(spec['group']) ?? ''}`;
}
