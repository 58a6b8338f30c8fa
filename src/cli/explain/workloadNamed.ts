import { failed, type JsonObject, ok, type Result } from '@weeder/kube-runtime/base';
import { bareKind, workloadKindNames } from '@weeder/kube-runtime/objects';
import { codedError } from '../../base/errors.ts';
import type { OtherKind } from '../../config/restart.ts';
import type { ExplainedObject } from '../../explain/explainedObject.ts';
import { explainUnmanaged } from '../../explain/explainUnmanaged.ts';
import { type ExplainedWorkload, explainedWorkload, explainHashKey } from '../../explain/explainWorkload.ts';
import { inspectWorkloads } from '../../explain/inspectWorkloads.ts';
import { type WorkloadRef, workloadKey, workloadPath } from '../../restart/references/refs.ts';
import { readWorkload, type WorkloadSummary } from '../../restart/references/workloadSummary.ts';
import { isKindName } from '../flags/kindNames.ts';
import { readEventsAbout } from '../writtenEvents.ts';
import { type Answer, type Asked, explainOne, type OneFlags } from './explainOne.ts';

const assumed = { text: 'restartControl: {}', inWords: 'only annotations decide which workloads are managed' };

/** `weeder explain workload NAME`, or `KIND/NAME`: why the workload is, is not, or was restarted. */
export function explainWorkloadNamed(namespace: string, name: string, flags: OneFlags): Promise<number> {
  return explainOne({ namespace, name }, flags, assumed, answer);
}

const answer: Answer = async (asked) => {
  const { namespace, name } = asked;
  const others = asked.config.restart?.workloadKinds ?? [];
  const names = [...workloadKindNames, ...others.map((each) => each.name)];
  const refs = refsOf(namespace, name, names);
  if (refs === undefined)
    return failed(codedError('USAGE', `There is no workload ${name}: its kind is one of ${names.join(', ')}.`));
  const found: { readonly ref: WorkloadRef; readonly object: JsonObject }[] = [];
  for (const ref of refs) {
    const object = await asked.reader.readOne(workloadPath(ref), `${ref.kind} in ${namespace}`);
    if (!object.ok) return object;
    if (object.value !== undefined) found.push({ ref, object: object.value });
  }
  if (found.length === 0)
    return failed(codedError('OBJECT_NOT_FOUND', `There is no workload ${name} in the namespace ${namespace}.`));
  const explained: ExplainedObject[] = [];
  for (const { ref, object } of found) {
    const about = await explainRef(ref, object, asked, others);
    if (!about.ok) return about;
    explained.push(...about.value);
  }
  return ok(explained);
};

async function explainRef(
  ref: WorkloadRef,
  object: JsonObject,
  asked: Asked,
  others: readonly OtherKind[],
): Promise<Result<readonly ExplainedObject[]>> {
  const { config, namespaces, reader } = asked;
  const events = await readEventsAbout(reader, { ...ref, kind: bareKind(ref.kind) });
  if (!events.ok) return events;
  const read = await readTogether(ref, asked);
  if (!read.ok) return read;
  const { managed, summary = readWorkload(object, ref.kind, others) } = read.value;
  const unmanaged = summary && explainUnmanaged(summary, config.restart !== undefined, namespaces);
  const about = managed ?? unmanaged;
  if (about === undefined) return ok([]);
  const { kind, namespace, name } = ref;
  return ok([{ kind, namespace, name, answer: about.state, details: about.details, events: events.value }]);
}

interface ReadWorkload {
  /** Undefined: restart control does not manage it. */
  readonly managed?: ExplainedWorkload | undefined;
  /** Undefined: it was not read together with the workloads that concern it. */
  readonly summary?: WorkloadSummary | undefined;
}

async function readTogether(
  ref: WorkloadRef,
  { config, client, namespaces, reader }: Asked,
): Promise<Result<ReadWorkload>> {
  const { restart } = config;
  if (restart === undefined) return ok({});
  const isAsked = (each: WorkloadRef) => workloadKey(each) === workloadKey(ref);
  const view = await inspectWorkloads({ ...config, restart }, client, namespaces, reader.read, isAsked);
  if (!view.ok) return view;
  const [workload] = view.value.workloads;
  const [summary] = view.value.summaries;
  if (workload === undefined) return ok({ summary });
  const explained = explainedWorkload(workload, Date.now());
  return ok({ managed: { ...explained, details: [...explained.details, ...explainHashKey(view.value)] } });
}

/** Every workload that may be meant by `web`, or the one that is meant by `deployment/web`. Undefined: no kind is. */
function refsOf(namespace: string, given: string, names: readonly string[]): readonly WorkloadRef[] | undefined {
  const [name = '', kind] = given.split('/').toReversed();
  if (kind === undefined) return names.map((each) => ({ kind: each, namespace, name }));
  const known =
    names.find((each) => each.toLowerCase() === kind.toLowerCase()) ?? names.find((each) => isKindName(each, kind));
  return known === undefined ? undefined : [{ kind: known, namespace, name }];
}
