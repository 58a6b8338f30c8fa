import type { Resource } from '../registry/resource.ts';
import { type FieldError, fieldError } from './status.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const qualifiedRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Validates the name of an object. */
export function nameErrors({ names }: Resource, field: string, name: string): readonly FieldError[] {
  if (names === 'path')
    return /[%/]|^\.\.?$/.test(name) ? [fieldError.invalid(field, name, "may not contain '/' or '%'")] : [];
  const longest = names === 'label' ? 63 : 253;
  if (name.length > longest) return [fieldError.invalid(field, name, `must be no more than ${longest} bytes`)];
  if (names === 'subdomain') return subdomain.test(name) ? [] : [fieldError.invalid(field, name, subdomainRule)];
  if (subdomain.test(name) && name.includes('.')) return [fieldError.invalid(field, name, 'must not contain dots')];
  return label.test(name) ? [] : [fieldError.invalid(field, name, labelRule)];
}

/** Validates a key of labels, annotations or selectors; undefined if it is valid. */
export function keyError(key: string): string | undefined {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const prefix = slash === -1 ? undefined : key.slice(0, slash);
  if (prefix === '') return 'prefix part must be non-empty';
  if (prefix !== undefined && name.includes('/')) return 'a valid label key must have at most one "/"';
  if (prefix !== undefined && !subdomain.test(prefix)) return `prefix part ${subdomainRule}`;
  if (name === '') return 'name part must be non-empty';
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return qualifiedPart.test(name) ? undefined : qualifiedRule;
}

/** Validates the value of a label; undefined if it is valid. */
export function valueError(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 bytes';
  return labelValue.test(value) ? undefined : valueRule;
}
