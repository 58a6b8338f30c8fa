import { dnsLabel } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import reasons from '../../../generated/eventReasons.json' with { type: 'json' };
import { quoted } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';
import { mapOf, namespaceNames, optional, withDefault } from './selectorSchema.ts';

/** Both types of Events, and every reason. */
const types = ['Warning', 'Normal', ...reasons];

function unknownType({ input }: { readonly input?: unknown }): string | undefined {
  if (typeof input !== 'string') return undefined;
  const meant = nearest(input, types);
  const hint = meant === undefined ? '; docs/reference/events.md lists them' : `; did you mean ${quoted(meant)}?`;
  return `found ${quoted(input)}, which is no reason of weeder's Events, and neither Warning nor Normal${hint}`;
}

/** Why the text is no address of a receiver. The text is not quoted, because it may be a secret. */
export function refusedUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'not an http or https address such as https://receiver.example.com/events';
  }
  return url.username + url.password === '' ? undefined : 'has a user or a password; give a token by tokenFile';
}

const file = z.string().min(1, { error: 'found "", expected the path of a file' }).meta({ title: 'path' });

const receiver = z
  .strictObject({
    url: optional(
      z
        .string()
        .superRefine((text, context) => {
          const message = refusedUrl(text);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        })
        .meta({ title: 'address' })
        .describe('The address to which notifications are sent by POST. Either this or `urlFile`.'),
    ),
    urlFile: optional(
      file.describe('A file with the address, for one that is itself a secret. It is read for each request.'),
    ),
    format: withDefault(
      z
        .enum(['cloudevents-batch', 'cloudevents', 'slack', 'teams', 'alertmanager'])
        .describe(
          'The body of a request: CloudEvents 1.0 in batches or one at a time, a message for Slack or Microsoft Teams, or alerts for Alertmanager.',
        ),
      'cloudevents-batch',
    ),
    types: optional(
      z
        .array(z.enum(types, { error: unknownType }))
        .min(1, { error: 'this list is empty; name a reason, or leave out the key' })
        .meta({ title: 'list of reasons, `Warning`, `Normal`' })
        .describe(
          'Which Events: their reasons, such as `PodDeleted`, or `Warning` and `Normal` for all of that type. Without it, all.',
        ),
    ),
    namespaces: optional(
      namespaceNames.describe('The namespaces of the objects of the Events. Without it, all that are watched.'),
    ),
    tokenFile: optional(file.describe('A file with a bearer token. It is read again within 30 s, and after a 401.')),
    caFile: optional(
      file.describe(
        "A file with the certificates (PEM) that sign the receiver's. Without it, those that Node trusts. It is read again like `tokenFile`.",
      ),
    ),
    source: withDefault(
      z
        .string()
        .regex(/^[\w./:~-]{1,100}$/, { error: 'allowed are up to 100 letters, digits and the characters _ - . / : ~' })
        .meta({ title: 'text' })
        .describe('The `source` of the CloudEvents, such as the name of the cluster.'),
      'weeder',
    ),
  })
  .superRefine(
    ({ url, urlFile }, context) => {
      if ((url === undefined) === (urlFile === undefined))
        context.addIssue({ code: 'custom', message: 'needs either `url` or `urlFile`' });
    },
    { when: ({ issues }) => issues.length === 0 },
  )
  .describe('A receiver of notifications.');

/** By its name: to whom weeder sends what it also records as Kubernetes Events. */
export const notifications = mapOf(dnsLabel, receiver).describe(
  'The receivers of notifications, by names of your choice: weeder sends them its Kubernetes Events over HTTP.',
);

/** A receiver, with all defaults applied. */
export type ReceiverConfig = z.output<typeof receiver>;
