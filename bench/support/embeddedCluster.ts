import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';

/** Healthy pods. */
export const Fill = z.object({
  pods: z.number(),
  namespaces: z.number(),
  role: z.string(),
  /** The number of different values of their label `app`. */
  apps: z.number(),
  /** Each pod declares the service of its namespace that is named like its app. */
  isDeclaring: z.boolean(),
});
export type Fill = z.infer<typeof Fill>;

/** The interface to the process that serves an embedded cluster (embeddedServer.ts). */
export interface EmbeddedCluster {
  readonly kubeconfig: string;
  fill(pods: Fill): Promise<void>;
  /** Lets the kubelets report changes of those pods. */
  change(change: { readonly events: number; readonly isCrashing: boolean }): Promise<void>;
  stop(): Promise<void>;
}

const FirstMessage = z.object({ kubeconfig: z.string() });

/** Starts the process. It ends with this one at the latest. */
export async function startEmbeddedCluster(): Promise<EmbeddedCluster> {
  const child = fork(join(import.meta.dirname, 'embeddedServer.ts'), { execArgv: ['--max-old-space-size=8192'] });
  const exited = once(child, 'exit');
  const failed = exited.then(() => {
    throw new Error('the embedded server ended; its output is above');
  });
  failed.catch(() => {});
  const response = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), failed]);
    return message;
  };
  const request = async (request: object): Promise<void> => {
    const done = response();
    child.send(request);
    await done;
  };
  const { kubeconfig } = FirstMessage.parse(await response());
  return {
    kubeconfig,
    fill: (fill) => request({ fill }),
    change: (change) => request({ change }),
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
