import type { SuggestionList, SuggestionView } from '../../protocol/protocol.ts';
import { addPart } from '../address.ts';
import { byId, setText } from '../dom.ts';
import { count } from '../format.ts';
import { createPolledList } from '../polledList.ts';

/** The suggestions, which the user can lay over the dependencies. */
interface Suggestions {
  /** Those of the newest answer; none while they are switched off. */
  readonly shown: () => readonly SuggestionView[];
  /** Says how many of them the picture has, and why there are no others. */
  summarize(drawn: number): void;
  /** Requests them, if they are switched on, and the filters have changed or a minute has passed. */
  refresh(): void;
}

/** Milliseconds: weeder searches the cluster once in that time. */
const lifetime = 60_000;
const none: readonly SuggestionView[] = [];

/** `query`: the filters of the view. `onChange`: called when other suggestions are to be shown. */
export function createSuggestions(query: () => URLSearchParams, onChange: () => void): Suggestions {
  const button = byId('dependencies-suggest', HTMLButtonElement);
  const status = byId('dependencies-suggested', HTMLElement);
  let isOn = false;
  let answer: { readonly from: string; readonly at: number; readonly list: SuggestionList } | undefined;

  const path = () => `/suggestions?${query()}`;

  function turn(next: boolean): void {
    if (next === isOn) return;
    isOn = next;
    button.setAttribute('aria-pressed', String(isOn));
    onChange();
    refresh();
  }

  function refresh(): void {
    if (!isOn) return;
    if (answer?.from !== path() || isEmpty(answer.list) || performance.now() - answer.at > lifetime) request();
  }

  const request = createPolledList<SuggestionList>({
    path,
    take(list) {
      answer = { from: path(), at: performance.now(), list };
    },
    show: onChange,
  });
  const write = addPart('dependencies', 'suggestions', { initial: 'off', show: (value) => turn(value === 'on') });
  button.addEventListener('click', () => {
    turn(!isOn);
    write(isOn ? 'on' : 'off');
  });
  return {
    shown: () => (isOn ? (answer?.list.suggestions ?? none) : none),
    summarize: (drawn) => setText(status, isOn ? describe(answer?.list, drawn) : ''),
    refresh,
  };
}

/** For a reason that may be gone at any time. */
function isEmpty({ suggestions, problems }: SuggestionList): boolean {
  return suggestions.length === 0 && problems.length > 0;
}

function describe(list: SuggestionList | undefined, drawn: number): string {
  if (list === undefined) return 'weeder searches the cluster for suggestions.';
  const { found, problems } = list;
  const of = drawn === found ? '' : `${count(drawn)} of `;
  const counted = found === 1 ? `${of}1 suggestion is dashed.` : `${of}${count(found)} suggestions are dashed.`;
  return [...(found === 0 && problems.length > 0 ? [] : [counted]), ...problems].join(' ');
}
