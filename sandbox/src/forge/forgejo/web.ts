import type { Answer } from '../http/answer.js';
import { htmlPage } from '../http/dispatch.js';
import { versionOf } from '../http/flavor.js';
import { isForgejo, type Site } from '../state/site.js';

const runPage = /^\/[^/]+\/[^/]+\/actions\/runs\/\d+(\/jobs\/\d+)?(\/attempt\/\d+)?$/;

/** What only Forgejo serves beside /api/v1; undefined means a page as everywhere. */
export function forgejoWeb(site: Site, path: string): Answer | undefined {
  if (!isForgejo(site)) return undefined;
  if (path === '/api/forgejo/v1/version') {
    const type = isForgejo(site, 15) ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
    return { status: 200, text: { type, content: JSON.stringify({ version: versionOf(site) }) } };
  }
  const [, job, attempt] = runPage.exec(path) ?? [undefined, undefined, ''];
  if (attempt !== undefined) {
    return attempt === '' || isForgejo(site, 15) ? undefined : htmlPage(404, 'Page Not Found');
  }
  if (!isForgejo(site, 15)) return undefined;
  return {
    status: 307,
    headers: { location: `${site.url}${path}${job ?? '/jobs/0'}/attempt/1`.replace(`${job}${job}`, String(job)) },
  };
}
