import type { KnownBlock } from '@slack/types';
import { richBody } from '../body.js';
import { by, frame, type Look, type Person, when } from '../look.js';
import { issueState } from '../state.js';
import { bold, code, link } from '../text.js';
import type { Instant } from '../when.js';

export interface ProjectLike {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly description?: string | null | undefined;
  readonly html_url?: string | null | undefined;
  readonly num_open_issues?: number | null | undefined;
  readonly num_closed_issues?: number | null | undefined;
  readonly creator?: Person | null | undefined;
  readonly created_at?: Instant;
}

export function projectCard(project: ProjectLike, look: Look): KnownBlock[] {
  const { num_open_issues: open, num_closed_issues: closed } = project;
  return frame(
    {
      state: issueState(project.state),
      subject: link(project.html_url, project.title),
      facts: [
        `id ${project.id}`,
        open || closed ? `${open ?? 0} open, ${closed ?? 0} closed` : undefined,
        when(project.created_at, look),
        by(project.creator, look),
      ],
      body: [richBody(project.description, project.html_url)],
    },
    look,
  );
}

export interface ColumnLike {
  readonly id: number;
  readonly title: string;
  readonly color?: string | null | undefined;
  readonly default?: boolean | null | undefined;
  readonly sorting?: number | null | undefined;
}

export function columnRow(column: ColumnLike, look: Look): KnownBlock[] {
  return frame(
    {
      subject: bold(column.title),
      facts: [
        `id ${column.id}`,
        column.sorting == null ? undefined : `position ${column.sorting}`,
        column.color ? code(column.color) : undefined,
        column.default ? 'takes new cards' : undefined,
      ],
    },
    { style: 'row', ...look },
  );
}
