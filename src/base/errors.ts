import { accessErrors } from '@weeder/kube-runtime/access';
import { codedErrors, type ErrorTable } from '@weeder/kube-runtime/base';

/**
 * Every error that a person has to know about, one row per code. `meaning` and `hint` are general; the message is
 * written where the problem is found, and names the file, the address or the flag. `docs/reference/errors.md` is generated from
 * this table.
 */
export const errorTable = {
  USAGE: {
    meaning: 'The command line was not understood.',
    hint: 'See `weeder --help` for the verbs, and `weeder VERB --help` for flags.',
  },
  CONFIG_UNREADABLE: {
    meaning: 'The config file could not be read.',
    hint: 'Give the path of a readable YAML file with --config-file.',
  },
  CONFIG_INVALID: {
    meaning: 'The config file was read, but is not valid.',
    hint: 'Correct it; `weeder check FILE` shows every error at once.',
  },
  MANIFEST_INVALID: {
    meaning: 'A file of manifests could not be read.',
    hint: 'Give files or folders with manifests in YAML or JSON.',
  },
  KUBECONFIG_NOT_FOUND: {
    ...accessErrors.KUBECONFIG_NOT_FOUND,
    hint: 'Give a kubeconfig with --kubeconfig or $KUBECONFIG, or try `weeder demo`, which needs no cluster.',
  },
  KUBECONFIG_INVALID: accessErrors.KUBECONFIG_INVALID,
  CLUSTER_UNREACHABLE: {
    meaning: 'The API server does not respond.',
    hint: 'Check the address in the kubeconfig, and that this machine can reach the API server.',
  },
  CLUSTER_REFUSES: {
    meaning: 'The API server does not accept the credentials.',
    hint: 'Renew the credentials, or choose others with --kubeconfig or --context.',
  },
  CLUSTER_CREDENTIALS: {
    meaning: 'The credentials are unavailable: an exec plugin failed, or a token file cannot be read.',
    hint: 'Run the plugin by hand and check its output, or choose other credentials with --kubeconfig or --context.',
  },
  CLUSTER_NOT_KUBERNETES: {
    meaning: 'The server at the address of the API server is not a Kubernetes API server.',
    hint: 'Check the address in the kubeconfig; a proxy or a login page may be in the way.',
  },
  ADDRESS_UNAVAILABLE: {
    meaning: 'An address that weeder is configured to listen on is unavailable.',
    hint: 'Free the port, choose another one, or give "0" to listen on none.',
  },
  RECORDING_UNWRITABLE: {
    meaning: 'The file that --record names cannot be written.',
    hint: 'Give a file in a directory that exists and is writable.',
  },
  RECORDING_UNREADABLE: {
    meaning: 'A file to replay could not be read.',
    hint: 'Give the paths of recordings, or of files of watch events.',
  },
  RECORDING_INVALID: {
    meaning: 'A file to replay contains no valid recording or watch events.',
    hint: 'See docs/how-to/recordings.md for the formats.',
  },
  HASH_KEY_INVALID: {
    meaning: 'The Secret of the hash key contains no valid key. Nothing is restarted.',
    hint: 'Put 32 random bytes into its entry `key`, or remove all of its entries: weeder fills it.',
  },
  HASH_KEY_UNAVAILABLE: {
    meaning: 'The Secret of the hash key could not be read or created. Nothing is restarted.',
    hint: 'Grant weeder get, create and update on this Secret, and check that its namespace exists.',
  },
  OBJECT_NOT_FOUND: {
    meaning: 'The cluster has no pod, service or workload of this name, and no Event of weeder about one.',
    hint: 'Give its namespace with -n; the API server keeps Events for an hour.',
  },
  APPLICATION_NOT_FOUND: {
    meaning: 'The cluster has no application of this name.',
    hint: 'Give its namespace with -n; `kubectl get applications.weeder.dev -A` lists all.',
  },
} as const satisfies ErrorTable;

export type ErrorCode = keyof typeof errorTable;

/** An error of the table. */
export const codedError = codedErrors(errorTable);
