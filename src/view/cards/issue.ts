import type { KnownBlock } from '@slack/types';
import { richBody } from '../body.js';
import { by, count, frame, type Look, type Person, people, some, when } from '../look.js';
import { issueState, pullState } from '../state.js';
import { code, link, md } from '../text.js';
import { day, type Instant } from '../when.js';

export interface IssueLike {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
  readonly user?: Person | null | undefined;
  readonly repository?: { readonly full_name: string } | null | undefined;
  readonly labels?: readonly { readonly name: string }[] | null | undefined;
  readonly assignees?: readonly Person[] | null | undefined;
  readonly milestone?: { readonly title: string } | null | undefined;
  readonly due_date?: Instant;
  readonly comments?: number | null | undefined;
  readonly created_at?: Instant;
  readonly pull_request?:
    | { readonly merged?: boolean | null | undefined; readonly draft?: boolean | null | undefined }
    | null
    | undefined;
}

/** An issue, or a pull request from an issue list. */
export function issueCard(issue: IssueLike, look: Look): KnownBlock[] {
  const { pull_request: pull } = issue;
  const assigned = people(issue.assignees, look);
  const due = day(issue.due_date);
  return frame(
    {
      state: pull ? pullState({ state: issue.state, ...pull }) : issueState(issue.state),
      subject: link(issue.html_url, `#${issue.number} ${issue.title}`),
      facts: [
        issue.repository?.full_name,
        when(issue.created_at, look),
        by(issue.user, look),
        assigned.empty ? undefined : md`assigned to ${assigned}`,
        due === undefined ? undefined : `due ${due}`,
        issue.milestone?.title,
        some((issue.labels ?? []).map((label) => code(label.name))),
        issue.comments ? count(issue.comments, 'comment') : undefined,
      ],
      body: [richBody(issue.body, issue.html_url)],
    },
    look,
  );
}
