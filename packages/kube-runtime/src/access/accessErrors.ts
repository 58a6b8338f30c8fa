import { codedErrors, type ErrorTable } from '../base/result.ts';

/** The errors of a kubeconfig. */
export const accessErrors = {
  KUBECONFIG_NOT_FOUND: {
    meaning: 'No cluster was found, or the given kubeconfig does not exist.',
    hint: 'Give a kubeconfig with --kubeconfig or $KUBECONFIG.',
  },
  KUBECONFIG_INVALID: {
    meaning: 'A kubeconfig was found, but does not define a cluster.',
    hint: 'Correct the kubeconfig, or choose another one with --kubeconfig or --context.',
  },
} as const satisfies ErrorTable;

export const accessError = codedErrors(accessErrors);
