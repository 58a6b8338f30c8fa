import { type Clock, smallest, type TimerHandle } from '@weeder/kube-runtime/base';
import type { ObjectRef } from '@weeder/kube-runtime/events';
import { partsOf } from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { type Config, longestWindow } from '../config/config.ts';
import { includesName } from '../config/scopes.ts';
import { withDeclared } from '../config/serviceLookup.ts';
import type { OwnedNamespaces } from '../controller/ownedNamespaces.ts';
import type { Claim } from './declared/claims.ts';
import { createDeclarations } from './declared/declarations.ts';
import type { ReportWeeder } from './deletions/weederEvents.ts';
import type { DeclaringWorkload } from './dependants.ts';
import { lastingName } from './pods/workloadOf.ts';
import { isOfDeclarations } from './streamPlan.ts';

/** Watches the services that pods declare, in addition to those of the config. */
interface DeclaredDependencies {
  /** Takes the declarations from a stream of pods with the label; other streams pass unchanged. */
  wrap(stream: StreamNeed): StreamNeed;
  /** The stream of this name delivers nothing more. */
  closed(stream: string): void;
  /** Returns the new config with the services that pods declare now. */
  configure(config: Config): Config;
  /** The workloads whose pods declare services, by the service as `namespace/name`. */
  workloads(): ReadonlyMap<string, readonly DeclaringWorkload[]>;
  /** What is wrong with the declarations of pods. */
  problems(): DeclarationProblem[];
  /** From now on the weeder knows which services exist. */
  start(): void;
  stop(): void;
}

/** A declaration that is not followed as written. */
export interface DeclarationProblem {
  readonly workload: ObjectRef;
  readonly problem: string;
}

interface DeclaredDependenciesOptions {
  readonly clock: Clock;
  readonly config: Config;
  /** The watched namespaces. */
  readonly namespaces: 'all' | readonly string[];
  readonly owned: Pick<OwnedNamespaces, 'owns' | 'isSelected'> | undefined;
  /** Puts the config with other declared services into force. */
  readonly apply: (config: Config) => void;
  /** Streams are being replaced: another change would begin that again. */
  readonly isHandingOver: () => boolean;
  /** The services that exist, as `namespace/name`. Undefined: not all of them are known yet. */
  readonly existing: () => ReadonlySet<string> | undefined;
  readonly report: ReportWeeder;
}

/** Changes within this time are applied together, so that a rollout of many workloads opens one new stream. */
const batchTime = 1000;
/** The longest delay of a change by streams that are being replaced. */
const maxBatches = 10;
/** How long a service may take to appear that is deployed together with the pods that declare it. Milliseconds. */
const absentAfter = 30_000;
/** How many missing services are reported at once for the pods of one namespace. */
const maxReported = 20;
/** How much longer than the longest window a declaration without pods is remembered. Milliseconds. */
const margin = 60_000;

