import { globSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Confidence, isAtLeast } from '../../src/dependencies/dependency.ts';
import { readManifests } from '../../src/suggest/manifests.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';

const folder = new URL('applications/', import.meta.url).pathname;

/** The first document of each file. */
const Description = z.object({
  application: z.string(),
  manifests: z.string(),
  description: z.string(),
  remark: z.string(),
  dependsOn: z.record(z.string(), z.array(z.string())),
});

interface Measured extends z.infer<typeof Description> {
  readonly truth: ReadonlySet<string>;
  /** Found and true, as `WORKLOAD → SERVICE`. */
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  readonly missed: readonly string[];
}

/** What the search finds in the manifests of public applications, compared with the truth. */
export function measuredApplications(threshold: Confidence = 'medium'): Measured[] {
  return globSync('*.yaml', { cwd: folder })
    .sort()
    .map((file) => measure(file, threshold));
}

function measure(file: string, threshold: Confidence): Measured {
  const read = readManifests(readFileSync(`${folder}${file}`, 'utf8'), file, 'demo');
  if (read.errors.length > 0) throw new Error(read.errors.join(' '));
  const [head, ...objects] = read.objects;
  const description = Description.parse(head);
  const truth = new Set(
    Object.entries(description.dependsOn).flatMap(([workload, services]) =>
      services.map((service) => `${workload} → ${service}`),
    ),
  );
  const suggestions = suggestDependencies(readObjects(objects), undefined)
    .filter(({ confidence }) => isAtLeast(confidence, threshold))
    .map(({ workload, service }) => `${workload.name} → ${service.name}`);
  return {
    ...description,
    truth,
    right: suggestions.filter((each) => truth.has(each)),
    wrong: suggestions.filter((each) => !truth.has(each)),
    missed: [...truth].filter((each) => !suggestions.includes(each)),
  };
}

/** The results as a Markdown table. */
export function applicationsTable(): string {
  const rows = measuredApplications().map(({ application, truth, right, wrong, remark }) => {
    const suggestionCount = right.length + wrong.length;
    const cells = [
      application,
      truth.size,
      suggestionCount,
      percent(right.length, suggestionCount),
      percent(right.length, truth.size),
      remark,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = ['application', 'dependencies', 'found', 'precision', 'recall', 'remark'];
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}
