import {
  type Expression,
  isArrayLiteralExpression,
  isAssignmentOperator,
  isBinaryExpression,
  isCallExpression,
  isDeleteExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';

/**
 * A place in the source that may write: `node` is assigned, changed in place, passed to a function, or assigned the fields
 * of `from`.
 */
export type Write =
  | { readonly type: 'assigned'; readonly node: Node }
  | { readonly type: 'changed'; readonly node: Node }
  | { readonly type: 'passed'; readonly node: Expression; readonly to: Node }
  | { readonly type: 'merged'; readonly node: Node; readonly from: readonly Node[] };

/** The methods that change a Map, a Set or an array. */
const mutators = new Set([
  ...['set', 'add', 'delete', 'clear'],
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
]);

/** Returns the places in this node that may write. */
export function writesIn(node: Node): Write[] {
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
  const passed = given.map((each): Write => ({ type: 'passed', node: each, to: called }));
  if (!isPropertyAccessExpression(called)) return passed;
  const [target, ...from] = given;
  if (called.getText() === 'Object.assign' && target !== undefined) return [{ type: 'merged', node: target, from }];
  return mutators.has(called.name.text) ? [...passed, { type: 'changed', node: called.expression }] : passed;
}

const assigned = (node: Node): Write => ({ type: 'assigned', node });

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
