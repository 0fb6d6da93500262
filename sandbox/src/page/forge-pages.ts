// Where links in messages lead: plain pages of the sandbox forge, to see that something really happened.
import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { SandboxForge } from '../forge/index.js';

type World = SandboxForge['world'];
type Issue = ReturnType<World['openIssue']>;
type Run = ReturnType<World['queueRun']>;
type Repo = ReturnType<World['repo']>;
type Html = ReturnType<typeof html>;

const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');

const stateOf = ({ state, pull }: Issue): string => (pull?.merged ? 'merged' : state);

const frame = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="/forge.css" />
  </head>
  <body>
    <p class="bar"><a href="/forge/">Sandbox forge</a> · read only</p>
    <main>${body}</main>
  </body>
</html>`;

const issuePage = (base: string, issue: Issue): Html => {
  const repo = `${issue.repo.owner.login}/${issue.repo.name}`;
  const { pull } = issue;
  return frame(
    `${issue.title} · ${repo}`,
    html`<p><a href="${base}/${repo}">${repo}</a></p>
      <h1>${issue.title} <small>#${issue.index}</small></h1>
      <p><b class="state">${stateOf(issue)}</b> · opened by ${issue.poster.login} ${day(issue.created)}</p>
      ${pull ? html`<p>${pull.head} → ${pull.base} · +${pull.additions} −${pull.deletions}</p>` : ''}
      <p>${issue.labels.map(({ name }) => html`<span class="label">${name}</span> `)}</p>
      <p>Assigned: ${issue.assignees.map(({ login }) => login).join(', ') || 'nobody'}</p>
      ${pull ? html`<ul>${pull.reviews.map(reviewLine)}</ul>` : ''}
      <pre>${issue.body || 'No description.'}</pre>
      ${issue.comments
        .filter(({ kind }) => kind === 'text')
        .map((each) => html`<h2>${each.poster.login} · ${day(each.created)}</h2><pre>${each.body}</pre>`)}`,
  );
};

type Review = NonNullable<Issue['pull']>['reviews'][number];
const reviewLine = ({ user, team, state, body }: Review) =>
  html`<li>${user?.login ?? team?.name ?? ''}: ${state.toLowerCase().replaceAll('_', ' ')} ${body}</li>`;

const runPage = (base: string, run: Run): Html => {
  const repo = `${run.repo.owner.login}/${run.repo.name}`;
  const jobs = run.jobs.filter(({ attempt }) => attempt === run.attempt);
  return frame(
    `${run.title} · ${repo}`,
    html`<p><a href="${base}/${repo}">${repo}</a></p>
      <h1>${run.title} <small>run ${run.number}</small></h1>
      <p><b class="state">${run.status}</b> · ${run.workflow} on ${run.branch} · ${run.actor.login} ${day(run.created)}</p>
      <ul>${jobs.map(({ plan, status, runner }) => html`<li>${plan.name}: ${status} ${runner ? `on ${runner.name}` : ''}</li>`)}</ul>`,
  );
};

const repoPage = (base: string, repo: Repo): Html => {
  const name = `${repo.owner.login}/${repo.name}`;
  const row = (issue: Issue) => {
    const kind = issue.pull ? 'pulls' : 'issues';
    return html`<li><a href="${base}/${name}/${kind}/${issue.index}">#${issue.index} ${issue.title}</a> ${stateOf(issue)}</li>`;
  };
  return frame(
    name,
    html`<h1>${name}</h1>
      <p>${repo.description} ${repo.private ? html`<b class="state">private</b>` : ''}</p>
      <ul>${[...repo.issues.values()].reverse().map(row)}</ul>`,
  );
};

const listPage = (base: string, repos: readonly Repo[]): Html =>
  frame(
    'Sandbox forge',
    html`<h1>Repositories</h1>
      <ul>
        ${repos.map(({ owner, name }) => html`<li><a href="${base}/${owner.login}/${name}">${owner.login}/${name}</a></li>`)}
      </ul>`,
  );

export function forgePages(app: Hono, base: string, ready: Promise<{ readonly forge: SandboxForge }>): void {
  const repos = async (): Promise<Repo[]> => [...(await ready).forge.world.state.repos.values()];
  const repoAt = async (owner: string, name: string) =>
    (await repos()).find((repo) => repo.owner.login === owner && repo.name === name);
  app.get(`${base}/`, async (context) => context.html(listPage(base, await repos())));
  // sign-in and consent are served by the forge itself
  app.get(`${base}/login/oauth/authorize`, async (context) => {
    const { search } = new URL(context.req.url);
    return context.redirect(`${(await ready).forge.url}/login/oauth/authorize${search}`, 303);
  });
  app.get(`${base}/:owner/:repo`, async (context) => {
    const repo = await repoAt(context.req.param('owner'), context.req.param('repo'));
    return repo ? context.html(repoPage(base, repo)) : context.notFound();
  });
  app.get(`${base}/:owner/:repo/actions/runs/:id{[0-9]+}`, async (context) => {
    const run = (await ready).forge.world.run(Number(context.req.param('id')));
    return run ? context.html(runPage(base, run)) : context.notFound();
  });
  app.get(`${base}/:owner/:repo/:kind{issues|pulls}/:index{[0-9]+}`, async (context) => {
    const { owner, repo, index } = context.req.param();
    const issue = (await repoAt(owner, repo))?.issues.get(Number(index));
    return issue ? context.html(issuePage(base, issue)) : context.notFound();
  });
  app.get(`${base}/:owner/:repo/*`, (context) => {
    const { owner, repo } = context.req.param();
    return context.redirect(`${base}/${owner}/${repo}`);
  });
}
