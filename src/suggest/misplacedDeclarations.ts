import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { objectText } from '@weeder/kube-runtime/objects';
import { quoted } from '../base/fieldError.ts';
import { declarationOf, dependsOn, dependsOnServices, writtenOn } from '../weeder/declared/declaration.ts';
import { type ObservedWorkload, readObjects } from './observed.ts';

/** What weeder does not see, or cannot read, of what a workload declares. */
interface DeclarationProblem {
  readonly namespace: string;
  /** `unseen`: the controller watches pods by their label, and cannot report it. */
  readonly type: 'unseen' | 'malformed';
  /** A sentence without a full stop, with the workload and what to write. */
  readonly text: string;
}

/** The problems with the declarations of these objects, which are of any kind. */
export function declarationProblems(objects: readonly JsonObject[]): DeclarationProblem[] {
  return objects.flatMap((object): DeclarationProblem[] => {
    const [workload] = readObjects([object]).workloads;
    if (workload === undefined) return [];
    const { namespace } = workload.ref;
    const name = objectText(workload.ref);
    const unseen = unseenBy(object, workload);
    if (unseen.length > 0) {
      const text = `${name} declares a dependency where weeder does not see it: write ${unseen.join(', and ')}`;
      return [{ namespace, type: 'unseen', text }];
    }
    const written = writtenOn(workload.template);
    const { problems } = written === undefined ? { problems: [] } : declarationOf(written, namespace);
    return problems.map((problem) => ({ namespace, type: 'malformed', text: `${name}: ${problem}` }));
  });
}

/** The lines that the pod template lacks, each with its place. */
function unseenBy(object: JsonObject, { ref, template }: ObservedWorkload): string[] {
  const spec = objectOf(object['spec']);
  const isCronJob = ref.kind === 'CronJob';
  const own = partsOf(template);
  const others = [object, ...(isCronJob ? [objectOf(spec['jobTemplate'])] : [])].map(partsOf);
  const label = textOf(own.labels[dependsOn]);
  const annotation = textOf(own.annotations[dependsOnServices]);
  const first = (values: readonly unknown[]) => values.map(textOf).find((value) => value !== undefined);
  const otherLabel = first([
    ...others.map(({ labels }) => labels[dependsOn]),
    ...[own, ...others].map(({ annotations }) => annotations[dependsOn]),
  ]);
  const otherAnnotation = first([
    ...others.map(({ annotations }) => annotations[dependsOnServices]),
    ...[own, ...others].map(({ labels }) => labels[dependsOnServices]),
  ]);
  const place = `${isCronJob ? 'spec.jobTemplate.spec' : 'spec'}.template.metadata`;
  const isDeclared = [label, annotation, otherLabel, otherAnnotation].some((value) => value !== undefined);
  return [
    ...(label === undefined && isDeclared ? [lineAt(`${place}.labels`, dependsOn, otherLabel ?? '')] : []),
    ...(annotation === undefined && otherAnnotation !== undefined
      ? [lineAt(`${place}.annotations`, dependsOnServices, otherAnnotation)]
      : []),
  ];
}

function partsOf(object: JsonObject): { readonly labels: JsonObject; readonly annotations: JsonObject } {
  const { labels, annotations } = objectOf(object['metadata']);
  return { labels: objectOf(labels), annotations: objectOf(annotations) };
}

/** The line of YAML, and where it belongs. */
function lineAt(place: string, key: string, value: string): string {
  return `\`${key}: ${/^[a-z][a-z0-9.-]*$/.test(value) ? value : quoted(value)}\` into ${place}`;
}
