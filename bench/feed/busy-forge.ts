/** The stand-in forge in its own process, with as much activity as requested. */
import { startForge } from '@bellows/sandbox/forge';

export interface Happen {
  readonly repositories: number;
  /** In each of them. */
  readonly count: number;
}

let clock = Date.now();
const forge = await startForge({ clock: () => clock });
const issues = new Map<string, number>();

/** Of ten: four pushes, four opened issues, two comments; items are looked up, pushes are not. */
function happen(repo: string, at: number): void {
  const what = { as: 'grace', repo };
  const index = issues.get(repo);
  if (at % 10 < 4) forge.world.push({ ...what, branch: 'main', commits: [`Change ${at}`] });
  else if (at % 10 < 8 || index === undefined)
    issues.set(repo, forge.world.openIssue({ ...what, title: `Issue ${at}` }).index);
  else forge.world.comment({ ...what, index, body: `Comment ${at}` });
}

process.on('message', ({ repositories, count }: Happen) => {
  // an hour later, so that earlier rows are outside the overlap window
  clock += 3_600_000;
  for (let at = 0; at < count; at++) {
    clock += 1_000;
    for (let repo = 1; repo <= repositories; repo++) happen(`acme/busy-${repo}`, at);
  }
  clock += 60_000;
  process.send?.({ now: clock });
});
const ids = Array.from({ length: Number(process.env['BENCH_REPOSITORIES']) }, (_, at) => {
  return forge.world.createRepo({ as: 'ada', owner: 'acme', name: `busy-${at + 1}` }).id;
});
process.send?.({ url: forge.url, token: forge.account('ada').token(), ids });
