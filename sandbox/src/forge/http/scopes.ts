type Category = 'admin' | 'notification' | 'repository' | 'issue' | 'user' | 'organization' | 'package' | 'misc';

/** The first match decides; all named categories are needed. */
const rules: readonly (readonly [RegExp, readonly Category[]])[] = [
  [/^\/(version|settings|token)/, []],
  [/^\/admin\//, ['admin']],
  [/^\/notifications/, ['notification']],
  [/^\/repos\/[^/]+\/[^/]+\/notifications$/, ['notification']],
  [/^\/repos\/issues\/search$/, ['issue']],
  [/^\/repos\/[^/]+\/[^/]+\/(issues|labels|milestones|projects)/, ['issue']],
  [/^\/repos\//, ['repository']],
  [/^\/orgs\/[^/]+\/repos$/, ['organization', 'repository']],
  [/^\/(orgs|teams)/, ['organization']],
  [/^\/user\/orgs$/, ['user', 'organization']],
  [/^\/user\/projects/, ['user', 'issue']],
  [/^\/user\/repos$/, ['user', 'repository']],
  [/^\/users?(\/|$)/, ['user']],
  [/^\/packages\//, ['package']],
];

/** `write:` includes `read:`; `all` is everything. */
function holds(held: readonly string[], needed: string): boolean {
  if (held.includes('all') || held.includes(needed)) return true;
  return needed.startsWith('read:') && held.includes(`write:${needed.slice('read:'.length)}`);
}

/** The forge's error, or undefined if the token may do this. */
export function missingScope(
  held: readonly string[],
  method: string,
  path: string,
  tellsHeld: boolean,
): string | undefined {
  const categories = rules.find(([pattern]) => pattern.test(path))?.[1] ?? [];
  const level = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  const needed = categories.map((category) => `${level}:${category}`);
  if (needed.every((scope) => holds(held, scope))) return undefined;
  const text = 'token does not have at least one of required scope(s)';
  return tellsHeld
    ? `${text}, required=[${needed.join(' ')}], token scope=${held.join(',')}`
    : `${text}: [${needed.join(' ')}]`;
}
