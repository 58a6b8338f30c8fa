import { type Dependency, dependantKey, type Evidence, serviceKey } from '../dependencies/dependency.ts';
import { table } from '../replay/recorded/timeline.ts';

/** One aligned line for each dependency, with its strongest evidence. */
export function suggestionTable(dependencies: readonly Dependency[]): string[] {
  if (dependencies.length === 0) return ['no dependencies were found'];
  const rows = dependencies.map((dependency) => [
    dependency.confidence ?? '-',
    dependantKey(dependency.workload),
    serviceKey(dependency.service),
    stateOf(dependency),
    evidenceInWords(dependency.evidence),
  ]);
  return table([['CONFIDENCE', 'WORKLOAD', 'DEPENDS ON', 'STATE', 'EVIDENCE'], ...rows]);
}

function stateOf({ sources, isFound, confidence }: Dependency): string {
  const otherSources = sources.filter((source) => source !== 'suggested');
  const words =
    otherSources.length === 0 ? ['suggested'] : [...otherSources, ...(confidence === undefined ? ['not seen'] : [])];
  return [...words, ...(isFound ? [] : ['no such Service, or ExternalName'])].join(', ');
}

function evidenceInWords([first, ...others]: readonly Evidence[]): string {
  if (first === undefined) return '';
  return `${reasonOf(first)}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}

/** One piece of evidence: `env DATABASE_URL of container web: postgres:5432, with a port of the Service`. */
export function reasonOf({ where, found, because }: Evidence): string {
  return `${where}: ${found}, ${because}`;
}
