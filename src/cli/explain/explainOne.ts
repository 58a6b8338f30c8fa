import { ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { ListReader } from '../../base/listReader.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../configFile.ts';
import { connect, interactive } from '../connect.ts';
import type { ReadFlags } from '../flags/readFlags.ts';
import { fail, print, printRemarks } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { type AssumedConfig, configOfCluster } from './configOfCluster.ts';
import { isSelected, selectedNamespaces } from './selectedNamespaces.ts';

export type OneFlags = ReadFlags & { readonly configFile?: string };

/** The object that is asked about, and where the answer is read. */
export interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly namespaces: 'all' | readonly string[];
  readonly config: Config;
  readonly client: KubeClient;
  readonly reader: ListReader;
}

/** That the weeder of the cluster does not act in the namespace, whatever its config says. */
async function leftAlone(client: KubeClient, namespace: string): Promise<readonly string[]> {
  const selected = await selectedNamespaces(client);
  if (selected === undefined || (await isSelected(selected, namespace, client))) return [];
  return [`weeder does not act in the namespace ${namespace}: by its flags it acts in ${selected.inWords}. If it did:`];
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
  const chosen =
    given === undefined ? await configOfCluster(client, assumed) : ok({ config: given.value, remark: undefined });
  const answered = chosen.ok ? await answerAbout(chosen.value.config) : chosen;
  const elsewhere = answered.ok ? await leftAlone(client, namespace) : [];
  await client.close();
  if (!chosen.ok) return fail(chosen.error);
  if (!answered.ok) return fail(answered.error);
  const { reader, lines, remarks } = answered.value;
  return reader.report(() => {
    print(...elsewhere, ...lines);
    printRemarks([chosen.value.remark ?? [], remarks].flat());
  });

  /** From the whole cluster, or else from the namespace alone: not every user may list the whole cluster. */
  async function answerAbout(config: Config) {
    const everywhere = createPrintedReader(client);
    const whole = await answer({ namespace, name, namespaces: 'all', config, client, reader: everywhere });
    if (everywhere.refused().length === 0)
      return whole.ok ? ok({ reader: everywhere, lines: whole.value, remarks: [] }) : whole;
    const reader = createPrintedReader(client);
    const own = await answer({ namespace, name, namespaces: [namespace], config, client, reader });
    const remarks = [`services of other namespaces than ${namespace} are left out, because you may not list them`];
    return own.ok ? ok({ reader, lines: own.value, remarks }) : own;
  }
}
