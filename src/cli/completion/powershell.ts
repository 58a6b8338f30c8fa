import type { CompletedFlag, CompletedVerb } from './commandTree.ts';

/** The script for PowerShell. Where it has no candidates, PowerShell itself completes the names of files. */
export function powershellScript(verbs: readonly CompletedVerb[]): string {
  return `# weeder completion powershell: weeder completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName weeder -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $verbs = [ordered]@{
${verbs.map(({ name, description }) => `    ${quoted(name)} = ${quoted(description)}`).join('\n')}
  }
  $flags = @{
${verbs.map(flagsOf).join('\n')}
  }
  # The values of flags, and the first arguments of verbs.
  $words = @{
${verbs.flatMap(wordsOf).join('\n')}
  }
  $given = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  # Flags without a verb are those of run.
  $verb = if ($given.Count -gt 1 -and $given[1] -notlike '-*') { $given[1] } else { 'run' }
  $last = "$verb $($given[-1])"
  $candidates = if ($given.Count -gt 1 -and $words.ContainsKey($last)) { $words[$last] }
  elseif ($wordToComplete -like '-*') { $flags[$verb] }
  elseif ($given.Count -eq 1) { $verbs }
  elseif ($given.Count -eq 2 -and $words.ContainsKey($verb)) { $words[$verb] }
  else { [ordered]@{} }
  $candidates.GetEnumerator() | Where-Object { $_.Key -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)
  }
}
`;
}

function flagsOf({ name, flags }: CompletedVerb): string {
  return `    ${quoted(name)} = ${table(flags.map(({ long, description }) => [long, description]))}`;
}

function wordsOf({ name, flags, arguments: positions }: CompletedVerb): string[] {
  const first = positions[0]?.value;
  return [
    ...(first?.type === 'words' ? [line(name, first.words)] : []),
    ...flags.flatMap((flag) => valuesOf(name, flag)),
  ];
}

function valuesOf(verb: string, { short, long, value }: CompletedFlag): string[] {
  if (value?.type !== 'words') return [];
  return [...(short === undefined ? [] : [short]), long].map((flag) => line(`${verb} ${flag}`, value.words));
}

function line(key: string, words: readonly string[]): string {
  return `    ${quoted(key)} = ${table(words.map((word) => [word, word]))}`;
}

/** The candidates with what is shown about them, which may not be empty. */
function table(rows: readonly (readonly [word: string, about: string])[]): string {
  return `[ordered]@{ ${rows.map(([word, about]) => `${quoted(word)} = ${quoted(about)}`).join('; ')} }`;
}

/** PowerShell also takes typographic quotes as the end of a text in single quotes. */
function quoted(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
}
