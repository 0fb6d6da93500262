import type { Route } from '../../../../src/forge/operation.js';
import { addComment } from '../acts/issues.js';
import { createOrg, createTeam, createUser } from '../acts/people.js';
import { createProject } from '../acts/projects.js';
import { openPull } from '../acts/pulls.js';
import { release } from '../acts/refs.js';
import { addLabel, addMilestone, archive, renameRepo, setPrivate } from '../acts/repos.js';
import { created, forbidden, invalid, notFound, nothing, ok, refuse } from '../http/answer.js';
import type { Handler } from '../http/call.js';
import { may, mustAdminister, mustWrite, pullAt, repoOf, signedIn } from '../http/guard.js';
import { parseTime } from '../http/query.js';
import { labelJson, milestoneJson } from '../render/issues.js';
import { orgJson, teamJson, userJson } from '../render/people.js';
import { projectJson } from '../render/projects.js';
import { pullJson } from '../render/pulls.js';
import { releaseJson, repoJson, styleSettings } from '../render/repos.js';
import { contentsJson, watchJson } from '../render/setup.js';
import { ownsOrg } from '../state/access.js';
import { findUser } from '../state/find.js';
import { type Level, levels, units } from '../state/people.js';
import { isForgejo } from '../state/site.js';
import { writeFile } from './contents.js';
import { listThreads } from './notifications.js';
import { readProject } from './projects.js';

const serve = <const R extends Route>(route: R, handler: Handler<R>, since?: string) => ({ route, handler, since });

const isLevel = (text: string | undefined): text is Level => levels.some((level) => level === text);

