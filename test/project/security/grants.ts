import { arrayOf, isObject, textOf } from '@weeder/kube-runtime/base';
import { parse, parseAllDocuments } from 'yaml';
import { textsIn } from '../../support/sources.ts';

/** The verbs of RBAC that change something, or let a client act as another account. */
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection', 'impersonate', 'bind', 'escalate', '*'];

/** The permissions to write of a rule, such as `pods: delete`, each with one resource and one verb. */
function writesOf(resources: readonly unknown[], verbs: readonly unknown[]): readonly string[] {
  return resources.flatMap((resource) =>
    verbs.flatMap((verb) => (writing.includes(String(verb)) ? [`${resource}: ${verb}`] : [])),
  );
}

/** Returns the permissions to write in any part of a manifest, also in the patches of a kustomization. */
function writesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(writesIn);
  if (!isObject(value)) return [];
  const { resources, verbs, patch, ...rest } = value;
  const own = verbs === undefined ? writesIn(resources) : writesOf(arrayOf(resources), arrayOf(verbs));
  const text = textOf(patch);
  return [...own, ...(text === undefined ? writesIn(patch) : writesIn(parse(text))), ...writesIn(Object.values(rest))];
}

/** What of deploy/ a manifest belongs to: a component or an overlay, or what every installation has. */
function partOf(file: string): string {
  const [, part = 'base'] = /^deploy\/(?:components|overlays(?=\/highly-available))\/([^/]+)\//.exec(file) ?? [];
  // It leaves less than the base has.
  return part === 'no-weeding' ? 'base' : part;
}

/** The permissions to write of the manifests, with the part that grants them: `evict pods/eviction: create`. */
export function grantsOfManifests(): ReadonlySet<string> {
  const files = [...textsIn('deploy/{base,components,overlays,separate,examples,labels,namespace}/**/*.yaml')];
  return new Set(
    files.flatMap(([file, text]) =>
      parseAllDocuments(text).flatMap((document) =>
        writesIn(document.toJS()).map((permission) => `${partOf(file)} ${permission}`),
      ),
    ),
  );
}

/** The permissions to write in the templates of the chart, which are read as text. A resource may be a value. */
export function grantsOfChart(): ReadonlySet<string> {
  const rule = /resources: \[([^\]]+)](?:\n|\\n)(?:\s*resourceNames: \[[^\]]+](?:\n|\\n))?\s*verbs: \[([^\]]+)]/g;
  const words = (list: string) => list.split(',').map((each) => each.trim());
  const text = [...textsIn('deploy/chart/templates/*').values()].join('\n');
  const rules = [...text.matchAll(rule)].map(([, resources = '', verbs = '']) =>
    writesOf(words(resources), words(verbs)),
  );
  const lists = text.matchAll(/\bverbs: \[([^\]]+)]/g).map(([, verbs = '']) => writesOf(['any'], words(verbs)));
  const [read, written] = [rules, [...lists]].map((all) => all.filter((each) => each.length > 0).length);
  if (read !== written) throw new Error(`of ${written} lists of verbs that write, ${read} are read`);
  return new Set(rules.flat());
}
