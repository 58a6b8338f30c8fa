import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

/** The process that serves an embedded cluster (embeddedServer.ts), as the one that started it sees it. */
export interface EmbeddedCluster {
  readonly kubeconfig: string;
  /** Makes so many healthy pods with this role. */
  fill(pods: { readonly pods: number; readonly namespaces: number; readonly role: string }): Promise<void>;
  /** Has the kubelets report so many changes of those pods. */
  change(change: { readonly events: number; readonly isCrashing: boolean }): Promise<void>;
  stop(): Promise<void>;
}

const Greeting = z.object({ kubeconfig: z.string() });

/** Starts it; it ends with this process at the latest. */
export async function startEmbeddedCluster(): Promise<EmbeddedCluster> {
  const child = fork(join(import.meta.dirname, 'embeddedServer.ts'), { execArgv: ['--max-old-space-size=8192'] });
  const exited = once(child, 'exit');
  const broken = exited.then(() => {
    throw new Error('the embedded server ended; what it said is above');
  });
  broken.catch(() => {});
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), broken]);
    return message;
  };
  const asked = async (request: object): Promise<void> => {
    const done = answer();
    child.send(request);
    await done;
  };
  const { kubeconfig } = Greeting.parse(await answer());
  return {
    kubeconfig,
    fill: (fill) => asked({ fill }),
    change: (change) => asked({ change }),
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
