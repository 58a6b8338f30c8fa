import { driftReport } from '../drift/driftReport.ts';
import { hostileReport } from '../drift/hostileReport.ts';
import { thousandReport } from '../drift/thousandReport.ts';
import { recoveryReport } from '../recovery/recoveryReport.ts';
import { restartReport } from '../restart/restartReport.ts';
import { actorsReport, restReport, scaleReport, startReport } from './otherReports.ts';
import type { Machine, Results } from './results.ts';

/** docs/benchmarks.md, whole: what was measured, on what, and what came of it. */
export function benchmarksPage({
  recovery,
  scale,
  actors,
  start,
  rest,
  restart,
  observer,
  thousand,
  hostile,
}: Results): string {
  const parts = [
    introduction,
    recovery && [recoveryText(recovery.cases[0]), taken(recovery), recoveryReport(recovery.cases)],
    scale && [scaleText, taken(scale), scaleReport(scale.cases)],
    actors && [actorsText, taken(actors), actorsReport(actors.cases)],
    start && [startText, taken(start), startReport(start.cases)],
    rest && [restText, taken(rest), restReport(rest.cases)],
    restart && [restartText, taken(restart), restartReport(restart.cases)],
    observer && [driftText, taken(observer), driftReport(observer.cases)],
    thousand && [thousandText, taken(thousand), thousandReport(thousand.cases)],
    hostile && [hostileText, taken(hostile), hostileReport(hostile.cases)],
  ];
  return `${parts.flatMap((part) => part ?? []).join('\n\n')}\n`;
}

function taken({ date, machine }: { readonly date: string; readonly machine: Machine }): string {
  const { cores, cpu, memory, kernel, node, load } = machine;
  return `Measured on ${date}: ${cores} cores (${cpu}) for everything, ${memory} GiB, ${kernel}, Node.js ${node}, load average before it ${load}.`;
}

const introduction = `# Benchmarks

\`npm run bench -- --all --write\` measures all of this anew and writes this page, in about a quarter of an hour. Absolute times say little: they depend on the machine and on what else it does. What can be compared are figures of one run, which is why weeder is measured beside the least that any controller for its task has to do. Goals are printed as met or missed. A load average above the number of cores means that the machine was busy with other work, and times are that much longer.

Single ones: \`npm run bench -- recovery --namespaces 1,50 --runs 3\`, and \`scale\`, \`actors\`, \`start\`, \`rest\`, \`restart\`, \`observer\`, \`thousand\` or \`hostile\`. \`--profile DIR\` tells where the time of recoveries, restarts and corrections goes, by package and by function.`;

function recoveryText(first: { readonly podBytes: number; readonly server: string } | undefined): string {
  return `## Recoveries

A real kube-apiserver (${first?.server}) and etcd, with so many namespaces; in each a service that is down, crash-looping pods that depend on it, and two healthy pods, of ${first?.podBytes} bytes each. All services become ready as fast as the API server takes it. Measured is the time from each flip, as it is sent, to the DELETED event of each of its pods, as a process of its own sees it. Everything shares the same cores.

**bare** is a script that can do nothing else ([bench/recovery/bare.ts](../bench/recovery/bare.ts)): the two streams over HTTP/2, an index of crash-looping pods, and a DELETE with preconditions the moment a service flips, 32 at a time on the same connection. **weeder** is the production bundle with its default flags, and once more without Events. The candidates take turns, each in a new process; figures are medians over the rounds, ratios (×, to the bare client) are taken within each round.

CPU is that from the first flip to the last DELETED event, "after" that of the two seconds behind it, when Events are written. Memory at rest is taken some seconds after the start. The loop's delay is prom-client's figure, in which 10 ms are no delay at all.`;
}

const scaleText = `## Many pods

On the embedded API server of the demo, because it takes 100,000 pods in seconds: it is the bottleneck of "synced", which is an upper bound therefore. The pods are in 1,000 namespaces. Unrelated ones are not even sent, as the streams carry label selectors, until there are more than 16 distinct podSelectors: then one stream brings all pods, each of which has to be parsed for its labels. On a stream of its own selector the event of a healthy pod is not parsed, that of a crash-looping one is.`;

