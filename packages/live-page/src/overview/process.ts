import type { ProcessView } from '../../protocol/overviewView.ts';
import { byId } from '../dom.ts';
import { count, instant } from '../format.ts';
import { setTimedText } from '../times.ts';

/** How many streams, or problems of them, are named. */
const most = 3;

/** Shows below the head of every view which process and cluster it is, and what keeps it from its work. */
export function showProcess(process: ProcessView, now: number): void {
  const facts = byId('process', HTMLElement);
  const problems = byId('process-problems', HTMLElement);
  const wrong = problemsOf(process);
  setTimedText(facts, factsOf(process).join(' · '), now);
  facts.hidden = false;
  setTimedText(problems, wrong.join(' '), now);
  problems.hidden = wrong.length === 0;
}

function factsOf({ cluster, version, identity, namespaces, config: { hash, appliedAt } }: ProcessView): string[] {
  const server = version === undefined ? '' : ` (Kubernetes ${version})`;
  return [
    cluster === undefined ? 'API server not reached yet' : `cluster ${cluster}${server}`,
    `replica ${identity}`,
    namespaces,
    `config ${hash}, in force since ${instant(appliedAt)}`,
  ];
}

function problemsOf({ config: { rejected }, streams }: ProcessView): string[] {
  // Many streams may have the same problem: one missing permission, or an API server that cannot be reached.
  const unread = [...Map.groupBy(streams, ({ problem }) => problem)].map(([problem, same]) => {
    const names = same.map(({ name }) => name);
    return `weeder cannot read ${firstOf(names)}: ${problem.replace(/\.$/, '')}.`;
  });
  return [
    ...(rejected === undefined ? [] : [`The new config is rejected, the one before stays in force: ${rejected}.`]),
    ...unread.slice(0, most),
    ...(unread.length > most ? [`${count(unread.length - most)} more problems like these.`] : []),
  ];
}

function firstOf(names: readonly string[]): string {
  const more = names.length > most ? ` and ${count(names.length - most)} more streams` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}