export function createDeclaredDependencies(options: DeclaredDependenciesOptions): DeclaredDependencies {
  const { clock, namespaces, owned, apply, isHandingOver, existing, report } = options;
  let config = options.config;
  let applied: ReadonlySet<string> = new Set();
  let isRunning = false;
  let startedAt = 0;
  let isStopped = false;
  let batches = 0;
  let batchTimer: TimerHandle | undefined;
  let reviewTimer: TimerHandle | undefined;

  const declarations = createDeclarations({
    clock,
    keepFor: () => longestWindow(config) + margin,
    isNamespaceWatched: (namespace) => includesName(namespaces, namespace) && owned?.isSelected(namespace) !== false,
    onChanged: applySoon,
    onListed: applyNow,
  });

  /** The claims of pods in the namespaces that the section names. */
  function* counted(): Generator<Claim> {
    const from = config.declared?.namespaces ?? [];
    for (const claim of declarations.claims()) if (includesName(from, claim.workload.namespace)) yield claim;
  }

  function isOwn(namespace: string): boolean {
    return owned === undefined || owned.owns(namespace);
  }

  function declaredNow(): ReadonlySet<string> {
    const services = [...counted()].flatMap(({ about }) => ('service' in about ? about.service : []));
    return new Set(services.filter((service) => isOwn(partsOf(service).namespace)));
  }

  function applySoon(): void {
    if (isStopped || batchTimer !== undefined) return;
    batchTimer = clock.setTimeout(() => {
      batchTimer = undefined;
      batches += 1;
      if (isHandingOver() && batches < maxBatches) applySoon();
      else applyNow();
    }, batchTime);
  }

  function applyNow(): void {
    clock.clearTimeout(batchTimer);
    batchTimer = undefined;
    batches = 0;
    if (isStopped) return;
    reportProblems();
    reviewSoon();
    const services = declaredNow();
    if (services.symmetricDifference(applied).size === 0) return;
    applied = services;
    apply(withDeclared(config, applied));
  }

  function reportProblems(): void {
    for (const claim of counted()) {
      const { workload, about, isReviewed } = claim;
      if (isReviewed || !('problem' in about) || !isOwn(workload.namespace)) continue;
      claim.isReviewed = true;
      report({ type: 'declaration.problem', workload, problem: about.problem });
    }
  }

  /** Each claim is reviewed once, half a minute after it began: whether the service that it names exists. */
  function reviewSoon(): void {
    const pending = [...counted()].filter(({ about, isReviewed }) => 'service' in about && !isReviewed);
    const first = smallest(pending.map(({ since }) => since));
    if (!isRunning || isStopped || first === undefined) return;
    const due = Math.max(first, startedAt) + absentAfter - clock.monotonic();
    // While the EndpointSlices are not known, a review finds nothing.
    const wait = Math.max(due, existing() === undefined ? absentAfter : 0);
    reviewTimer ??= clock.setTimeout(() => {
      reviewTimer = undefined;
      review();
      reviewSoon();
    }, wait);
  }

  function review(): void {
    const store = existing();
    if (store === undefined) return;
    const due = [...counted()].filter(
      ({ about, since, isReviewed }) => 'service' in about && !isReviewed && clock.monotonic() - since >= absentAfter,
    );
    const reported = new Map<string, number>();
    for (const claim of due) {
      claim.isReviewed = true;
      const { workload, about } = claim;
      if (!('service' in about) || store.has(about.service) || !isOwn(partsOf(about.service).namespace)) continue;
      const count = (reported.get(workload.namespace) ?? 0) + 1;
      reported.set(workload.namespace, count);
      const external =
        config.declared?.siblingEvidence === undefined
          ? 'whose readiness weeder cannot know'
          : 'and only its dependants show when it is back';
      const problem = `${about.service} has no EndpointSlice: the Service is missing, its name is misspelt, or it is of type ExternalName, ${external}`;
      if (count <= maxReported) report({ type: 'declaration.problem', workload, problem });
    }
  }

  return {
    wrap(stream) {
      if (!isOfDeclarations(stream.name)) return stream;
      return { ...stream, sink: declarations.beside(stream.name, stream.sink) };
    },
    closed: (stream) => declarations.closed(stream),
    configure(next) {
      config = next;
      applied = declaredNow();
      applySoon();
      return withDeclared(config, applied);
    },
    workloads() {
      const byService = new Map<string, DeclaringWorkload[]>();
      for (const { workload, about } of counted()) {
        if (!('service' in about)) continue;
        const declaring = byService.get(about.service) ?? [];
        declaring.push({ name: lastingName(workload), namespace: workload.namespace, by: about.by });
        byService.set(about.service, declaring);
      }
      return byService;
    },
    problems: () =>
      [...counted()].flatMap(({ workload, about }) =>
        'problem' in about && isOwn(workload.namespace) ? [{ workload, problem: about.problem }] : [],
      ),
    start() {
      isRunning = true;
      startedAt = clock.monotonic();
      reviewSoon();
    },
    stop() {
      isStopped = true;
      clock.clearTimeout(batchTimer);
      clock.clearTimeout(reviewTimer);
      declarations.stop();
    },
  };
}
