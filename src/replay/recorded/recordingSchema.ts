import { z } from 'zod';
import { type ControllerName, contributions, controllerNames } from '../../controllers/controllers.ts';
import { isEventType } from '../../recording/events.ts';
import type { RecordedLine, RecordingHeader } from '../../recording/file/lines.ts';

/** A hundred years; longer times are invalid. Milliseconds. */
const longest = 100 * 365 * 86_400_000;
const line = {
  t: z.number().min(0).max(longest),
  wall: z.number().min(-longest).max(longest).exactOptional(),
  of: z.enum(controllerNames),
};
const stream = z.string();
const object = z.looseObject({});
const text = z.string();
const storedConfig = {
  config: object,
  declared: z.array(text).exactOptional(),
  webhooks: z.record(text, z.array(text)).exactOptional(),
};

const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
const list = z.discriminatedUnion('type', [
  z.object({ type: z.literal('map'), keys: z.array(text), defaults: z.record(text, scalar) }),
  z.object({ type: z.enum(['set', 'atomic', 'unknown']) }),
]);

const responseOf = (of: ControllerName) =>
  z.object({
    ...line,
    of: z.literal(of),
    in: z.literal('response'),
    request: text,
    response: contributions[of].recorded.response,
  });

/** The lines of a recording after its header. */
export const recordedLine: z.ZodType<RecordedLine<ControllerName>> = z.union([
  z.discriminatedUnion('in', [
    z.object({ ...line, in: z.enum(['created', 'config']), ...storedConfig }),
    z.object({ ...line, in: z.enum(['start', 'stop', 'keysRead']) }),
    z.object({ ...line, in: z.enum(['begin', 'lost', 'resumed', 'rewound', 'closed']), stream }),
    z.object({ ...line, in: z.literal('end'), stream, resourceVersion: text.exactOptional() }),
    z.object({ ...line, in: z.enum(['ADDED', 'MODIFIED', 'DELETED']), stream, object }),
    z.object({ ...line, in: z.literal('random'), value: z.number(), for: text.exactOptional() }),
    z.object({ ...line, in: z.literal('timer'), name: text, due: z.number().max(longest) }),
    z.object({ ...line, in: z.literal('hash'), request: text, hash: text }),
    z.object({ ...line, in: z.literal('keys'), current: text, ids: z.array(text) }),
    z.object({
      ...line,
      in: z.literal('schemaNode'),
      kind: text,
      path: z.array(text),
      list,
      map: z.enum(['granular', 'atomic']),
    }),
    z.object({ ...line, in: z.literal('snapshotEnd'), busy: z.array(text) }),
    z.object({ ...line, in: z.literal('settled'), id: text }),
  ]),
  ...controllerNames.map(responseOf),
  z.object({ ...line, out: z.literal('requested'), request: text }),
  z.object({
    ...line,
    out: z.custom<string>(isEventType),
    about: text,
    window: z.number().exactOptional(),
    pod: text.exactOptional(),
    detail: text,
  }),
]);

/** The first line of a recording. */
export const recordingHeader: z.ZodType<RecordingHeader> = z.object({
  weeder: z.literal('recording'),
  version: z.number(),
  weederVersion: text,
  startedAt: z.iso.datetime(),
  part: z.int().positive(),
  namespaces: z.union([z.literal('all'), z.array(text)]),
  concurrentDeletions: z.int().positive(),
  isDryRun: z.boolean(),
  ...storedConfig,
  streams: z
    .array(
      z.object({
        name: text,
        group: text,
        path: text,
        kind: z.enum(['EndpointSlice', 'Pod', 'Event']),
        labelSelector: text,
        fieldSelector: text.exactOptional(),
        covers: z.array(text),
        isSynced: z.boolean(),
      }),
    )
    .exactOptional(),
});
