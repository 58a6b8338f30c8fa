import { failed, ok, type Result, systemClock, timeInSeconds } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { ListReader } from '../../base/listReader.ts';
import type { Config } from '../../config/config.ts';
import { type ExplainedObject, explainObject } from '../../explain/explainedObject.ts';
import { loadConfig } from '../configFile.ts';
import { connect, interactive } from '../connect.ts';
import { printData } from '../data/printData.ts';
import type { OutputFlag } from '../flags/outputFlag.ts';
import type { ReadFlags } from '../flags/readFlags.ts';
import { fail, print, printRemarks } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { type AssumedConfig, configOfCluster } from './configOfCluster.ts';
import { isSelected, selectedNamespaces } from './selectedNamespaces.ts';

export type OneFlags = ReadFlags & OutputFlag & { readonly configFile?: string };

/** The object that is asked about, and where the answer is read. */
export interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly namespaces: 'all' | readonly string[];
  readonly config: Config;
  readonly client: KubeClient;
  readonly reader: ListReader;
}

/** Answers about one object, or about each that the name may mean. */
export type Answer = (asked: Asked) => Promise<Result<readonly ExplainedObject[]>>;

/** That the weeder of the cluster does not act in the namespace, whatever its config says, in a clause or none. */
async function leftAlone(client: KubeClient, namespace: string): Promise<readonly string[]> {
  const selected = await selectedNamespaces(client);
  if (selected === undefined || (await isSelected(selected, namespace, client))) return [];
  return [`weeder does not act in the namespace ${namespace}: by its flags it acts in ${selected.inWords}`];
}

/** Prints the answer. */
export async function explainOne(
  { namespace, name }: Pick<Asked, 'namespace' | 'name'>,
  flags: OneFlags,
  assumed: AssumedConfig,
  answer: Answer,
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
  const { reader, items } = answered.value;
  const remarks = [...[chosen.value.remark ?? []].flat(), ...answered.value.remarks];
  return reader.report(() => {
    if (flags.output !== undefined)
      return printData(
        'ObjectExplanation',
        { items: items.map(asData), remarks: [...elsewhere, ...remarks] },
        flags.output,
      );
    print(...elsewhere.map((clause) => `${clause}. If it did:`), ...items.flatMap(explainObject));
    printRemarks(remarks);
  });

  /** From the whole cluster, or else from the namespace alone: not every user may list the whole cluster. */
  async function answerAbout(config: Config) {
    const everywhere = createPrintedReader(client);
    const whole = await answer({ namespace, name, namespaces: 'all', config, client, reader: everywhere });
    if (everywhere.refused().length === 0)
      return whole.ok ? ok({ reader: everywhere, items: whole.value, remarks: [] }) : whole;
    const reader = createPrintedReader(client);
    const own = await answer({ namespace, name, namespaces: [namespace], config, client, reader });
    const remarks = [`other namespaces than ${namespace} are left out, because you may not list what all of them have`];
    if (own.ok) return ok({ reader, items: own.value, remarks });
    // What may not be read may exist.
    const [refused] = reader.refused();
    const isUnknown = own.error.code === 'OBJECT_NOT_FOUND' && refused !== undefined;
    return isUnknown ? failed({ ...refused, message: `Cannot read ${refused.message}` }) : own;
  }
}

function asData({ events, ...explained }: ExplainedObject) {
  return { ...explained, events: events.map(({ at, reason, note }) => ({ time: timeInSeconds(at), reason, note })) };
}
