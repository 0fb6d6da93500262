import { UserError } from '../errors.js';

const gitHubWords = new Map([
  ['name', 'workflow:'],
  ['branch', 'branch:'],
  ['actor', '+author:'],
]);

/** Translates `workflows:{name:"CI" branch:"main"}`, as GitHub's app writes it, into our syntax. */
function ofGitHub(text: string): string {
  return text.replaceAll(/[“”„«»]/g, '"').replaceAll(/\bworkflows:\{([^{}]{0,500})\}/gi, (_, inside: string) => {
    const pairs = [...inside.matchAll(/(\w+)\s*:\s*("[^"]*"|[^\s",]+)/g)];
    const words = pairs.map(([pair, name = '', value = '']) => {
      const ours = gitHubWords.get(name.toLowerCase());
      if (ours === undefined)
        throw new UserError(`Runs cannot be filtered by ${pair.slice(0, 60)}. Use workflow:, branch: or +author:.`, {
          field: 'filter',
        });
      return `${ours}${value}`;
    });
    return ['runs', ...words].join(' ');
  });
}

/** Splits outside quotes; typographic quotes count as plain ones. */
export function split(text: string): string[] {
  return [...ofGitHub(text).matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(([word]) => word);
}
