import type { CompletedFlag, CompletedVerb, Value } from './commandTree.ts';

/** The script for zsh: to be sourced, or to be stored as `_weeder` in a folder of $fpath. */
export function zshScript(verbs: readonly CompletedVerb[]): string {
  return `#compdef weeder
# weeder completion zsh: source <(weeder completion zsh)

_weeder() {
  local -a verbs=(
${verbs.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join('\n')}
  )
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe -t verbs verb verbs
    return
  fi
  local verb=$words[2]
  # Flags without a verb are those of run.
  if [[ $verb == -* ]]; then verb=run; else shift words; ((CURRENT -= 1)); fi
  case $verb in
${verbs.map(caseOf).join('\n')}
  esac
}

if [[ $funcstack[1] == _weeder ]]; then _weeder "$@"; else compdef _weeder weeder; fi
`;
}

function caseOf({ name, flags, arguments: positions }: CompletedVerb): string {
  const specs = [
    ...flags.map(specOf),
    ...positions.map(({ name: what, value, isRepeatable }) =>
      quoted(`${isRepeatable ? '*' : ''}:${what}:${action(value)}`),
    ),
  ];
  return `    ${name}) _arguments -s -S \\\n${specs.map((spec) => `      ${spec}`).join(' \\\n')} ;;`;
}

/** `'(-o --output)'{-o+,--output=}'[the format]:value:(json yaml)'` */
function specOf({ short, long, description, value, isRepeatable }: CompletedFlag): string {
  const text = `[${description.replace(/[\\[\]:]/g, '\\$&')}]`;
  const [what, ofShort, ofLong] = value === undefined ? ['', '', ''] : [`:value:${action(value)}`, '+', '='];
  const names = short === undefined ? `${long}${ofLong}` : `{${short}${ofShort},${long}${ofLong}}`;
  const others = [short, long].filter((each) => each !== undefined).join(' ');
  return `${isRepeatable ? `'*'` : `'(${others})'`}${names}${quoted(`${text}${what}`)}`;
}

function action(value: Value): string {
  if (value.type === 'words') return `(${value.words.join(' ')})`;
  return value.type === 'file' ? '_files' : ' ';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
