import type { Span } from '../../../src/controller/report/span.ts';

/**
 * A trace as lines: `delete pod 10..40 kapi-1 deleted`, each indented below its parent, with its events and its problem.
 * Times are seconds since `began`, which is epoch milliseconds.
 */
export function spanLines(span: Span, began = 0): string[] {
  const { name, start, end, attributes, events, children, problem } = span;
  const at = (t: number) => `${(t - began) / 1000}`;
  const words =
    name === 'delete pod' ? ['k8s.pod.name', 'weeder.result', 'weeder.attempts'] : ['weeder.cause', 'weeder.result'];
  const said = words.flatMap((word) => attributes[word] ?? []);
  const failed = problem === undefined ? [] : [`(${problem})`];
  return [
    [name, `${at(start)}..${at(end)}`, ...said, ...failed].join(' '),
    ...events.map((event) => `  @${at(event.t)} ${event.name}`),
    ...children.flatMap((child) => spanLines(child, began)).map((line) => `  ${line}`),
  ];
}
