import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isBindingElement,
  isElementAccessExpression,
  isIdentifier,
  isInterfaceDeclaration,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API, type Checker, type Symbol as Field, type Project, type Type } from 'typescript/unstable/sync';
import { type Write, writesIn } from './writesIn.ts';

/** An interface whose fields are written after its objects were created. */
export interface RecordType {
  /** From the root of the repository. */
  readonly file: string;
  readonly name: string;
}

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The types with methods that change them. */
const collections = new Set(['Map', 'Set', 'Array']);

/**
 * Returns the files that write each field of these records after their creation, by `Record.field`. A write is an
 * assignment of any form, `++`, `delete`, `Object.assign`, or a change of a Map, Set or array that a field holds, also by
 * another name. A function that gets such a collection as an argument counts as its writer. Fields are recognised by
 * their type, whatever the name of the variable. `config`: the tsconfig.json of the program.
 */
export function fieldWriters(config: string, records: readonly RecordType[]): ReadonlyMap<string, ReadonlySet<string>> {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is not read`);
    const writers = new Map<string, Set<string>>();
    for (const name of project.program.getSourceFileNames().filter((each) => !each.includes('/node_modules/')))
      for (const [field, file] of writtenIn(project, name, records))
        writers.set(field, (writers.get(field) ?? new Set()).add(relative(root, file)));
    return writers;
  } finally {
    api.close();
  }
}

/** The fields that the source file writes, each with the file of the function that does. */
function writtenIn({ program, checker }: Project, name: string, records: readonly RecordType[]): [string, string][] {
  const source = program.getSourceFile(name);
  return (source === undefined ? [] : writesIn(source)).flatMap((write) => {
    const fields = fieldsOf(checker, write).flatMap((field) => keyOf(field, records) ?? []);
    const file = write.type === 'passed' && fields.length > 0 ? declaredIn(checker, write.to) : undefined;
    return fields.map((field): [string, string] => [field, file ?? name]);
  });
}

/** The file of the function that is called. */
function declaredIn(checker: Checker, called: Node): string | undefined {
  const symbol = checker.getSymbolAtLocation(isPropertyAccessExpression(called) ? called.name : called);
  const isImported = symbol?.declarations.some((each) => each.kind === SyntaxKind.ImportSpecifier) === true;
  return (isImported ? checker.getAliasedSymbol(symbol) : symbol)?.declarations[0]?.path;
}

/** Returns `Record.field`; undefined if it is a field of another interface. */
function keyOf(field: Field, records: readonly RecordType[]): string | undefined {
  for (const declaration of field.declarations) {
    const parent = records.some(({ file }) => declaration.path === join(root, file)) && declaration.resolve()?.parent;
    if (!parent || !isInterfaceDeclaration(parent)) continue;
    const record = records.find(({ file, name }) => name === parent.name.text && declaration.path === join(root, file));
    if (record !== undefined) return `${record.name}.${field.name}`;
  }
  return undefined;
}

function fieldsOf(checker: Checker, write: Write): readonly Field[] {
  if (write.type === 'assigned') return accessed(checker, write.node);
  if (write.type === 'changed') return held(checker, write.node);
  if (write.type === 'passed') {
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