/** Outside the table: routes for preparing a real forge before a test. */
export const setup = [
  serve('POST /admin/users', ({ state, body, view }) => {
    const login = body().requiredText('username');
    if (findUser(state, login) !== undefined) throw invalid(`user already exists [name: ${login}]`);
    const user = createUser(state, {
      login,
      email: body().requiredText('email'),
      password: body().text('password'),
      fullName: body().text('full_name') ?? '',
    });
    return created(userJson(view, user));
  }),

  serve('POST /orgs', (call) => {
    const body = call.body();
    const login = body.requiredText('username');
    if (findUser(call.state, login) !== undefined) throw invalid(`user already exists [name: ${login}]`);
    return created(orgJson(call.view, createOrg(call.state, signedIn(call), { login })));
  }),

  serve('POST /orgs/{org}/teams', (call) => {
    const { state, view } = call;
    const org = findUser(state, call.params.org);
    if (org?.kind !== 'Organization') throw notFound();
    const me = signedIn(call);
    if (!me.admin && !ownsOrg(state, me, org)) throw forbidden('Must be an organization owner');
    const body = call.body();
    const map = body.map('units_map') ?? {};
    const given = Object.fromEntries(
      units.flatMap((unit) => {
        const level = map[`repo.${unit}`];
        return isLevel(level) ? [[unit, level]] : [];
      }),
    );
    const permission = body.text('permission');
    const team = createTeam(state, org, {
      name: body.requiredText('name'),
      permission: permission === 'admin' ? 'admin' : 'none',
      units: given,
      allRepos: body.flag('includes_all_repositories') ?? false,
      canCreateRepos: body.flag('can_create_org_repo') ?? false,
    });
    return created(teamJson(view, team, true));
  }),

  serve('PUT /teams/{id}/members/{username}', (call) => {
    const team = call.state.teams.get(call.params.id);
    const user = findUser(call.state, call.params.username);
    if (team === undefined || user === undefined) throw notFound();
    const me = signedIn(call);
    if (!me.admin && !ownsOrg(call.state, me, team.org)) throw forbidden('Must be an organization owner');
    team.members.add(user);
    return nothing;
  }),

  serve('PATCH /repos/{owner}/{repo}', (call) => {
    const repo = repoOf(call);
    const user = mustAdminister(call, repo);
    const body = call.body();
    const isPrivate = body.flag('private');
    const archived = body.flag('archived');
    const name = body.text('name') ?? '';
    if (isPrivate !== undefined) setPrivate(call.state, repo, isPrivate);
    if (archived !== undefined) archive(call.state, repo, archived);
    if (name !== '' && name !== repo.name) renameRepo(call.state, user, repo, name);
    repo.description = body.text('description') ?? repo.description;
    repo.merging = {
      stylesOff: Object.entries(styleSettings).flatMap(([setting, style]) =>
        (body.flag(setting) ?? !repo.merging.stylesOff.includes(style)) ? [] : [style],
      ),
      defaultStyle: body.text('default_merge_style') ?? repo.merging.defaultStyle,
      deletesBranch: body.flag('default_delete_branch_after_merge') ?? repo.merging.deletesBranch,
      rebaseUpdate: body.flag('allow_rebase_update') ?? repo.merging.rebaseUpdate,
      updateStyle: body.text('default_update_style') === 'rebase' ? 'rebase' : repo.merging.updateStyle,
    };
    return ok(repoJson(call.view, repo));
  }),

  serve('POST /repos/{owner}/{repo}/branch_protections', (call) => {
    const repo = repoOf(call);
    mustAdminister(call, repo);
    const body = call.body();
    const name = body.text('rule_name') ?? body.text('branch_name') ?? '';
    if (name === '') throw refuse(400, 'both rule_name and branch_name are empty');
    if (repo.protections.has(name)) throw forbidden('Branch protection already exist');
    repo.protections.set(name, {
      requiredApprovals: body.number('required_approvals'),
      statusChecks: body.flag('enable_status_check') === true ? (body.texts('status_check_contexts') ?? []) : undefined,
      mergeList:
        body.flag('enable_merge_whitelist') === true ? (body.texts('merge_whitelist_usernames') ?? []) : undefined,
      blockOnRejected: body.flag('block_on_rejected_reviews'),
      blockOnRequests: body.flag('block_on_official_review_requests'),
      blockOnOutdated: body.flag('block_on_outdated_branch'),
      protectedFiles: body.text('protected_file_patterns'),
      requireSigned: body.flag('require_signed_commits'),
      dismissStale: body.flag('dismiss_stale_approvals'),
      ignoreStale: body.flag('ignore_stale_approvals'),
    });
    return created({ rule_name: name, branch_name: name });
  }),

  serve('DELETE /repos/{owner}/{repo}/branch_protections/{name}', (call) => {
    const repo = repoOf(call);
    mustAdminister(call, repo);
    if (!repo.protections.delete(call.params.name)) throw notFound();
    return nothing;
  }),

  /** Cancels the server's own schedule. */
  serve('DELETE /repos/{owner}/{repo}/pulls/{index}/merge', (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    const issue = pullAt(repo, call.params.index);
    const { schedule } = issue.pull;
    if (schedule === undefined) throw notFound();
    const own = schedule.by === user || !isForgejo(call.state.site) || isForgejo(call.state.site, 15);
    if (!may(call, repo, 'code', 'write') || !own)
      throw forbidden('user has no permission to cancel the scheduled auto merge');
    issue.pull.schedule = undefined;
    addComment(call.state, issue, user, '', { type: 'pull_cancel_scheduled_merge' });
    return nothing;
  }),

  serve('PUT /repos/{owner}/{repo}/subscription', (call) => {
    const repo = repoOf(call);
    repo.watchers.add(signedIn(call));
    return ok(watchJson(call.view, repo));
  }),

  serve('DELETE /repos/{owner}/{repo}/subscription', (call) => {
    repoOf(call).watchers.delete(signedIn(call));
    return nothing;
  }),

  serve('GET /repos/{owner}/{repo}/notifications', (call) => {
    const repo = repoOf(call);
    return listThreads(call, (thread) => thread.repo === repo);
  }),

  serve('POST /repos/{owner}/{repo}/contents/{filepath}', (call) => {
    const repo = repoOf(call);
    const user = mustWrite(call, repo, 'code');
    const written = writeFile(call.state, user, repo, call.params.filepath, call.body());
    return created(contentsJson(call.view, repo, written));
  }),

  serve('POST /repos/{owner}/{repo}/releases', (call) => {
    const repo = repoOf(call);
    mustWrite(call, repo, 'releases');
    const body = call.body();
    const [tag, title, notes] = [body.requiredText('tag_name'), body.text('name'), body.text('body')];
    return created(releaseJson(call.view, repo, release(call.state, signedIn(call), repo, tag, title ?? '', notes)));
  }),

  serve('POST /repos/{owner}/{repo}/labels', (call) => {
    const repo = repoOf(call);
    mustWrite(call, repo, 'issues');
    const body = call.body();
    const color = body.requiredText('color').replace(/^#/, '');
    const label = addLabel(call.state, repo, body.requiredText('name'), color, body.text('description'));
    return created(labelJson(call.view, repo, label));
  }),

  serve('POST /repos/{owner}/{repo}/milestones', (call) => {
    const repo = repoOf(call);
    mustWrite(call, repo, 'issues');
    const due = parseTime(call.body().text('due_on') ?? '');
    const milestone = addMilestone(call.state, repo, call.body().requiredText('title'), due);
    return created(milestoneJson(call.view, repo, milestone));
  }),

  serve('POST /repos/{owner}/{repo}/pulls', (call) => {
    const repo = repoOf(call);
    const user = signedIn(call);
    const body = call.body();
    const head = body.requiredText('head');
    const base = body.requiredText('base');
    if (!repo.branches.has(head) || !repo.branches.has(base)) throw notFound();
    const twin = [...repo.issues.values()].some(
      (each) => each.state === 'open' && each.pull?.head === head && each.pull.base === base,
    );
    if (twin) throw refuse(409, 'pull request already exists for these targets');
    const issue = openPull(call.state, user, repo, {
      title: body.requiredText('title'),
      body: body.text('body') ?? '',
      head,
      base,
    });
    return created(pullJson(call.view, issue, issue.pull));
  }),

  serve(
    'POST /user/projects',
    (call) => {
      const owner = signedIn(call);
      return created(projectJson(call.view, createProject(call.state, owner, { owner }, readProject(call.body()))));
    },
    '1.28',
  ),
] as const;
