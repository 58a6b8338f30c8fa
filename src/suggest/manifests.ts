import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type FieldError, formatFieldError } from '../base/fieldError.ts';
import { locate } from '../config/text/document.ts';
import type { LocatedError } from '../config/text/located.ts';
import { inLines, readYaml, type YamlText } from '../config/text/yamlText.ts';
import type { SourceKind } from '../restart/references/refs.ts';
import { searchedKinds } from './observed.ts';

/** The limits for manifests; the API server would reject anything beyond them. */
const leniency = { depth: 110, takesNumbers: true } as const;

/** What a file of manifests contains, as far as it can be read. */
interface Manifests {
  readonly objects: readonly JsonObject[];
  /** Of documents that cannot be read, and are left out: a sentence each, the first error of each. */
  readonly errors: readonly string[];
  /** Of values that are read otherwise than their author may expect: a sentence each. */
  readonly remarks: readonly string[];
}

/**
 * Reads the objects of a file of manifests (YAML or JSON), those of lists too; an object without a namespace gets this
 * one. A key that is written twice has its last value, as for kubectl.
 */
export function readManifests(text: string, file: string, namespace: string): Manifests {
  const whole = readPart({ text, file, linesBefore: 0 }, namespace);
  if (whole !== undefined) return whole;
  const documents = documentsOf(text).map((part): Manifests => {
    const place = { ...part, file };
    return readPart(place, namespace) ?? { objects: [], errors: [syntaxErrorOf(place)], remarks: [] };
  });
  return {
    objects: documents.flatMap(({ objects }) => objects),
    errors: documents.flatMap(({ errors }) => errors),
    remarks: documents.flatMap(({ remarks }) => remarks),
  };
}

/** A part of a file. */
interface Part {
  readonly text: string;
  readonly file: string;
  readonly linesBefore: number;
}

/** The documents of a stream one by one. */
function documentsOf(text: string): Omit<Part, 'file'>[] {
  let linesBefore = 0;
  return text.split(/^(?=---(?:\s|$))/m).map((part) => {
    const here = { text: part, linesBefore };
    linesBefore += part.split('\n').length - 1;
    return here;
  });
}

function syntaxErrorOf({ text, file, linesBefore }: Part): string {
  const read = readYaml(text);
  const [first] = read.ok ? [] : inLines(read.error.errors, file, read.error.lines);
  return first === undefined ? '' : sentenceOf(first, linesBefore);
}

/** Undefined: its syntax is wrong. */
function readPart({ text, file, linesBefore }: Part, namespace: string): Manifests | undefined {
  const yaml = readYaml(text);
  if (!yaml.ok) return undefined;
  const { documents, lines } = yaml.value;
  const lineOf = (offset: number) => lines.linePos(offset).line + linesBefore;
  const sentences = (found: readonly LocatedError[]) =>
    inLines(found, file, lines).map((each) => sentenceOf(each, linesBefore));
  const [objects, errors, remarks]: [JsonObject[], string[], string[]] = [[], [], []];
  for (const document of documents) {
    const { object, wrong, repeated } = readDocument(document, lineOf);
    const [first] = sentences(wrong);
    if (first !== undefined) {
      errors.push(first);
      continue;
    }
    for (const sentence of sentences(repeated)) remarks.push(`${sentence.slice(0, -1)}; the last value counts.`);
    for (const item of itemsOf(object)) objects.push(placed(item, namespace));
  }
  return { objects, errors, remarks };
}

/** An object, why it cannot be used, and its keys that are written twice. */
function readDocument(document: YamlText['documents'][number], lineOf: (offset: number) => number) {
  const { root, broken, errors } = locate(document, lineOf, leniency);
  const object = objectOf(root.value);
  const ofKeys = isSearched(object) ? errors : [];
  const message = 'found no object, expected a manifest';
  const notOne: LocatedError[] = isObject(root.value) ? [] : [{ offset: root.offset, path: [], message }];
  return {
    object,
    wrong: [...broken, ...ofKeys.filter(({ isRepeatedKey }) => !isRepeatedKey), ...notOne],
    repeated: ofKeys.filter(({ isRepeatedKey }) => isRepeatedKey),
  };
}

/** Others, such as CustomResourceDefinitions, may have keys that YAML reads as something else, and do not matter. */
function isSearched({ kind }: JsonObject): boolean {
  return kind === undefined || kind === 'List' || readKinds.some((each) => each === kind);
}

const readKinds = ['Service', 'ConfigMap', 'Secret', ...searchedKinds] as const;

/** The objects of other kinds, which are not searched, by their kinds. */
export function unsearched(objects: readonly JsonObject[], kinds: readonly SourceKind[]): ReadonlyMap<string, number> {
  const searched = new Set<unknown>(['Service', ...kinds, ...searchedKinds]);
  const counts = new Map<string, number>();
  for (const { kind } of objects) {
    if (searched.has(kind)) continue;
    const name = textOf(kind) ?? 'no kind';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function itemsOf(object: JsonObject): readonly JsonObject[] {
  const isList = typeof object['kind'] === 'string' && object['kind'].endsWith('List');
  return isList ? arrayOf(object['items']).map(objectOf) : [object];
}

function placed(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { namespace, ...objectOf(object['metadata']) } };
}

function sentenceOf(error: FieldError, linesBefore: number): string {
  return `${formatFieldError({ ...error, line: (error.line ?? 1) + linesBefore })}.`;
}
