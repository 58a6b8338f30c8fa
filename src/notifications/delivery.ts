import { readFile } from 'node:fs/promises';
import { serverAccess } from '@weeder/kube-runtime/access';
import { type Clock, failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import { type ApiFailure, createKubeClient, type KubeClient } from '@weeder/kube-runtime/client';
import { userAgent } from '../base/userAgent.ts';
import { type ReceiverConfig, refusedUrl } from '../config/schema/notificationsSchema.ts';
import { formats, type Notification } from './formats.ts';

/** What became of a request: an event for the machine of the receiver. */
export type Answer =
  | { readonly type: 'delivery.accepted' }
  | { readonly type: 'delivery.rejected'; readonly reason: string }
  | { readonly type: 'delivery.failed'; readonly reason: string; readonly retryAfter?: number };

/** Sends notifications to a receiver with these settings. */
interface Delivery {
  /** Never rejects. */
  send(notifications: readonly Notification[], signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

export type CreateDelivery = (name: string, config: ReceiverConfig, clock: Clock) => Delivery;

/** For the headers of the response; the whole response may take three times as long. Milliseconds. */
const timeoutMs = 5_000;
/** A receiver has nothing to say that weeder reads. */
const tail = { keep: 1_024, limit: 1 << 20 };

/**
 * Uses the client of the API server: its proxies, its time limits, and files that it reads again. Neither the path of
 * the address nor anything of a response is in a reason, because both may contain secrets.
 */
export const createDelivery: CreateDelivery = (name, config, clock) => {
  const { contentType, body } = formats[config.format];
  let client: KubeClient | undefined;

  /** The client for this origin, which changes only with the content of `urlFile`. */
  async function clientOf(origin: string): Promise<Result<KubeClient, string>> {
    if (client?.server === origin) return ok(client);
    const { caFile, tokenFile } = config;
    const access = serverAccess({ name, origin, caFile, tokenFile, env: process.env });
    if (!access.ok) return access;
    await client?.close();
    client = createKubeClient({ access: access.value, clock, userAgent });
    return ok(client);
  }

  return {
    async send(notifications, signal) {
      const address = await addressOf(config);
      if (!address.ok) return { type: 'delivery.failed', reason: address.error };
      const { origin, pathname, search } = address.value;
      const opened = await clientOf(origin);
      if (!opened.ok) return { type: 'delivery.failed', reason: opened.error };
      const result = await opened.value.call({
        method: 'POST',
        path: `${pathname}${search}`,
        contentType,
        body: body(notifications, config.source),
        isText: true,
        isConfidential: true,
        tail,
        timeoutMs,
        signal,
      });
      return result.ok ? { type: 'delivery.accepted' } : answerOf(result.failure, origin);
    },
    close: async () => client?.close(),
  };
};

async function addressOf({ url = '', urlFile }: ReceiverConfig): Promise<Result<URL, string>> {
  if (urlFile === undefined) return ok(new URL(url));
  try {
    const text = (await readFile(urlFile, 'utf8')).trim();
    const refused = refusedUrl(text);
    return refused === undefined ? ok(new URL(text)) : failed(`the content of ${urlFile}: ${refused}`);
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** These may be over without a change of what is sent: a token is renewed, a receiver is deployed, a limit ends. */
const temporary: ReadonlySet<number> = new Set([401, 403, 404, 407, 408, 425, 429]);

function answerOf({ status = 0, message, retryAfterMs }: ApiFailure, origin: string): Answer {
  const reason = `${origin}: ${message}`;
  if (status >= 400 && status < 500 && !temporary.has(status)) return { type: 'delivery.rejected', reason };
  return { type: 'delivery.failed', reason, ...(retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs }) };
}
