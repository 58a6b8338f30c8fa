import { once } from 'node:events';
import { objectOf } from '@weeder/kube-runtime/base';
import type { Requests } from '../../recording/file/requests.ts';
import { noRequests } from '../../replay/played/played.ts';
import { done, type Outcome } from '../objects/applyFailure.ts';
import type { Identity } from '../objects/identity.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { type ObserverPort, observerPort, resourceRequest } from '../recording/observerPort.ts';
import { responseFormats } from '../recording/observerResponses.ts';

interface ObserverReplayPortOptions {
  readonly requests: Requests;
  /** Returns the recorded schema of a kind. */
  readonly schemaOf: (kind: string) => SchemaNode;
  /** The live object, in a file that begins in the middle: the recorded run may not have read it. */
  readonly live: (identity: Identity) => object | undefined;
  /** The recorded response to the manifest of an application that is being added. */
  readonly desired: (request: string, application: string) => unknown;
}

/** If the recording has no response, it ended while the caller was waiting. */
async function recorded<T>(response: Promise<Outcome<T>>, signal: AbortSignal): Promise<Outcome<T>> {
  const outcome = await response;
  if (!outcome.ok && !signal.aborted) await once(signal, 'abort');
  return outcome;
}

const dryRun = responseFormats.dryRun(objectOf);

/** The requests of the application observer in a replay. */
export function observerReplayPort({ requests, schemaOf, live, desired }: ObserverReplayPortOptions): ObserverPort {
  const reduce = { application: objectOf, resource: objectOf };
  const { api, kinds, applications } = observerPort({ real: noRequests, requests, reduce, topology: schemaOf });
  return {
    applications,
    api: {
      ...api,
      async read(target, signal) {
        const liveObject = live(target.identity);
        return liveObject === undefined ? api.read(target, signal) : done(objectOf(liveObject));
      },
      async dryRunApply(plan, signal) {
        const desiredObject = desired(resourceRequest('dryRunApply', plan.target), plan.owner.name);
        return desiredObject === undefined ? api.dryRunApply(plan, signal) : dryRun.replay(desiredObject);
      },
    },
    kinds: {
      ...kinds,
      awaitServed: (apiVersion, kind, signal) => recorded(kinds.awaitServed(apiVersion, kind, signal), signal),
      whenChanged: (kind, known, signal) => recorded(kinds.whenChanged(kind, known, signal), signal),
    },
  };
}
