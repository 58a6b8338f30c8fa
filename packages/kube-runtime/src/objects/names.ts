/**
 * The names that Kubernetes allows, as patterns for the parser and the JSON Schema, each with a sentence that describes
 * the rule. Source: apimachinery, `pkg/api/validate/content`.
 */
export interface NameRule {
  readonly pattern: RegExp;
  readonly allowed: string;
}

/** Names of services and namespaces (RFC 1123 label; covers the older DNS-1035 label of services). */
export const dnsLabel: NameRule = {
  pattern: /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  allowed: 'lower-case letters, digits and "-", at most 63, with a letter or digit at both ends',
};

/** Keys of labels: a name with an optional DNS prefix and "/". */
export const labelKey: NameRule = {
  pattern:
    /^(?:(?=[^/]{1,253}\/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
  allowed:
    'letters, digits, "-", "_" and ".", at most 63, with a letter or digit at both ends, after an optional DNS name and "/"',
};

/** Values of labels; a value may be empty. */
export const labelValue: NameRule = {
  pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
  allowed: 'letters, digits, "-", "_" and ".", at most 63, with a letter or digit at both ends, or nothing ("")',
};

/** Names of most other objects, such as ConfigMaps and Secrets (RFC 1123 subdomain). */
export const dnsSubdomain: NameRule = {
  pattern: /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  allowed: 'lower-case letters, digits, "-" and ".", at most 253, with a letter or digit at both ends of each part',
};
