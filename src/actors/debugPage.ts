import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AnyActorRef } from 'xstate';
import type { Page } from '../base/http.ts';
import { type ActorEntry, type ActorFilter, describeActors, type Times } from './debugActors.ts';

/** What the page shows. */
interface ActorSource extends Times {
  /** The roots: asked once for each answer. */
  actors(): Iterable<AnyActorRef>;
}

/** So many actors are described without a pause. */
const batch = 200;

/**
 * `/debug/actors`: every actor as JSON, an actor a line; `?pretty` for people, `?machine=` and `?state=` for some of
 * them. Written piece by piece, so that neither many actors nor a slow reader cost memory or hold up the weeding.
 */
export function debugPage(source: ActorSource): Page {
  return async (url, request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const { searchParams } = url;
    const filter: ActorFilter = {
      machine: searchParams.get('machine') ?? undefined,
      state: searchParams.get('state') ?? undefined,
    };
    const entries = describeActors(source.actors(), source, filter);
    const pieces = Readable.from(jsonPieces(entries, searchParams.has('pretty') ? 2 : 0));
    try {
      await pipeline(pieces, response);
    } catch (error) {
      // A reader that goes away is none of our troubles.
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
    }
  };
}

async function* jsonPieces(entries: Iterable<ActorEntry>, indent: number): AsyncGenerator<string> {
  let piece = '{"actors":[';
  let count = 0;
  for (const entry of entries) {
    piece += `${count === 0 ? '' : ','}\n${JSON.stringify(entry, null, indent)}`;
    count += 1;
    if (count % batch > 0) continue;
    yield piece;
    piece = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield `${piece}\n]}\n`;
}
