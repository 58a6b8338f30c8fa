import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LabelSelector, labelsOf, matchesSelector } from '@weeder/kube-runtime/objects';
import { type Answer, answered } from '../references/answer.ts';

/** Lists all pods of the namespace that the selector selects, as they are at some moment after the call. */
export type ListPods = (
  namespace: string,
  selector: LabelSelector,
  signal: AbortSignal,
) => Promise<Answer<readonly unknown[]>>;

interface ListRequest {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly signal: AbortSignal;
  readonly resolve: (answer: Promise<Answer<readonly unknown[]>>) => void;
}

/** The number of workloads in one request: its URL has to stay short, and its response small. */
const maxTogether = 32;

/**
 * Lists the pods of many workloads together. If 200 workloads use one source, all need their pods at the same moment:
 * the calls of one turn of the event loop, for one namespace and for values of the same label, become one `label in
 * (…)` request, and each caller receives its own pods from the response. Nothing is cached: a later call leads to a
 * later request.
 */
export function listTogether(list: ListPods): ListPods {
  let queued: ListRequest[] = [];

  async function requestNext(): Promise<void> {
    await nextTurn();
    const requests = queued;
    queued = [];
    for (const namespaceRequests of Map.groupBy(requests, ({ namespace }) => namespace).values()) {
      const label = selectiveLabels(namespaceRequests);
      for (const [key, group] of Map.groupBy(namespaceRequests, label)) {
        for (const together of chunksOf(group)) request(key, together);
      }
    }
  }

  function request(label: string | undefined, requests: readonly ListRequest[]): void {
    const [first, ...others] = requests;
    if (first === undefined) return;
    if (label === undefined || others.length === 0) {
      for (const { namespace, selector, signal, resolve } of requests) resolve(list(namespace, selector, signal));
      return;
    }
    const values = new Set(requests.map((question) => valueIn(question, label)));
    const selector: LabelSelector = { matchExpressions: [{ key: label, operator: 'In', values: [...values] }] };
    const listed = list(first.namespace, selector, untilAll(requests.map(({ signal }) => signal))).then((answer) =>
      byLabel(answer, label),
    );
    for (const question of requests) question.resolve(listed.then((answer) => pickFor(question, label, answer)));
  }

  return (namespace, selector, signal) =>
    new Promise((resolve) => {
      queued.push({ namespace, selector, signal, resolve });
      if (queued.length === 1) void requestNext();
    });
}

type Listed = Answer<ReadonlyMap<string | undefined, readonly unknown[]>>;

function pickFor(question: ListRequest, label: string, answer: Listed): Answer<readonly unknown[]> {
  if (answer.type !== 'ok') return answer;
  const isSelected = (pod: unknown) => matchesSelector(question.selector, labelsOf(pod));
  return answered((answer.value.get(valueIn(question, label)) ?? []).filter(isSelected));
}

function byLabel(answer: Answer<readonly unknown[]>, label: string): Listed {
  if (answer.type !== 'ok') return answer;
  return answered(Map.groupBy(answer.value, (pod) => labelsOf(pod)[label]));
}

/**
 * Returns the label by which to list a workload: of those in its selector, the one that distinguishes the most of these
 * workloads, so that hardly any unneeded pods are listed. Undefined: its selector has no label with a value.
 */
function selectiveLabels(requests: readonly ListRequest[]): (question: ListRequest) => string | undefined {
  const values = new Map<string, Set<string>>();
  for (const { selector } of requests) {
    for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
      values.set(key, (values.get(key) ?? new Set()).add(value));
    }
  }
  const valuesOf = (key: string) => values.get(key)?.size ?? 0;
  return ({ selector }) =>
    Object.keys(selector.matchLabels ?? {})
      .sort()
      .reduce<string | undefined>(
        (best, key) => (best === undefined || valuesOf(key) > valuesOf(best) ? key : best),
        undefined,
      );
}

function valueIn({ selector }: ListRequest, label: string): string {
  return selector.matchLabels?.[label] ?? '';
}

function chunksOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / maxTogether);
  return Array.from({ length: count }, (_, index) => items.slice(index * maxTogether, (index + 1) * maxTogether));
}

/** Returns a signal that aborts once all of these are aborted. */
function untilAll(signals: readonly AbortSignal[]): AbortSignal {
  const end = new AbortController();
  let waiting = signals.length;
  const leave = () => {
    waiting -= 1;
    if (waiting === 0) end.abort();
  };
  for (const signal of signals) {
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  return end.signal;
}
