import { codedError, failed, ok, type Result } from '../base/errors.ts';
import { type FieldError, formatFieldError } from '../base/fieldError.ts';
import { arrayOf, isObject, type JsonObject, objectOf } from '../base/json.ts';
import { locate } from '../config/text/document.ts';
import type { LocatedError } from '../config/text/located.ts';
import { inLines, readYaml } from '../config/text/yamlText.ts';
import { workloadKindNames } from '../kube/objects/workloadKinds.ts';

/** The limits for manifests; the API server would reject anything beyond them. */
const leniency = { depth: 110, takesNumbers: true } as const;

/** The objects of a file of manifests (YAML or JSON), those of lists too; an object without a namespace gets this one. */
export function readManifests(text: string, file: string, namespace: string): Result<JsonObject[]> {
  const yaml = readYaml(text);
  if (!yaml.ok) return failed(problemOf(inLines(yaml.error.errors, file, yaml.error.lines)));
  const { documents, lines } = yaml.value;
  const errors: LocatedError[] = [];
  const objects = documents.flatMap((document) => {
    const { root, broken, errors: ofKeys } = locate(document, (offset) => lines.linePos(offset).line, leniency);
    errors.push(...broken, ...(isSearched(objectOf(root.value)['kind']) ? ofKeys : []));
    if (!isObject(root.value))
      errors.push({ offset: root.offset, path: [], message: 'found no object, expected a manifest' });
    return itemsOf(objectOf(root.value));
  });
  if (errors.length > 0) return failed(problemOf(inLines(errors, file, lines)));
  return ok(objects.map((object) => placed(object, namespace)));
}

/** Others, such as CustomResourceDefinitions, may have keys that YAML reads as something else, and do not matter. */
function isSearched(kind: unknown): boolean {
  return kind === undefined || ['Service', 'ConfigMap', 'List', ...workloadKindNames].some((each) => each === kind);
}

function itemsOf(object: JsonObject): readonly JsonObject[] {
  const isList = typeof object['kind'] === 'string' && object['kind'].endsWith('List');
  return isList ? arrayOf(object['items']).map(objectOf) : [object];
}

function placed(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { namespace, ...objectOf(object['metadata']) } };
}

function problemOf([first]: readonly FieldError[]) {
  return codedError(
    'MANIFEST_INVALID',
    first === undefined ? 'The manifests cannot be read.' : `${formatFieldError(first)}.`,
  );
}
