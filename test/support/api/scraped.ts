/** A metric family of a scrape, as in the text format. */
export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

export interface Sample {
  /** Includes `_bucket`, `_sum` or `_count` if the family is a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the Prometheus text format; throws at an unknown line. */
export function scraped(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let help = '';
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help = rest;
    else if (kind === 'TYPE') {
      current = { type: rest, help, samples: [] };
      families.set(name, current);
    } else if (line !== '' && line !== '# EOF') {
      if (current === undefined) throw new Error(`a sample before its type: ${line}`);
      current.samples.push(sampleOf(line));
    }
  }
  return families;
}

/** Returns the value of the one sample with this name and these labels; undefined if there is none. */
export function sampleValue(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const namedSamples = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name);
  const matches = namedSamples.filter((sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (matches.length > 1)
    throw new Error(`${matches.length} samples of ${name} have the labels ${JSON.stringify(labels)}`);
  return matches[0]?.value;
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return {
    name,
    labels: Object.fromEntries(pairs),
    value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
  };
}
