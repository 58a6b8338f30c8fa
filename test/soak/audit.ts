import { createReadStream } from 'node:fs';
import { z } from 'zod';

/** A write of weeder, as recorded in the audit log of the API server. */
export interface Attempt {
  /** When the API server received it. */
  readonly at: number;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  /** Its preconditions. */
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** Whether the API server refused the request before it read the body, for example without permission. */
  readonly isUnread: boolean;
}

const Preconditions = z.object({ uid: z.string().optional(), resourceVersion: z.string().optional() });
const Line = z.object({
  verb: z.string(),
  requestReceivedTimestamp: z.string(),
  objectRef: z
    .object({
      resource: z.string().optional(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number().optional() }).optional(),
  requestObject: z
    .object({
      preconditions: Preconditions.optional(),
      deleteOptions: z.object({ preconditions: Preconditions.optional() }).optional(),
    })
    .optional(),
});

/** Records every write of these users, with its body. */
export function auditPolicy(users: readonly string[]): string {
  return JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'Request', users, verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
      { level: 'None' },
    ],
  });
}

/** Returns a function that reads the entries added to the audit log since its last call. */
export function auditReader(file: string): () => Promise<Attempt[]> {
  let start = 0;
  let rest = '';
  return async () => {
    let text = rest;
    for await (const chunk of createReadStream(file, { start, encoding: 'utf8' })) {
      start += Buffer.byteLength(chunk);
      text += chunk;
    }
    const lines = text.split('\n');
    rest = lines.pop() ?? '';
    return lines.filter((line) => line !== '').map(attemptOf);
  };
}

function attemptOf(text: string): Attempt {
  const {
    verb,
    requestReceivedTimestamp,
    objectRef = {},
    responseStatus,
    requestObject,
  } = Line.parse(JSON.parse(text));
  const { resource = '', subresource, namespace = '', name = '' } = objectRef;
  const { uid, resourceVersion } = requestObject?.preconditions ?? requestObject?.deleteOptions?.preconditions ?? {};
  return {
    at: Date.parse(requestReceivedTimestamp),
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    status: responseStatus?.code ?? 0,
    uid,
    resourceVersion,
    isUnread: requestObject === undefined && (responseStatus?.code ?? 0) >= 400,
  };
}
