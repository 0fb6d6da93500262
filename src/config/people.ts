import { z } from 'zod';
import { readDuration } from '../duration.js';

export const slackUser = z
  .string()
  .regex(/^[UW][A-Z0-9]{2,20}$/, 'must be a Slack user id such as U012AB3CD (profile, three dots, Copy member ID)');
export const slackGroup = z.string().regex(/^S[A-Z0-9]{2,20}$/, 'must be a Slack user group id such as S012AB3CD');
export const slackChannel = z.string().regex(/^[CG][A-Z0-9]{2,20}$/, 'must be a Slack channel id such as C012AB3CD');
export const forgeTeam = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be a team of the forge, written org/team');

export const Role = z.enum(['everyone', 'maintainer', 'admin'], 'must be everyone, maintainer or admin');

export const Members = z.strictObject({
  users: z.array(slackUser).default([]),
  groups: z.array(slackGroup).default([]),
});

/** Slack people and groups, and forge teams: everyone in any of them. */
const Named = Members.extend({ teams: z.array(forgeTeam).max(10).default([]) }).refine(
  ({ users, groups, teams }) => users.length + groups.length + teams.length > 0,
  'name at least one of users, groups or teams',
);

/** Parsed by what was written, so that an error names its own key. */
export const Approvers = z.unknown().transform((value, context) => {
  const read = (typeof value === 'object' ? Named : Role).safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    const message =
      issue.code === 'unrecognized_keys' ? 'is not known here. Allowed: users, groups, teams' : issue.message;
    context.addIssue({ code: 'custom', path, message });
  }
  return z.NEVER;
});

export const seconds = z.string().transform((text, context) => {
  const value = readDuration(text);
  if (value !== undefined && value > 0) return value;
  context.addIssue({ code: 'custom', message: 'must be a duration such as 30m, 4h or 2d' });
  return z.NEVER;
});
