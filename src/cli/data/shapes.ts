import { z } from 'zod';
import { confidences, dependencySources } from '../../dependencies/dependency.ts';
import { ApplicationExplanation, Explanation, ObjectExplanation } from './explanationShapes.ts';
import { apiVersion, listOf, Named } from './shapeParts.ts';
import { Status } from './statusShape.ts';

const Problem = z.strictObject({
  code: z.string().describe('A code of docs/reference/errors.md.'),
  line: z.number().optional(),
  column: z.number().optional(),
  path: z.string().describe('The key in the file; empty for the file as a whole.'),
  message: z.string(),
});

const CheckReport = z.strictObject({
  apiVersion,
  kind: z.literal('CheckReport'),
  valid: z.boolean().describe('Whether no file has an error.'),
  files: listOf(
    z.strictObject({
      file: z.string(),
      type: z.enum(['config', 'applications', 'other']).describe('A file of type other is not checked.'),
      valid: z.boolean(),
      summary: listOf(z.string()),
      errors: listOf(Problem),
      warnings: listOf(Problem),
    }),
  ),
});

const DependencyList = z.strictObject({
  apiVersion,
  kind: z.literal('DependencyList'),
  items: listOf(
    z.strictObject({
      service: z.strictObject(Named),
      workload: z.strictObject({ kind: z.string(), ...Named }),
      sources: listOf(z.enum(dependencySources)),
      isFound: z.boolean().describe('Whether a Service of this name was found.'),
      confidence: z.enum(confidences).optional(),
      evidence: listOf(
        z.strictObject({
          confidence: z.enum(confidences),
          where: z.string(),
          found: z.string(),
          because: z.string(),
        }),
      ),
    }),
  ),
});

const Version = z.strictObject({
  apiVersion,
  kind: z.literal('Version'),
  client: z.strictObject({ version: z.string(), node: z.string(), platform: z.string() }),
  kubernetes: z.string().optional().describe('The version of the API server.'),
  running: listOf(
    z.strictObject({
      kind: z.enum(['Deployment', 'StatefulSet']),
      ...Named,
      version: z.string().optional(),
      image: z.string(),
      replicas: z.number(),
      ready: z.number(),
    }),
  )
    .optional()
    .describe('The weeders that run in the cluster.'),
});

/**
 * What `-o json` and `-o yaml` write, by `kind`. `schema/output.schema.json` is generated from it. A field that is absent
 * is unknown or does not apply.
 */
export const shapes = {
  CheckReport,
  Explanation,
  ObjectExplanation,
  ApplicationExplanation,
  Status,
  DependencyList,
  Version,
} as const;

/** The content of an object, without what every object has. */
export type Content<K extends keyof typeof shapes> = Omit<z.output<(typeof shapes)[K]>, 'apiVersion' | 'kind'>;

/** The JSON Schema of the output. */
export function outputJsonSchema(): object {
  const { CheckReport: first, ...others } = shapes;
  const schema = z.toJSONSchema(z.discriminatedUnion('kind', [first, ...Object.values(others)]), { target: 'draft-7' });
  return { $id: 'https://weeder.dev/schema/output.schema.json', title: 'The output of weeder -o json', ...schema };
}
