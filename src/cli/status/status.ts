import type { ClusterAccess } from '@weeder/kube-runtime/access';
import { systemClock, timeInSeconds } from '@weeder/kube-runtime/base';
import { createPortForward, type PortForward } from '@weeder/kube-runtime/client';
import { codedError } from '../../base/errors.ts';
import { connect, interactive } from '../connect.ts';
import { printData } from '../data/printData.ts';
import type { PodStatus } from '../data/statusShape.ts';
import { type StatusFlags, usualNamespace } from '../flags/statusFlags.ts';
import { fail, printLines, printRemarks } from '../output.ts';
import { createPrintedReader } from '../printedReader.ts';
import { askWeeder } from './askWeeder.ts';
import { checkLines, readChecks } from './checks.ts';
import { numberLines, readNumbers } from './numbers.ts';
import { overviewLines, readOverview } from './overview.ts';
import { leads, readLeases, readWeeders, type WeederLease, type WeederPod } from './readWeeders.ts';

/** Where a weeder listens by default, and by deploy/ and the chart. */
const ports = { metrics: 9643, health: 9644, page: 9645 } as const;
/** The number of pods that are asked: of shards, each acts for some namespaces. */
const mostAsked = 10;

/** What a pod says of itself. */
interface Asked {
  readonly found: Pick<PodStatus, 'checks' | 'overview' | 'numbers'>;
  /** What else could be known, in a clause without a full stop. */
  readonly remark?: string;
}

/**
 * `weeder status`: the pods of weeder and their leader by the API server; and from the leader itself, as far as ports of
 * its pod may be forwarded, its streams and what needs attention.
 */
export async function status(flags: StatusFlags): Promise<number> {
  const [namespace = usualNamespace] = flags.namespace ?? [];
  let access: ClusterAccess | undefined;
  const onAccess = (found: ClusterAccess) => {
    access = found;
  };
  const client = await connect({ ...flags, ...interactive, onAccess }, systemClock);
  if (!client.ok) return fail(client.error);
  const reader = createPrintedReader(client.value);
  const pods = await readWeeders(reader, namespace);
  const leases = pods.ok ? await readLeases(reader, namespace) : pods;
  await client.value.close();
  if (!pods.ok) return fail(pods.error);
  if (!leases.ok) return fail(leases.error);
  if (pods.value.length === 0 && reader.refused().length === 0)
    return fail(codedError('OBJECT_NOT_FOUND', `No pod of weeder runs in the namespace ${namespace}.`, elsewhere));
  const forward = access === undefined ? undefined : createPortForward(access, systemClock);
  const found: PodStatus[] = [];
  const remarks = new Set<string>();
  for (const [place, pod] of leadersFirst(pods.value, leases.value).entries()) {
    const isAsked = place < mostAsked && pod.phase === 'Running' && acts(pod, leases.value);
    const asked: Asked = isAsked && forward !== undefined ? await ask(forward, pod) : { found: {} };
    found.push({ ...statusOf(pod, leases.value), ...asked.found });
    if (asked.remark !== undefined) remarks.add(asked.remark);
  }
  await forward?.close();
  return reader.report(() => {
    if (flags.output !== undefined) return printData('Status', { pods: found, remarks: [...remarks] }, flags.output);
    printLines(found.flatMap((pod, place) => [...(place === 0 ? [] : ['']), ...linesOf(pod)]));
    printRemarks([...remarks]);
  });
}

const elsewhere = 'Give its namespace with -n; `weeder version -A` shows where it runs.';

function leadersFirst(pods: readonly WeederPod[], leases: readonly WeederLease[]): readonly WeederPod[] {
  const rank = (pod: WeederPod) => (leases.some((lease) => leads(lease, pod)) ? 0 : 1);
  return pods.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** A standby has nothing to tell. */
function acts(pod: WeederPod, leases: readonly WeederLease[]): boolean {
  return leases.length === 0 || leases.some((lease) => leads(lease, pod));
}

function statusOf({ isReady, ...pod }: WeederPod, leases: readonly WeederLease[]): PodStatus {
  const led = leases.filter((lease) => leads(lease, pod));
  return {
    ...pod,
    ready: isReady,
    leases: led.map(({ name, since }) => ({ name, ...(since === undefined ? {} : { since: timeInSeconds(since) }) })),
    standsBy: leases.length > 0 && led.length === 0,
  };
}

function linesOf(pod: PodStatus): readonly string[] {
  const { namespace, name, image, phase, ready, restarts, leases, standsBy, checks = [], overview, numbers = [] } = pod;
  const role = leases.map(
    (lease) => `leads by ${lease.name}${lease.since === undefined ? '' : ` since ${lease.since}`}`,
  );
  const state = [phase, ready ? 'Ready' : 'not Ready', `${restarts} restarts`, `image ${image}`];
  const words = [...role, ...(standsBy ? ['stands by'] : []), ...state].join(', ');
  const known = overview === undefined ? numberLines(numbers) : overviewLines(overview);
  return [`Pod ${namespace}/${name}: ${words}`, ...[...checkLines(checks), ...known].map((line) => `  ${line}`)];
}

async function ask(forward: PortForward, pod: WeederPod): Promise<Asked> {
  const health = await askWeeder(forward, pod, ports.health, '/readyz?verbose');
  // The first request shows whether the port of any process in the pod can be forwarded.
  if (!health.ok && !isClosed(health.error))
    return { found: {}, remark: `what weeder itself knows is left out: ${health.error}` };
  const page = await numbersOf(forward, pod);
  return { ...page, found: { ...(health.ok ? { checks: readChecks(health.value.text) } : {}), ...page.found } };
}

/** What needs attention and what waits, by name from the live page, or else only as numbers. */
async function numbersOf(forward: PortForward, pod: WeederPod): Promise<Asked> {
  const page = await askWeeder(forward, pod, ports.page, '/overview');
  const overview = page.ok && page.value.status === 200 ? readOverview(page.value.text) : undefined;
  if (overview !== undefined) return { found: { overview } };
  const metrics = await askWeeder(forward, pod, ports.metrics, '/metrics');
  const numbers = metrics.ok && metrics.value.status === 200 ? readNumbers(metrics.value.text) : [];
  return { found: { numbers }, remark: page.ok ? pageIsOther : pageIsOff };
}

const pageIsOff =
  'the names of objects are on the live page, which is off: set livePage: true in the chart, or the component live-page';

const pageIsOther =
  'the names of objects are left out, because the live page is of another version: use the version of weeder in the pod';

/** Nothing listens on the port; the message is that of the kubelet. */
function isClosed(why: string): boolean {
  return /refused|socket hang up/.test(why);
}
