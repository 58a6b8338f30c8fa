import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { type Row, resource } from '../registry/resource.ts';

const group = 'rbac.authorization.k8s.io';

const roleRow = {
  group,
  fields: ['rules'],
  names: 'path',
  zero: { rules: null },
  complete: (fields) => ({ rules: null, ...fields }),
} satisfies Partial<Row>;

const bindingRow = {
  group,
  fields: ['subjects', 'roleRef'],
  names: 'path',
  zero: { roleRef: {} },
  complete: completeBinding,
  validate: roleRefErrors,
} satisfies Partial<Row>;

export const roles = resource({ ...roleRow, plural: 'roles', kind: 'Role' });

export const clusterRoles = resource({
  ...roleRow,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  fields: ['rules', 'aggregationRule'],
  isNamespaced: false,
});

export const roleBindings = resource({ ...bindingRow, plural: 'rolebindings', kind: 'RoleBinding' });

export const clusterRoleBindings = resource({
  ...bindingRow,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  isNamespaced: false,
});

function completeBinding({ subjects, roleRef }: JsonObject): JsonObject {
  const completed = arrayOf(subjects).map((subject) => {
    const { kind } = objectOf(subject);
    return kind === 'ServiceAccount' ? subject : { apiGroup: group, ...objectOf(subject) };
  });
  return {
    ...(completed.length === 0 ? {} : { subjects: completed }),
    roleRef: { apiGroup: group, ...objectOf(roleRef) },
  };
}

function roleRefErrors({ roleRef }: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const { kind, name } = objectOf(roleRef);
  const kinds = ['Role', 'ClusterRole'];
  if (old !== undefined && !isDeepStrictEqual(old['roleRef'], roleRef)) {
    return [fieldError.invalid('roleRef', roleRef, 'cannot change roleRef')];
  }
  return [
    ...(kinds.some((each) => each === kind) ? [] : [fieldError.unsupported('roleRef.kind', kind ?? '', kinds)]),
    ...(name ? [] : [fieldError.required('roleRef.name')]),
  ];
}
