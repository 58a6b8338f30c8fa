import { type CodedError, systemClock } from '@weeder/kube-runtime/base';
import { objectText } from '@weeder/kube-runtime/objects';
import packageJson from '../../../package.json' with { type: 'json' };
import { connect, interactive } from '../connect.ts';
import { printData } from '../data/printData.ts';
import type { Content } from '../data/shapes.ts';
import type { OutputFlag } from '../flags/outputFlag.ts';
import { namespacesOf, type ReadFlags } from '../flags/readFlags.ts';
import { exitCodes, fail, printLines } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { serverVersion } from '../serverVersion.ts';
import { runningWeeders, weederLabel } from './runningWeeders.ts';

type VersionFlags = ReadFlags & OutputFlag & { readonly client?: boolean };

type Versions = Content<'Version'>;

/**
 * `weeder version`: the version of this program, and of what runs in the cluster. Without any kubeconfig there is no
 * cluster to ask; as with kubectl, a cluster that does not answer is an error.
 */
export async function version(flags: VersionFlags): Promise<number> {
  const { node } = process.versions;
  const client = { version: packageJson.version, node, platform: `${process.platform}/${process.arch}` };
  const show = (cluster: Omit<Versions, 'client'>) => {
    if (flags.output === undefined) printLines([`Client version: ${client.version}`, ...linesOf(cluster)]);
    else printData('Version', { client, ...cluster }, flags.output);
  };
  const only = (problem?: CodedError) => {
    show({});
    return problem === undefined ? exitCodes.ok : fail(problem);
  };
  if (flags.client === true) return only();
  const connected = await connect({ ...flags, ...interactive }, systemClock);
  if (!connected.ok && connected.error.code === 'USAGE') return fail(connected.error);
  if (!connected.ok) return only(isNoCluster(connected.error, flags) ? undefined : connected.error);
  const reader = createPrintedReader(connected.value);
  const kubernetes = await serverVersion(connected.value);
  const running = await runningWeeders(namespacesOf(flags), reader);
  await connected.value.close();
  if (!running.ok) return only(running.error);
  const isKnown = running.value.length > 0 || reader.refused().length === 0;
  show({ ...(kubernetes === undefined ? {} : { kubernetes }), ...(isKnown ? { running: running.value } : {}) });
  return reader.report(() => {});
}

function isNoCluster({ code }: CodedError, { kubeconfig, context }: VersionFlags): boolean {
  const isNamed = kubeconfig !== undefined || context !== undefined || (process.env['KUBECONFIG'] ?? '') !== '';
  return code === 'KUBECONFIG_NOT_FOUND' && !isNamed;
}

function linesOf({ kubernetes, running }: Omit<Versions, 'client'>): string[] {
  const none = running?.length === 0 ? [`Running version: none, no workload has the label ${weederLabel}`] : [];
  return [
    ...(kubernetes === undefined ? [] : [`Kubernetes version: ${kubernetes}`]),
    ...(running ?? []).map(
      ({ version = 'unknown', image, replicas, ready, ...ref }) =>
        `Running version: ${version}, ${objectText(ref)}, image ${image}, ${ready} of ${replicas} ready`,
    ),
    ...none,
  ];
}
