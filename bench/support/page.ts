import { driftReport } from '../drift/driftReport.ts';
import { hostileReport } from '../drift/hostileReport.ts';
import { thousandReport } from '../drift/thousandReport.ts';
import { PullResults, pullsReport } from '../kubelet/pulls/pullResults.ts';
import pulls from '../kubelet/pulls/results.json' with { type: 'json' };
import measured from '../kubelet/results.json' with { type: 'json' };
import { Results as KubeletResults, kubeletReport } from '../kubelet/results.ts';
import { livePageReport } from '../livePage/livePageReport.ts';
import { recoveryReport } from '../recovery/recoveryReport.ts';
import { restartReport } from '../restart/restartReport.ts';
import { actorsReport, creationReport, herdReport, restReport, scaleReport, startReport } from './otherReports.ts';
import type { Machine, Results } from './results.ts';

/** The content of docs/development/benchmarks.md: what was measured, on which machine, and the results. */
export function benchmarksPage({
  recovery,
  herd,
  creation,
  scale,
  actors,
  start,
  rest,
  restart,
  observer,
  thousand,
  hostile,
  page,
}: Results): string {
  const sections = [
    introduction,
    kubeletReport(KubeletResults.parse(measured)),
    recovery && [recoveryText(recovery.cases[0]), measuredOn(recovery), recoveryReport(recovery.cases)],
    herd && [herdText, measuredOn(herd), herdReport(herd.cases)],
    creation && [creationText, measuredOn(creation), creationReport(creation.cases)],
    scale && [scaleText, measuredOn(scale), scaleReport(scale.cases)],
    actors && [actorsText, measuredOn(actors), actorsReport(actors.cases)],
    start && [startText, measuredOn(start), startReport(start.cases)],
    rest && [restText, measuredOn(rest), restReport(rest.cases)],
    pullsReport(PullResults.parse(pulls)),
    restart && [restartText, measuredOn(restart), restartReport(restart.cases)],
    observer && [driftText, measuredOn(observer), driftReport(observer.cases)],
    thousand && [thousandText, measuredOn(thousand), thousandReport(thousand.cases)],
    hostile && [hostileText, measuredOn(hostile), hostileReport(hostile.cases)],
    page && [livePageText, measuredOn(page), livePageReport(page.cases)],
  ];
  return `${sections.flatMap((section) => section ?? []).join('\n\n')}\n`;
}

function measuredOn({ date, machine }: { readonly date: string; readonly machine: Machine }): string {
  const { cores, cpu, memory, kernel, node, load } = machine;
  return `Measured on ${date}: ${cores} shared cores (${cpu}), ${memory} GiB, ${kernel}, Node.js ${node}, load average before the run ${load}.`;
}

const introduction = `# Benchmarks

This page is for contributors, and for operators who plan a large installation. It has the figures of all benchmarks and the goals for them. Only figures of the same run are comparable, so each run also measures a bare client that does only the required work. A load average above the number of cores means that the machine was busy.

\`npm run bench -- --all --write\` runs all benchmarks and writes this page, in about an hour. To run single benchmarks: \`npm run bench -- recovery --namespaces 1,50 --runs 3\`, and \`herd\`, \`creation\`, \`scale\`, \`actors\`, \`start\`, \`rest\`, \`restart\`, \`observer\`, \`thousand\`, \`hostile\` or \`page\`. \`--profile DIR\` writes CPU profiles of recoveries, restarts and corrections, and prints their times by package and by function.`;

function recoveryText(first: { readonly podBytes: number; readonly server: string } | undefined): string {
  return `## Recoveries

**Setup.** A real kube-apiserver (${first?.server}) and etcd run on one core, with the benchmark, and the client on another (\`separate\`), as in production; or all share all cores (\`shared\`), where each computation of the client takes its time from the API server. Each namespace has a service that is down, crash-looping pods that depend on it, and two healthy pods, of ${first?.podBytes} bytes each. All services become ready as fast as the API server accepts the changes.

**Candidates.** **bare** is a script that does only the required work ([bench/recovery/bare.ts](../../bench/recovery/bare.ts)): two streams over HTTP/2, an index of crash-looping pods, and a DELETE with preconditions when a service becomes ready, 32 at a time on the same connection. **weeder** is the production bundle with its default flags, once with and once without Events. The candidates take turns, each in a new process.

**Figures.** Times run from the request that makes a service ready to the DELETED event of each of its pods, as a separate process receives it. Figures are medians over the rounds; ratios (×) are relative to the bare client in the same round. CPU runs from the first change of a service to the last DELETED event; "CPU after" covers the following two seconds, in which Events are written. A loop delay of 10 ms means no delay.`;
}

const herdText = `## Many dependants of one service

A real kube-apiserver and etcd have the given number of crash-looping dependants of one service. They share all cores with weeder, the production bundle with its default flags. Each deleted pod is followed by one that connects to the service, which has just come back; \`pace\` limits how many do so at a time. The time runs from the request that makes the service ready to the last DELETED event, as a separate process receives it. The largest number of deletions within any one second is that of the requests that the API server received, by its audit log.`;

const creationText = `## Creations that a webhook refused

A real kube-apiserver and kube-controller-manager, and an HTTPS webhook with \`failurePolicy: Fail\` that is away for the given time. The objects of each kind lack one pod each. The time runs from the request that makes the Service of the webhook ready to the first pod of an object, as a watch sees it. Without weeder, the controllers try again by their own delays. With weeder, at most 50 objects are retried in a second. Both halves share the API server and the controllers. CPU and memory are those of weeder for all kinds together.`;

