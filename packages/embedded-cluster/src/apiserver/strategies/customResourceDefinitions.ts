import { arrayOf, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { definedName } from '../crd/customResource.ts';
import { fieldError } from '../meta/status.ts';
import { resource } from '../registry/resource.ts';

/** crd/serving.ts serves the resources that they define. */
export const customResourceDefinitions = resource({
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  fields: ['spec', 'status'],
  isNamespaced: false,
  generation: 'spec',
  shortNames: ['crd', 'crds'],
  zero: { spec: { names: {}, versions: null }, status: { acceptedNames: {}, conditions: null } },
  deletionFinalizer: 'customresourcecleanup.apiextensions.k8s.io',
  complete: (fields) => ({ ...fields, spec: completeSpec(objectOf(fields['spec'])) }),
  initialStatus: ({ spec }) => ({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storedVersions(objectOf(spec)),
  }),
  validate: ({ metadata, spec }) => {
    const versions = arrayOf(objectOf(spec)['versions']).map(objectOf);
    const stored = versions.filter(({ storage }) => storage === true);
    const wrongName = 'must be spec.names.plural+"."+spec.group';
    return [
      ...(metadata.name === definedName(objectOf(spec))
        ? []
        : [fieldError.invalid('metadata.name', metadata.name, wrongName)]),
      ...(stored.length === 1
        ? []
        : [
            fieldError.invalid(
              'spec.versions',
              versions.length,
              'must have exactly one version marked as storage version',
            ),
          ]),
    ];
  },
});

/** Returns the names of the storage versions; a valid definition has one. */
export function storedVersions(spec: JsonObject): readonly unknown[] {
  const stored = arrayOf(spec['versions'])
    .map(objectOf)
    .filter(({ storage }) => storage === true);
  return stored.map(({ name }) => name);
}

function completeSpec(spec: JsonObject): JsonObject {
  const names = objectOf(spec['names']);
  const kind = textOf(names['kind']) ?? '';
  const completed = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names };
  return { conversion: { strategy: 'None' }, ...spec, names: completed };
}
