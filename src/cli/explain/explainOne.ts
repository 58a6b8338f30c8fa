import { ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { ListReader } from '../../base/listReader.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../configFile.ts';
import { connect, interactive } from '../connect.ts';
import type { ClusterFlags } from '../flags/runFlags.ts';
import { fail, print, printRemarks } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { type AssumedConfig, configOfCluster } from './configOfCluster.ts';

export type OneFlags = ClusterFlags & { readonly configFile?: string };

/** The object that is asked about, and where the answer is read. */
export interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly namespaces: 'all' | readonly string[];
  readonly config: Config;
  readonly client: KubeClient;
  readonly reader: ListReader;
}

/** Prints the answer about one object: lines of text, the first of which is a sentence. */
export async function explainOne(
  { namespace, name }: Pick<Asked, 'namespace' | 'name'>,
  flags: OneFlags,
  assumed: AssumedConfig,
  answer: (asked: Asked) => Promise<Result<readonly string[]>>,
): Promise<number> {
  const given = flags.configFile === undefined ? undefined : await loadConfig('explain', flags.configFile);
  if (given?.ok === false) return fail(given.error);
  const connected = await connect({ ...flags, ...interactive }, systemClock);
  if (!connected.ok) return fail(connected.error);
  const client = connected.value;
  const reader = createPrintedReader(client);
  const chosen =
    given === undefined ? await configOfCluster(client, assumed) : ok({ config: given.value, remark: undefined });
  const lines = chosen.ok
    ? await answer({
        namespace,
        name,
        namespaces: flags.namespaces ?? 'all',
        config: chosen.value.config,
        client,
        reader,
      })
    : chosen;
  await client.close();
  if (!chosen.ok) return fail(chosen.error);
  if (!lines.ok) return fail(lines.error);
  const { remark } = chosen.value;
  return reader.report(() => {
    print(lines.value.join('\n'));
    printRemarks(remark === undefined ? [] : [remark]);
  });
}
