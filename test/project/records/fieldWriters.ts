import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Expression,
  isArrayLiteralExpression,
  isAssignmentOperator,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isDeleteExpression,
  isElementAccessExpression,
  isIdentifier,
  isInterfaceDeclaration,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API, type Checker, type Symbol as Field, type Type } from 'typescript/unstable/sync';

/** An interface whose fields are written after its objects were created. */
export interface RecordType {
  /** From the root of the repository. */
  readonly file: string;
  readonly name: string;
}

/**
 * A place in the source that may write: `node` is assigned, changed in place, passed to a function, or assigned the fields
 * of `from`.
 */
type Write =
  | { readonly is: 'assigned'; readonly node: Node }
  | { readonly is: 'changed'; readonly node: Node }
  | { readonly is: 'passed'; readonly node: Expression }
  | { readonly is: 'merged'; readonly node: Node; readonly from: readonly Node[] };

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The methods that change a Map, a Set or an array. */
const mutators = new Set([
  ...['set', 'add', 'delete', 'clear'],
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
]);
/** The types that have them. */
const collections = new Set(['Map', 'Set', 'Array']);

/**
 * Returns the files that write each field of these records after their creation, by `Record.field`. A write is an
 * assignment of any form, `++`, `delete`, `Object.assign`, or a change of a Map, Set or array that a field holds, also by
 * another name or by a function that gets it as an argument. Fields are recognised by their type, whatever the name of
 * the variable. `config`: the tsconfig.json of the program.
 */
export function fieldWriters(config: string, records: readonly RecordType[]): ReadonlyMap<string, ReadonlySet<string>> {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is not read`);
    const { program, checker } = project;
    const writers = new Map<string, Set<string>>();
    for (const name of program.getSourceFileNames()) {
      const source = name.includes('/node_modules/') ? undefined : program.getSourceFile(name);
      for (const field of source === undefined ? [] : writesIn(source).flatMap((write) => fieldsOf(checker, write))) {
        const key = keyOf(field, records);
        if (key !== undefined) writers.set(key, (writers.get(key) ?? new Set()).add(relative(root, name)));
      }
    }
    return writers;
  } finally {
    api.close();
  }
}

function keyOf(field: Field, records: readonly RecordType[]): string | undefined {
  for (const declaration of field.declarations) {
    const parent = records.some(({ file }) => declaration.path === join(root, file)) && declaration.resolve()?.parent;
    if (!parent || !isInterfaceDeclaration(parent)) continue;
    const record = records.find(({ file, name }) => name === parent.name.text && declaration.path === join(root, file));
    if (record !== undefined) return `${record.name}.${field.name}`;
  }
  return undefined;
}

function writesIn(node: Node): Write[] {
  const writes = [...writesOf(node)];
  node.forEachChild((child) => {
    writes.push(...writesIn(child));
  });
  return writes;
}

function writesOf(node: Node): readonly Write[] {
  if (isBinaryExpression(node))
    return isAssignmentOperator(node.operatorToken.kind) ? targetsOf(node.left).map(assigned) : [];
  if (isPostfixUnaryExpression(node)) return [assigned(node.operand)];
  if (isPrefixUnaryExpression(node)) return isIncrement(node.operator) ? [assigned(node.operand)] : [];
  if (isDeleteExpression(node)) return [assigned(node.expression)];
  if (!isCallExpression(node)) return [];
  const { expression: called, arguments: given } = node;
  const passed = given.map((each): Write => ({ is: 'passed', node: each }));
  if (!isPropertyAccessExpression(called)) return passed;
  const [target, ...from] = given;
  if (called.getText() === 'Object.assign' && target !== undefined) return [{ is: 'merged', node: target, from }];
  return mutators.has(called.name.text) ? [...passed, { is: 'changed', node: called.expression }] : passed;
}

const assigned = (node: Node): Write => ({ is: 'assigned', node });

function isIncrement(operator: SyntaxKind): boolean {
  return operator === SyntaxKind.PlusPlusToken || operator === SyntaxKind.MinusMinusToken;
}

/** The single targets of an assignment, also of one that destructures. */
function targetsOf(node: Node): readonly Node[] {
  if (isParenthesizedExpression(node) || isSpreadElement(node) || isSpreadAssignment(node))
    return targetsOf(node.expression);
  if (isArrayLiteralExpression(node)) return node.elements.flatMap(targetsOf);
  if (isObjectLiteralExpression(node)) return node.properties.flatMap(targetsOf);
  if (isPropertyAssignment(node)) return targetsOf(node.initializer);
  return isBinaryExpression(node) ? targetsOf(node.left) : [node];
}

function fieldsOf(checker: Checker, write: Write): readonly Field[] {
  if (write.is === 'assigned') return accessed(checker, write.node);
  if (write.is === 'changed') return held(checker, write.node);
  if (write.is === 'passed') {
    const fields = held(checker, write.node);
    return fields.length > 0 && isCollection(checker.getContextualType(write.node)) ? fields : [];
  }
  const target = checker.getTypeAtLocation(write.node);
  const sources = write.from.map((each) => checker.getTypeAtLocation(each));
  const names = sources.flatMap((type) => (type === undefined ? [] : checker.getPropertiesOfType(type)));
  return names.flatMap(({ name }) => (target === undefined ? [] : (checker.getPropertyOfType(target, name) ?? [])));
}

/** The field that an expression such as `entry.found` or `entry['found']` is; all fields if the key is not a literal. */
function accessed(checker: Checker, node: Node): readonly Field[] {
  if (isPropertyAccessExpression(node)) return [checker.getSymbolAtLocation(node.name) ?? []].flat();
  if (!isElementAccessExpression(node)) return [];
  const type = checker.getTypeAtLocation(node.expression);
  const key = node.argumentExpression;
  if (type === undefined) return [];
  if (!isStringLiteral(key)) return checker.getPropertiesOfType(type);
  return [checker.getPropertyOfType(type, key.text) ?? []].flat();
}

/** The same, also by a variable that was declared with the field as its value. */
function held(checker: Checker, node: Node): readonly Field[] {
  if (!isIdentifier(node)) return accessed(checker, node);
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration?.resolve();
  if (declaration === undefined) return [];
  if (isVariableDeclaration(declaration) && declaration.initializer !== undefined)
    return isIdentifier(declaration.initializer) ? [] : held(checker, declaration.initializer);
  if (!isBindingElement(declaration)) return [];
  const type = checker.getTypeAtLocation(declaration.parent);
  const name = (declaration.propertyName ?? declaration.name)?.getText();
  return type === undefined || name === undefined ? [] : [checker.getPropertyOfType(type, name) ?? []].flat();
}

function isCollection(type: Type | undefined): boolean {
  return collections.has(type?.getSymbol()?.name ?? '');
}
