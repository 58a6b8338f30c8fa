import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReplayCommand } from '@weeder/live-page';
import { z } from 'zod';
import { sendText } from '../base/http.ts';

/** Bytes: a command is one short line. */
const largest = 4096;

const commands = z.discriminatedUnion('do', [
  z.strictObject({ do: z.enum(['play', 'pause', 'step']) }),
  z.strictObject({ do: z.literal('speed'), speed: z.number().min(0.1).max(1000) }),
  z.strictObject({ do: z.literal('seek'), to: z.number() }),
]);

/** POST /replay: accepts a command from the page itself, and from no foreign page in the browser. */
export function replayCommand(execute: (command: ReplayCommand) => Promise<void>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return sendText(request, response, 405, 'method not allowed, expected POST\n');
    }
    if (!isSameOrigin(request))
      return sendText(request, response, 403, 'only the page itself may control the replay\n');
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      return sendText(request, response, 415, 'expected Content-Type application/json\n');
    const command = commands.safeParse(await readJson(request));
    if (!command.success) return sendText(request, response, 400, `${z.prettifyError(command.error)}\n`);
    await execute(command.data);
    response.writeHead(204).end();
  };
}

/** A browser declares the origin of a request in both of these headers; a client without them is not a browser. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

/** Returns undefined if the body is not JSON, is too long, or does not arrive as a whole. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request) {
      const bytes = Buffer.from(piece);
      size += bytes.length;
      if (size > largest) return undefined;
      pieces.push(bytes);
    }
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    return undefined;
  }
}