const actorsText = `## Many windows

The weeder without its streams: all services become ready at once, each with two podSelectors, so two windows; then one pod of each crash-loops, its deletion is refused, and it waits for the next try. "One more" is a service with its pod that comes when all the others are there: its cost must not grow with their number.`;

const startText = `## What is loaded

A process that loads it and ends, and its largest memory; at last weeder on an embedded server without pods, until it has the complete state, and its memory at rest. The bundle holds only what is used of the dependencies.`;

const restText = `## Watched namespaces

The weeder and restart control as the image and the manifest run them, on a real kube-apiserver and etcd, told by \`--namespaces\` to watch so many empty namespaces: each has ten streams of its own, because a Role of one namespace allows no more. Measured is a minute in which nothing happens. A watch that the server does not end in time tells of a dead connection; one short watch is enough for that, and HTTP/2 PINGs for the connections that it is not on ([ADR 6](adr/0006-http.md)).`;

const restartText = `## Restart control

A real kube-apiserver and etcd, with so many ConfigMaps and as many Secrets of 5 KB, and Deployments that use one of each; 40 % of them share a ConfigMap. No controller runs: each Deployment has one pod, which the benchmark replaces 2.5 s after its template has changed, as if an image had to be pulled. weeder is the production bundle with the memory limit of the manifest (\`NODE_OPTIONS\`), a quiet period of 5 s, 20 adoptions a second or more (ten times the default), and its other limits lifted. Memory is compared with the same process on an empty cluster. A rollout is a new annotation of weeder's in a pod template, as a watch tells of it; times are from the end of the quiet period. What the time is spent on, and what was tried, is told in [ADR 16](adr/0016-speed-of-restarts.md).

The peers' figures were taken once, on another day and on a machine with other work, with replicas 0: weeder restarts no workload that has no pods. They are a measure, not a race.`;

const thousandText = `## A thousand resources

The same resources, a thousand of them in many small or in a few large applications; each of the two candidates has a control plane of its own, and they take turns in each phase. **bare** does the start work that no controller for this task can do without: it reads the list of each kind, and applies each resource once. Times are medians over the rounds; ratios are taken within each round. Memory is the resident one of weeder some time after the last request, as the image and the component of the observer run it (\`deployed\`), as \`npx weeder\` does, and from sources.`;

const hostileText = `## Hostile applications

One process with the weeder, the application observer and leader election, on a real kube-apiserver and etcd; in each round the services recover first without Applications, and then beside hostile ones, while in both halves somebody changes the same objects, small ones ten times a second and large ones every ten seconds (more, and the API server itself, which needs up to a second for each, is what recoveries wait for); the applications are, each in a namespace of its own: 500 kinds that do not exist, a manifest of 700 KB that is changed all the time, fifty objects of which one is fought over, 200 manifests that are refused, and a list of 5,000 elements that is changed all the time. Everything shares the same cores. Figures are medians over the rounds; ratios are taken within each round.`;

const driftText = `## Application observer

A real kube-apiserver and etcd without controllers, and so many applications in namespaces of 50; each has two ConfigMaps, two Services and a Deployment without pods, of which the schema observes the image and the env. What drifts is another field of a resource each time, since what is corrected twice waits. A time is that from the edit, as it is sent, to the corrected object, as a process of its own sees it on a watch; drifts at once are edited 32 at a time, and the total counts from the first edit. weeder is the production bundle with the section \`observer: {}\`, its default flags and the memory limit of the manifest (\`NODE_OPTIONS\`); it applies as the \`default\` account of each namespace. Everything shares the same cores.

**bare** is a script that can do nothing else ([bench/drift/bareObserver.ts](../bench/drift/bareObserver.ts)): a stream for each kind, of each object what its manifest lists, and one server-side apply with the rights of an administrator for each that is different, 8 at a time. At each start it applies everything once. Each of the two has a control plane of its own, one after the other in the same run.

Krake, for the same number of resources, would poll 2,500 of them a second. What the time is spent on, and what was tried, is told in [ADR 17](adr/0017-speed-of-the-observer.md).`;
