import type { CompletedFlag, CompletedVerb, Value } from './commandTree.ts';

/** The script for bash, from version 3.2, which macOS has. It needs no other script, such as bash-completion. */
export function bashScript(verbs: readonly CompletedVerb[]): string {
  const names = verbs.map(({ name }) => name).join(' ');
  return `# weeder completion bash: source <(weeder completion bash)

# Sets value to what may follow a flag of a verb: files, any, or words and a list of them; empty if it takes none.
_weeder_flag() {
  case "$1 $2" in
${cases(verbs.flatMap(({ name, flags }) => flags.flatMap((flag) => afterFlag(name, flag))))}
    *) value='' ;;
  esac
}

# The same for the argument of a verb at a position, which is counted from 0.
_weeder_argument() {
  case "$1 $2" in
${cases(verbs.flatMap(ofArguments))}
    *) value='any' ;;
  esac
}

_weeder_flags() {
  case "$1" in
${verbs.map(({ name, flags }) => `    ${name}) value='words ${flags.flatMap(namesOf).join(' ')}' ;;`).join('\n')}
    *) value='any' ;;
  esac
}

_weeder() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" verb="\${COMP_WORDS[1]}"
  local value='' position=0 start=2 i IFS=$' \\t\\n'
  COMPREPLY=()
  # bash passes --flag=value as three words.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  # Flags without a verb are those of run.
  if [[ $verb == -* ]]; then verb='run' start=1; fi
  for ((i = start; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      '=') ((i += 1)) ;;
      -*) _weeder_flag "$verb" "\${COMP_WORDS[i]}"
        if [[ -n $value && \${COMP_WORDS[i + 1]} != '=' ]]; then ((i += 1)); fi ;;
      *) ((position += 1)) ;;
    esac
  done
  if ((COMP_CWORD > 1)); then _weeder_flag "$verb" "$prev"; else value=''; fi
  if [[ -n $value ]]; then :
  elif [[ $cur == -* ]]; then _weeder_flags "$verb"
  elif ((COMP_CWORD == 1)); then value='words ${names}'
  else _weeder_argument "$verb" "$position"
  fi
  case "$value" in
    files) IFS=$'\\n' COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null ;;
    words*) COMPREPLY=($(compgen -W "\${value#words }" -- "$cur")) ;;
  esac
}

complete -F _weeder weeder
`;
}

type Case = readonly [pattern: string, value: string];

/** One line for all patterns of the same value. */
function cases(all: readonly Case[]): string {
  return [...Map.groupBy(all, ([, value]) => value)]
    .map(([value, group]) => `    ${group.map(([pattern]) => pattern).join(' | ')}) value='${value}' ;;`)
    .join('\n');
}

function afterFlag(verb: string, flag: CompletedFlag): Case[] {
  const { value } = flag;
  return value === undefined ? [] : namesOf(flag).map((name): Case => [`'${verb} ${name}'`, textOf(value)]);
}

function ofArguments({ name, arguments: positions }: CompletedVerb): Case[] {
  return positions.flatMap(({ value, isRepeatable }, index): Case[] =>
    value.type === 'any' ? [] : [[isRepeatable ? `'${name} '*` : `'${name} ${index}'`, textOf(value)]],
  );
}

function textOf(value: Value): string {
  if (value.type === 'words') return `words ${value.words.join(' ')}`;
  return value.type === 'file' ? 'files' : 'any';
}

function namesOf({ short, long }: CompletedFlag): string[] {
  return short === undefined ? [long] : [short, long];
}
