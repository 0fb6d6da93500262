import { describe, expect, it } from 'vitest';
import { operations } from '../../src/forge/operations/index.js';

const { admin, issues, notifications, projects, pulls, repos, runs } = operations;

describe('invalid input is refused before it is sent', () => {
  it.each([
    ['a column outside -128 to 127', projects.editMyColumn.body, { sorting: 128 }],
    ['a color that is a word', projects.addColumn.body, { title: 'Doing', color: 'red' }],
    ['a blank project title', projects.createInRepo.body, { title: '  ' }],
    ['an unknown state', issues.edit.body, { state: 'bogus' }],
    ['an unknown field', issues.edit.body, { titel: 'typo' }],
    ['no time at all', issues.addTime.body, { time: 0 }],
    ['an empty comment', issues.comment.body, { body: '' }],
    ['a block without its owner', issues.block.body, { index: 1, owner: '', repo: 'web' }],
    ['a due date neither set nor unset', pulls.edit.body, { unset_due_date: false }],
    ['reviewers of no name', pulls.requestReviewers.body, { reviewers: [] }],
    ['changes requested without a reason', pulls.submitReview.body, { event: 'REQUEST_CHANGES' }],
    ['a repository name with a space', repos.createInOrg.body, { name: 'bad name' }],
    ['a password in the address', repos.migrate.body, { clone_addr: 'https://me:pw@host/a.git', repo_name: 'a' }],
    ['a slack hook without a channel', admin.createHook.body, { type: 'slack', config: hook('json') }],
    ['a hook of unknown content', admin.createHook.body, { type: 'gitea', config: hook('xml') }],
    ['a status the filter does not take', runs.list.query, { status: ['bogus'] }],
    ['a mark the server would take for read', notifications.markThread.query, { 'to-status': 'bogus' }],
    ['a page before the first', repos.search.query, { page: 0 }],
  ])('%s', (_what, schema, value) => {
    expect(schema?.safeParse(value).success).toBe(false);
  });

  it('but a moment may be a Date or text, and is sent as text', () => {
    const due = { due_date: new Date('2031-12-01T00:00:00Z') };
    expect(issues.edit.body?.parse(due)).toEqual({ due_date: '2031-12-01T00:00:00.000Z' });
    expect(issues.edit.body?.safeParse({ due_date: 'tomorrow' }).success).toBe(false);
  });
});

function hook(content_type: string) {
  return { url: 'https://chat.example/hook', content_type };
}
