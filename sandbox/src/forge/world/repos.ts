import { record } from '../acts/feed.js';
import { keepText } from '../acts/files.js';
import { type Push, push } from '../acts/git.js';
import { openIssue } from '../acts/issues.js';
import { renameUser } from '../acts/people.js';
import * as refs from '../acts/refs.js';
import * as acts from '../acts/repos.js';
import { addStatus } from '../acts/statuses.js';
import { person, repository } from '../state/find.js';
import type { Label } from '../state/label.js';
import type { Level } from '../state/people.js';
import type { Commit, CommitStatus, Milestone, Repo } from '../state/repo.js';
import { changed, type State } from '../state/state.js';
import type { By } from './issues.js';

export interface RawRow extends By {
  readonly op: string;
  readonly content?: string;
  readonly ref?: string;
}

export const repoVerbs = (state: State) => {
  const at = (name: string): Repo => repository(state, name);
  const who = (login: string) => person(state, login);
  return {
    createRepo: (what: { readonly as: string; readonly owner: string } & acts.NewRepo): Repo =>
      acts.createRepo(state, who(what.as), who(what.owner), { autoInit: true, ...what }),
    /** A file that exists on every branch. */
    plantFile: (what: { readonly repo: string; readonly path: string; readonly text: string }): void =>
      keepText(at(what.repo), what.path, what.text),
    forkRepo: (what: By): Repo => acts.forkRepo(state, who(what.as), at(what.repo)),
    push: (what: By & Push): Commit[] => push(state, who(what.as), at(what.repo), what),
    tag: (what: By & { readonly tag: string; readonly at?: string }): void =>
      refs.tag(state, who(what.as), at(what.repo), what.tag, what.at),
    deleteTag: (what: By & { readonly tag: string }): void =>
      refs.deleteTag(state, who(what.as), at(what.repo), what.tag),
    release: (what: By & { readonly tag: string; readonly title: string; readonly notes?: string }): void => {
      refs.release(state, who(what.as), at(what.repo), what.tag, what.title, what.notes);
    },
    deleteBranch: (what: By & { readonly branch: string }): void =>
      refs.deleteBranch(state, who(what.as), at(what.repo), what.branch),
    mirrorSync: (what: {
      readonly repo: string;
      readonly kind: 'push' | 'create' | 'delete';
      readonly branch: string;
      readonly message?: string;
    }): void => refs.mirrorSync(state, at(what.repo), what.kind, what.branch, what.message),
    renameRepo: (what: By & { readonly name: string }): void =>
      acts.renameRepo(state, who(what.as), at(what.repo), what.name),
    transferRepo: (what: By & { readonly to: string }): void =>
      acts.transferRepo(state, who(what.as), at(what.repo), who(what.to)),
    renameUser: (what: { readonly login: string; readonly to: string }): void => renameUser(who(what.login), what.to),
    /** Renames it and gives its name to a new repository with as many issues: the name no longer leads to this one. */
    takeOverName: (what: By & { readonly name: string }): Repo => {
      const [owner = '', taken = ''] = what.repo.split('/');
      const last = at(what.repo).issues.size;
      acts.renameRepo(state, who(what.as), at(what.repo), what.name);
      const other = acts.createRepo(state, who(what.as), who(owner), { name: taken, autoInit: true });
      for (let index = 1; index <= last; index++) openIssue(state, who(what.as), other, { title: `Another ${index}` });
      return other;
    },
    setPrivate: (what: { readonly repo: string; readonly private: boolean }): void =>
      acts.setPrivate(state, at(what.repo), what.private),
    archive: (what: { readonly repo: string; readonly archived?: boolean }): void =>
      acts.archive(state, at(what.repo), what.archived ?? true),
    deleteRepo: (what: By): void => acts.deleteRepo(state, who(what.as), at(what.repo)),
    addWatcher: (what: { readonly repo: string; readonly login: string }): void => {
      at(what.repo).watchers.add(who(what.login));
    },
    removeWatcher: (what: { readonly repo: string; readonly login: string }): void => {
      at(what.repo).watchers.delete(who(what.login));
    },
    star: (what: { readonly repo: string; readonly login: string }): void => {
      const [repo, user] = [at(what.repo), who(what.login)];
      repo.stargazers.add(user);
      state.stars.set(user, (state.stars.get(user) ?? new Set()).add(repo));
    },
    /** `none` removes the access again. */
    setCollaborator: (what: { readonly repo: string; readonly login: string; readonly level: Level }): void => {
      if (what.level === 'none') at(what.repo).collaborators.delete(who(what.login));
      else at(what.repo).collaborators.set(who(what.login), what.level);
      changed(state, 'repository', at(what.repo));
    },
    addLabel: (what: { readonly repo: string; readonly name: string; readonly color?: string }): Label =>
      acts.addLabel(state, at(what.repo), what.name, what.color),
    /** A label of the repository's organization. */
    addOrgLabel: (what: { readonly repo: string; readonly name: string; readonly color?: string }): Label =>
      acts.addLabel(state, at(what.repo).owner, what.name, what.color),
    addMilestone: (what: { readonly repo: string; readonly title: string; readonly dueOn?: number }): Milestone =>
      acts.addMilestone(state, at(what.repo), what.title, what.dueOn),
    commitStatus: (
      what: By & Pick<CommitStatus, 'sha' | 'context' | 'state'> & { readonly targetUrl?: string },
    ): void => {
      const { sha, context, state: of, targetUrl = '' } = what;
      const status = { sha, context, state: of, description: '', targetUrl, creator: who(what.as) };
      addStatus(state, at(what.repo), status, who(what.as));
    },
    /** A raw row, for kinds the forge declares but never writes. */
    feedRow: (what: RawRow): void =>
      record(state, {
        op: what.op,
        actor: who(what.as),
        repo: at(what.repo),
        content: what.content ?? '',
        ref: what.ref ?? '',
      }),
  };
};
