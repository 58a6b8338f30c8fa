import { z } from 'zod';
import { configFile } from './schema.ts';

type Json = z.core.JSONSchema.BaseSchema;
type Properties = readonly (readonly [string, Json])[];

const head = {
  $id: 'https://weeder.dev/schema/weeder.schema.json',
  title: "weeder's config file",
  description:
    'Which services are watched, which pods depend on them, which workloads restart when what they use has changed, and whether Applications are managed. Reference: docs/reference/configuration.md.',
};

/** The JSON Schema of the config file for editors. Draft 7, which all editors support. */
export function configJsonSchema(): Json {
  const { $schema, ...schema } = z.toJSONSchema(configFile, { io: 'input', target: 'draft-7' });
  return { ...($schema === undefined ? {} : { $schema }), ...head, ...schema };
}

/** The keys that are allowed at the top of the file and at a service, as a Markdown table. */
export function settingsTable(): string {
  const sections = [
    'servicesAndDependantSelectors',
    'declaredDependencies',
    'podCreation',
    'evidence',
    'restartControl',
    'observer',
    'notifications',
  ];
  return tableOf(propertiesOf(configJsonSchema()).filter(([key]) => !sections.includes(key)));
}

/** The keys of the section `declaredDependencies` that the top of the file lacks, or means otherwise, as a Markdown table. */
export function declaredTable(): string {
  const top = new Set(propertiesOf(configJsonSchema()).map(([key]) => key));
  const section = propertiesOf(below(configJsonSchema(), 'declaredDependencies'));
  const own = section.filter(([key]) => key === 'namespaces' || !top.has(key));
  return tableOf(own.flatMap(([key, schema]) => [[key, schema], ...entriesOf(key, schema)]));
}

/** The key of the section `podCreation` that is not at the top of the file, as a Markdown table. */
export function podCreationTable(): string {
  const section = propertiesOf(below(configJsonSchema(), 'podCreation'));
  return tableOf(section.filter(([key]) => key === 'maxPerSecond'));
}

/** The keys of the section `evidence`, as a Markdown table. */
export function evidenceTable(): string {
  return tableOf(propertiesOf(below(configJsonSchema(), 'evidence')));
}

/** The keys of the section `restartControl`, as Markdown tables. */
export function restartTables(): Readonly<Record<'rule' | 'settings' | 'limits' | 'entries', string>> {
  const top = propertiesOf(below(configJsonSchema(), 'restartControl').anyOf?.find(({ type }) => type === 'object'));
  const rule = propertiesOf(itemsOf(top.find(([key]) => key === 'rules')?.[1]));
  const isIn = (properties: Properties) => (key: string) => properties.some(([each]) => each === key);
  const entries = top.flatMap(([key, schema]) => entriesOf(key, schema));
  return {
    rule: tableOf(rule.filter(([key]) => !isIn(top)(key))),
    settings: tableOf(top.filter(([key]) => isIn(rule)(key))),
    limits: tableOf(top.filter(([key]) => !isIn(rule)(key) && key !== 'rules')),
    entries: tableOf(entries.filter(([key]) => !key.startsWith('rules'))),
  };
}

/** The keys of the section `observer`, and those of the entries of its lists, as Markdown tables. */
export function observerTables(): Readonly<Record<'settings' | 'entries', string>> {
  const top = propertiesOf(below(configJsonSchema(), 'observer'));
  return { settings: tableOf(top), entries: tableOf(top.flatMap(([key, schema]) => entriesOf(key, schema))) };
}

/** The keys of a receiver of notifications, as a Markdown table. */
export function notificationsTable(): string {
  const { additionalProperties: receiver } = below(configJsonSchema(), 'notifications');
  return tableOf(propertiesOf(typeof receiver === 'object' ? receiver : undefined));
}

/** The properties of a mapping, or of each mapping of a list, by path. */
function entriesOf(key: string, schema: Json): Properties {
  const path = schema.type === 'array' ? `${key}[]` : key;
  return propertiesOf(itemsOf(schema) ?? schema).map(([name, each]) => [`${path}.${name}`, each]);
}

function propertiesOf(schema: Json | undefined): Properties {
  return Object.entries(schema?.properties ?? {}).flatMap(([key, each]) =>
    typeof each === 'boolean' ? [] : [[key, each] as const],
  );
}

function below(schema: Json, key: string): Json {
  return propertiesOf(schema).find(([each]) => each === key)?.[1] ?? {};
}

function itemsOf(schema: Json | undefined): Json | undefined {
  const items = schema?.items;
  return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

function tableOf(properties: Properties): string {
  const rows = properties.map(([key, schema]) => settingsRow(key, schema));
  return ['| key | default | allowed | what it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function settingsRow(key: string, schema: Json): string {
  return `| \`${key}\` | ${defaultOf(schema)} | ${allowedBy(schema)} | ${schema.description ?? ''} |`;
}

function defaultOf({ default: value }: Json): string {
  const words = [value].flat().filter((word) => word !== undefined && typeof word !== 'object');
  return words.length === 0 ? 'none' : words.map((word) => `\`${String(word)}\``).join(', ');
}

function allowedBy(schema: Json): string {
  if (schema.type === 'object') return schema.title ?? 'mapping';
  if (schema.anyOf !== undefined) return schema.anyOf.map(allowedBy).join(', ');
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``).join(', ');
  if (schema.type === 'array') return schema.title ?? `list of ${listed(itemsOf(schema))}`;
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'integer') return `whole number, ${rangeOf(schema)}`;
  if (schema.examples !== undefined) return 'Go duration';
  return schema.title ?? 'name';
}

function rangeOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Json): string {
  return maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
}

function listed(items: Json | undefined): string {
  if (items?.type === 'object') return 'mappings';
  return items?.enum === undefined ? 'names' : allowedBy(items);
}
