/** What the environment asks for, by the variables of OpenTelemetry. */
export interface WantedSignals {
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Why a signal that it asks for is not exported, one sentence each. */
  readonly problems: readonly string[];
  /** What it asks for and does not get with the exported metrics, a sentence. */
  readonly ignored?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The protocol that weeder speaks, which is also the default of OpenTelemetry. */
const protocol = 'http/protobuf';

/** A signal is exported if an endpoint is set for it, and nothing turns it off. An empty variable counts as unset. */
export function wantedSignals(env: Environment): WantedSignals {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return { traces: false, metrics: false, problems: [] };
  const traces = wants(env, 'TRACES');
  const metrics = wants(env, 'METRICS');
  const problems = [...new Set([traces, metrics].filter((each) => typeof each === 'string'))];
  const ignored = metrics === true ? ignoredTemporality(env) : undefined;
  return { traces: traces === true, metrics: metrics === true, problems, ...(ignored && { ignored }) };
}

function ignoredTemporality(env: Environment): string | undefined {
  const wanted = firstOf(env, 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE');
  return wanted === undefined || wanted.value.toLowerCase() === 'cumulative'
    ? undefined
    : `${said(wanted)}: weeder exports cumulative values only, which the processor cumulativetodelta of a collector changes.`;
}

/** A text: why it is asked for, and not exported. */
function wants(env: Environment, signal: 'TRACES' | 'METRICS'): boolean | string {
  const endpoint = firstOf(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = firstOf(env, `OTEL_${signal}_EXPORTER`);
  if (endpoint === undefined || exporter?.value === 'none') return false;
  if (exporter !== undefined && exporter.value !== 'otlp')
    return `${said(exporter)}: weeder exports by otlp only, so set otlp or none.`;
  const spoken = firstOf(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (spoken !== undefined && spoken.value !== protocol)
    return `${said(spoken)}: weeder speaks ${protocol} only, for which a collector listens on port 4318 by default.`;
  const isUrl = /^https?:$/.test(URL.parse(endpoint.value)?.protocol ?? '');
  // It is not quoted, because it may have a key.
  return isUrl || `${endpoint.name} is not a URL such as http://collector.observability:4318.`;
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The first of these variables that is set. */
function firstOf(env: Environment, ...names: readonly string[]): Variable | undefined {
  return names.map((name) => ({ name, value: env[name]?.trim() ?? '' })).find(({ value }) => value !== '');
}

function said({ name, value }: Variable): string {
  return `${name} is ${JSON.stringify(value)}`;
}
