import type { FieldError } from '../../base/fieldError.ts';
import { type LocatedDocument, locate } from '../../config/text/document.ts';
import type { LocatedError } from '../../config/text/located.ts';
import { inLines, readYaml, type YamlText } from '../../config/text/yamlText.ts';
import { identityText } from '../../observer/objects/identity.ts';
import { type CheckedApplication, checkApplications, isApplication } from '../../observer/spec/checkApplication.ts';

/** The maximum size in bytes of a file with Applications, each of which may have a MiB of manifests. */
export const largestApplications = 8 * 1024 * 1024;

/** The limits for manifests in a file; the API server would reject anything beyond them. */
const leniency = { depth: 110, takesNumbers: true } as const;

/** A file with Applications, read without a cluster. */
interface ApplicationFile {
  readonly applications: readonly CheckedApplication[];
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
  /** The number of documents of other kinds, which are ignored. */
  readonly others: number;
}

/** The errors, or a summary in lines of text. */
interface CheckedApplications extends Pick<ApplicationFile, 'errors' | 'warnings'> {
  readonly summary: readonly string[];
}

/**
 * The errors of all Applications of a file, and a summary if there are none. Returns undefined if the file has no
 * Application, and may be a config.
 */
export function checkApplicationFile(text: string, file: string): CheckedApplications | undefined {
  const read = readApplicationFile(text, file);
  if (read === undefined) return undefined;
  const { applications, errors, warnings, others } = read;
  const rest = others === 0 ? [] : [`${others} other ${others === 1 ? 'document is' : 'documents are'} not checked`];
  return { errors, warnings, summary: errors.length > 0 ? [] : [...applications.flatMap(inShort), ...rest] };
}

/** Returns undefined if the text has no Application. */
export function readApplicationFile(text: string, file: string): ApplicationFile | undefined {
  // Parsing the whole text is slow, and the text of a config does not contain this.
  if (!text.includes('weeder.dev/') || !text.includes('Application')) return undefined;
  const yaml = readYaml(text);
  if (!yaml.ok) return undefined;
  const roots = rootsOf(yaml.value);
  const ours = roots.filter(({ root }) => isApplication(root));
  if (ours.length === 0) return undefined;
  const applications = checkApplications(ours.filter(({ broken }) => broken.length === 0).map(({ root }) => root));
  const inText = ours.flatMap(({ broken, errors }) => [...broken, ...errors]);
  const placed = (found: readonly LocatedError[]) => inLines(found, file, yaml.value.lines);
  return {
    applications,
    errors: placed([...inText, ...applications.flatMap(({ errors }) => errors)]),
    warnings: placed(applications.flatMap(({ warnings }) => warnings)),
    others: roots.length - ours.length,
  };
}

function rootsOf({ documents, lines }: YamlText): readonly LocatedDocument[] {
  return documents.map((document) => locate(document, (offset) => lines.linePos(offset).line, leniency));
}

/** One line for the application, and one for each resource. */
function inShort({ name, spec, resources }: CheckedApplication): readonly string[] {
  const { mode, deletionPolicy, serviceAccountName = 'default' } = spec;
  const count = `${resources.length} ${resources.length === 1 ? 'resource' : 'resources'}`;
  return [
    `application ${name}: ${count}, mode ${mode}, deletionPolicy ${deletionPolicy}, as the account ${serviceAccountName}`,
    ...resources.map(({ identity, observed }) => `  ${identityText(identity)}: ${observedInWords[observed]}`),
  ];
}

const observedInWords = {
  all: 'every field of its manifest is observed',
  listed: 'observed as its entry of the schema lists',
  presence: 'only its existence is observed',
} as const;
