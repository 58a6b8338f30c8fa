import { z } from 'zod';
import { configFile } from './schema.ts';

type Json = z.core.JSONSchema.BaseSchema;

const head = {
  $id: 'https://weeder.dev/schema/weeder.schema.json',
  title: "weeder's config file",
  description: 'Which services are watched, and which pods depend on them. Reference: docs/configuration.md.',
};

/** The JSON Schema of the config file, for editors. Draft 7, which all of them read. */
export function configJsonSchema(): Json {
  const { $schema, ...schema } = z.toJSONSchema(configFile, { io: 'input', target: 'draft-7' });
  return { ...($schema === undefined ? {} : { $schema }), ...head, ...schema };
}

/** The keys that may stand at the top of the file and at a service, as a Markdown table. */
export function settingsTable(): string {
  const properties = Object.entries(configJsonSchema().properties ?? {});
  const rows = properties.flatMap(([key, value]) =>
    typeof value === 'boolean' || key === 'servicesAndDependantSelectors' ? [] : [settingsRow(key, value)],
  );
  return ['| key | default | allowed | what it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function settingsRow(key: string, schema: Json): string {
  const fallback = schema.default === undefined ? 'none' : `\`${String(schema.default)}\``;
  return `| \`${key}\` | ${fallback} | ${allowedBy(schema)} | ${schema.description ?? ''} |`;
}

function allowedBy(schema: Json): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(allowedBy).join(', ');
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``).join(', ');
  if (schema.type === 'array') return 'list of names';
  return schema.type === 'integer' ? 'whole number, 0 or more' : 'Go duration';
}
