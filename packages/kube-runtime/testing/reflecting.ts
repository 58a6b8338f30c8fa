import { createActor } from 'xstate';
import type { reflector } from '../machines/reflector.ts';
import { type ClusterAccess, clusterAccess } from '../src/access/clusterAccess.ts';
import { virtualClock } from '../src/base/virtualClock.ts';
import { createKubeClient } from '../src/client/client.ts';
import { provideReflector } from '../src/watch/reflector.ts';
import { createStreamStatuses } from '../src/watch/streamStatus.ts';
import type { WatchSource } from '../src/watch/watchOnce.ts';
import { type Protocol, serverCertificate } from './faultyServer.ts';
import { misbehavingServer } from './misbehavingServer.ts';
import { testSink } from './testSink.ts';
import { until } from './until.ts';

/** The access to a test server, as a kubeconfig would define it. */
export function accessTo(url: string, user: Readonly<Record<string, unknown>> = { token: 'secret' }): ClusterAccess {
  const access = clusterAccess({
    source: 'the test',
    context: 'test',
    namespace: undefined,
    cluster: { server: url, 'certificate-authority-data': serverCertificate.toString('base64') },
    user,
  });
  if (!access.ok) throw new Error(access.error.message);
  return access.value;
}

/** A reflector that runs against a test server, with a virtual clock. */
export type Reflecting = Awaited<ReturnType<typeof reflecting>>;

export async function reflecting(
  protocol: Protocol,
  isIrrelevant?: (name: string) => boolean,
  more: Partial<WatchSource> = {},
) {
  const clock = virtualClock();
  const server = await misbehavingServer(protocol, clock);
  const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock });
  const sink = testSink(isIrrelevant);
  const logged: { level: string; sentence: string; event: Readonly<Record<string, unknown>> }[] = [];
  const note = (level: string) => (event: object, sentence: string) =>
    void logged.push({ level, sentence, event: { ...event } });
  const statuses = createStreamStatuses(clock);
  const machine = provideReflector({
    client,
    clock,
    statuses,
    log: { debug: () => undefined, info: note('info'), warn: note('warn') },
    sourceOf: () => ({ path: '/api/v1/pods', kind: 'Pod', labelSelector: 'app=a', sink, ...more }),
  });
  const actor = createActor<typeof reflector>(machine, { clock, input: { name: 'pods', random: () => 0.5 } });
  const isSame = () =>
    sink.state.size === server.store.list().length &&
    server.store.list().every(({ metadata }) => sink.state.get(metadata.name) === metadata.resourceVersion);

  return {
    server,
    client,
    clock,
    sink,
    statuses,
    /** What was logged at info and above. */
    logged,
    start: () => void actor.start(),
    isWatching: () => actor.getSnapshot().matches({ connected: 'watching' }),
    /** Waits until the sink holds what the server holds, and the machine watches. `step` is that of `until`. */
    untilSame: (step?: number) =>
      until(
        'the sink holds what the server holds',
        () => isSame() && actor.getSnapshot().matches({ connected: 'watching' }),
        clock,
        step,
      ),
    async [Symbol.asyncDispose]() {
      actor.stop();
      await client.close();
      await server.close();
    },
  };
}
