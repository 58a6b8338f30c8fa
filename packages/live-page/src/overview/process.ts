import type { ProcessView } from '../../protocol/overviewView.ts';
import { byId } from '../dom.ts';
import { instant } from '../format.ts';
import { setTimedText } from '../times.ts';

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
    namespaces === 'all' ? 'all namespaces' : `namespaces ${namespaces.join(', ')}`,
    `config ${hash}, in force since ${instant(appliedAt)}`,
  ];
}

function problemsOf({ config: { rejected }, streams }: ProcessView): string[] {
  const [refused, down] = [streams.filter(({ isRefused }) => isRefused), streams.filter((each) => !each.isRefused)];
  const named = (some: ProcessView['streams']) => some.map(({ name, problem }) => `${name} (${problem})`).join(', ');
  return [
    ...(rejected === undefined ? [] : [`The new config is rejected, the one before stays in force: ${rejected}.`]),
    ...(refused.length === 0 ? [] : [`Permissions are missing to read ${named(refused)}.`]),
    ...(down.length === 0 ? [] : [`No changes arrive of ${named(down)}.`]),
  ];
}
