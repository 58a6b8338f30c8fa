import type { CompletedFlag, CompletedVerb, Value } from './commandTree.ts';

/** The script for fish. */
export function fishScript(verbs: readonly CompletedVerb[]): string {
  return `# weeder completion fish: weeder completion fish | source

# Whether a verb has been given; flags without a verb are those of run.
function __weeder_verb
    set -l words (commandline -opc)
    set -l verb run
    if set -q words[2]; and not string match -q -- '-*' $words[2]
        set verb $words[2]
    end
    test $verb = $argv[1]
end

# Whether the next word is the first one.
function __weeder_first
    test (count (commandline -opc)) -eq 1
end

# Whether none of these words has been given.
function __weeder_none_of
    set -l words (commandline -opc)
    for word in $argv
        contains -- $word $words[3..-1]; and return 1
    end
    return 0
end

complete -c weeder -f
${verbs.map(({ name, description }) => `complete -c weeder -n __weeder_first -a ${name} -d ${quoted(description)}`).join('\n')}
${verbs.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ name, flags, arguments: positions }: CompletedVerb): string[] {
  const condition = `__weeder_verb ${name}`;
  return [
    ...flags.map((flag) => `complete -c weeder -n ${quoted(condition)} ${flagOf(flag)}`),
    ...positions.flatMap(({ value }) => ofArgument(condition, value)),
  ];
}

function flagOf({ short, long, description, value }: CompletedFlag): string {
  const names = [...(short === undefined ? [] : [`-s ${short.slice(1)}`]), `-l ${long.slice(2)}`].join(' ');
  return `${names}${value === undefined ? '' : ` ${optionsOf(value)}`} -d ${quoted(description)}`;
}

function optionsOf(value: Value): string {
  if (value.type === 'words') return `-x -a ${quoted(value.words.join(' '))}`;
  return value.type === 'file' ? '-r -F' : '-x';
}

function ofArgument(condition: string, value: Value): string[] {
  if (value.type === 'any') return [];
  if (value.type === 'file') return [`complete -c weeder -n ${quoted(`${condition}; and not __weeder_first`)} -F`];
  const words = value.words.join(' ');
  const isOpen = `${condition}; and not __weeder_first; and __weeder_none_of ${words}`;
  return [`complete -c weeder -n ${quoted(isOpen)} -a ${quoted(words)}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
