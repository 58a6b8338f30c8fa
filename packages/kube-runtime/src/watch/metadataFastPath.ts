/** The type of a watch event. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What the first bytes of a watch line say about its object, without parsing it. */
export interface LineMetadata {
  readonly type: ChangeType;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Type, kind, apiVersion and the metadata up to resourceVersion fit into this many bytes. */
const headBytes = 1_280;

/**
 * The exact order in which kube-apiserver serializes (ObjectMeta in api/meta/v1): uid and resourceVersion precede
 * labels, annotations and ownerReferences, so no value that a user controls can imitate them. Values with an escape do
 * not match.
 */
const head =
  /^\{"type":"(ADDED|MODIFIED|DELETED)","object":\{"kind":"([A-Za-z]+)","apiVersion":"[^"\\]+","metadata":\{"name":"([^"\\]+)",(?:"generateName":"[^"\\]*",)?"namespace":"([^"\\]+)",(?:"selfLink":"[^"\\]*",)?"uid":"([^"\\]+)","resourceVersion":"([^"\\]+)"[,}]/;

/**
 * Reads an event's type, name, uid and resourceVersion from the bytes of its line. Returns undefined if the line does
 * not start exactly as kube-apiserver writes it, or does not end as a complete event does: the line has to be parsed
 * then.
 */
export function readLineMetadata(line: Buffer): LineMetadata | undefined {
  if (line[line.length - 1] !== 0x7d || line[line.length - 2] !== 0x7d) return undefined;
  const match = head.exec(line.toString('latin1', 0, headBytes));
  if (match === null) return undefined;
  const [, type, kind, name, namespace, uid, resourceVersion] = match;
  if (kind === undefined || name === undefined || namespace === undefined) return undefined;
  if (uid === undefined || resourceVersion === undefined) return undefined;
  return { type: changeTypeOf(type), kind, name, namespace, uid, resourceVersion };
}

function changeTypeOf(type: string | undefined): ChangeType {
  if (type === 'ADDED' || type === 'DELETED') return type;
  return 'MODIFIED';
}