const scaleText = `## Many pods

The API server is the embedded one of the demo, which accepts 100,000 pods within seconds, and limits "synced". The pods are in 1,000 namespaces. The streams use label selectors, so the server does not send unrelated pods. With more than 16 distinct podSelectors, one stream delivers all pods, and weeder parses the labels of each. On a stream with its own selector, weeder parses the events of crash-looping pods, but not those of healthy ones.`;

const actorsText = `## Many windows

This benchmark runs the weeder without streams. All services become ready at once, each with two podSelectors. Then one pod of each service crash-loops, its deletion is refused, and it waits for a retry. "One more" is a further service with its pod when all others exist: its cost must not grow with their number.`;

const startText = `## Loaded code

Each row is a process that loads the named code and exits, with its peak memory. The last two rows are weeder on an embedded server without pods, until it has the complete state, with its memory at rest. The bundle contains only the used parts of the dependencies.`;

const restText = `## Watched namespaces

The weeder and restart control run as the image and the manifest run them, on a real kube-apiserver and etcd. \`--namespaces\` names the given number of empty namespaces. Each has its own streams, because a Role covers only one namespace. The figures cover a minute without changes. A watch that the server does not end in time shows that its connection is dead; one short watch suffices for that, with HTTP/2 PINGs on the other connections ([ADR 6](../adr/0006-detect-dead-connections-with-one-short-watch.md)).`;

const restartText = `## Restart control

**Setup.** A real kube-apiserver and etcd have the given number of ConfigMaps, as many Secrets, of 5 KB each, and Deployments that use one of each; 40 % of the Deployments share a ConfigMap. Each Deployment has one pod, which the benchmark replaces 2.5 s after a change of the template, as if an image had to be pulled. weeder is the production bundle with the memory limit of the manifest, a quiet period of 5 s, 20 adoptions a second or more (ten times the default), and no other limits.

**Figures.** Memory is compared with the same process on an empty cluster. A rollout is a new annotation of weeder in a pod template, as a watch reports it. Times start at the end of the quiet period. [ADR 16](../adr/0016-combine-the-pod-lists-of-workloads.md) says where the time goes, and what was tried.

The figures of Reloader and wave were measured once, on another day, on a busy machine and with 0 replicas: they indicate an order of magnitude.`;

const thousandText = `## A thousand resources

The resources are those of the section before, a thousand of them in many small or in a few large applications. **bare** does the work that no controller can avoid at a start: it reads the list of each kind, and applies each resource once. The two candidates take turns, each with its own control plane. Times are medians over the rounds; ratios are those within a round. Memory is the resident memory of weeder some time after the last request, run as in the image with the component of the observer (\`deployed\`), as \`npx weeder\`, and from sources. [ADR 27](../adr/0027-create-resources-without-reading-them-first.md) says what was tried to make starts faster.`;

const hostileText = `## Hostile applications

One process runs the weeder, the application observer and leader election, on a real kube-apiserver and etcd that share its cores. In each round, the services recover first without Applications and then with hostile ones, each of which has its own namespace:

- 500 kinds that do not exist
- a manifest of 700 KB that changes continuously
- fifty objects, one of which another client keeps changing back
- 200 manifests that are refused
- a list of 5,000 elements that changes continuously

In both halves, the same objects are changed: small ones ten times a second, large ones every ten seconds, because the API server needs up to a second for each large object. Figures are medians over the rounds; ratios are those within a round.`;

const driftText = `## Application observer

**Setup.** A real kube-apiserver and etcd, without controllers, have the given number of applications, 50 in each namespace. Each has two ConfigMaps, two Services and a Deployment without pods, of which the schema observes the image and the env. Each drift concerns another field of a resource, because repeated corrections of a field are delayed. weeder is the production bundle with its default flags and the memory limit of the manifest. All processes share the same cores.

**Candidates.** **bare** is a script that does only the required work ([bench/drift/bareObserver.ts](../../bench/drift/bareObserver.ts)): a stream for each kind, and one server-side apply with the rights of an administrator for each object that differs, 8 at a time. At each start it applies everything once. Each candidate has its own control plane.

**Figures.** Times run from the request that edits an object to its correction, as a separate process sees it. Simultaneous drifts are edited 32 at a time, and their total starts at the first edit. [ADR 17](../adr/0017-write-corrections-before-statuses.md) says where the time goes, and what was tried. With the same number of resources, Krake would poll 2,500 of them a second.`;

const livePageText = `## Live page

**Setup.** The API server is the embedded one. Each service has an open window with four podSelectors, so five actors. weeder is the production bundle with the memory limit of the manifest, without Events, on a core of its own. The pages are open in a headless Chromium, in the views Overview, Services, Timeline, Dependencies and Actors in turn. While services change, the browser has the lowest priority on the other core, as if it ran on another machine.

**Figures.** First rows are shown this long after the begin of the navigation: the median of three, one page at a time. The services that change go down one after the other, each with a pod that crash-loops, and recover. Times run from a service becoming ready to the deletion of its pod, as the API server sees both. Each round has the same changes without pages and with them; figures are medians over the rounds, and ratios those within a round. The memory of the browser is that of all its processes, what they share counted once. A page that scrolls moves by 200 pixels in each frame, with the messages of a test in place of a weeder; the CPU is that of its main thread. On a busy machine, the ratios and the CPU of a frame are worth more than the times.

Before its tables had virtual rows, the page of 1,005 services had 16,100 elements, received 285 kB until its first rows, which took 1.0 to 1.3 s, and took 17 % of a core of the browser at rest, and 1 % of one of weeder.`;
