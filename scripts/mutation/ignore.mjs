/** Log output decides nothing. */
const levels = new Set(['trace', 'debug', 'info', 'warn', 'error']);

const isLog = (node) =>
  (node.type === 'Identifier' && node.name === 'log') ||
  (node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'log');

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'log-lines',
    value: {
      shouldIgnore({ node }) {
        const callee = node.type === 'CallExpression' ? node.callee : undefined;
        const logs = callee?.type === 'MemberExpression' && isLog(callee.object) && levels.has(callee.property.name);
        return logs ? 'a log line' : undefined;
      },
    },
  },
];
