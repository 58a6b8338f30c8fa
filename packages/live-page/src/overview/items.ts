import type { ControllerSummary, DidCount } from '../../protocol/overviewView.ts';
import { create, setHealth, setText } from '../dom.ts';
import { count, span } from '../format.ts';

/** How often something was done, with a link to such events in the timeline. */
export function createCount({ words, kind }: DidCount) {
  const number = create('b');
  const link = create('a', { text: `${words} `, attributes: { href: `#timeline?only=${kind}` } });
  link.append(number);
  return {
    element: create('li', {}, link),
    show(counted: DidCount): void {
      setText(number, counted.isTime === true ? span(counted.count) : count(counted.count));
      link.classList.toggle('zero', counted.count === 0);
    },
  };
}

/** A controller with its summary, or with the lines of a config that turn it on. */
export function createController({ name, example }: ControllerSummary) {
  const words = create('span', { class: 'state' });
  const lines = create('code', { text: example.map((line) => `\n${line}`).join('') });
  return {
    element: create('li', {}, create('b', { text: name }), new Text(' '), words, lines),
    show({ state, summary }: ControllerSummary): void {
      setText(
        words,
        state === 'off'
          ? 'off; in the config, this turns it on:'
          : [state, summary].filter((text) => text !== '').join(': '),
      );
      // That a controller is off is a decision, not a problem.
      setHealth(words, state === 'on' ? 'healthy' : undefined);
      lines.hidden = state !== 'off';
    },
  };
}
