import { z } from 'zod';

const most = 50;
const mostLetters = 65_536;

/** Missing or invalid values name nobody; a hook is never refused for them. */
const Login = z
  .object({ login: z.string() })
  .transform(({ login }) => [login])
  .catch([]);
const Logins = z
  .array(Login)
  .transform((each) => each.flat())
  .catch([]);
const Mentioned = z
  .string()
  .transform((text) =>
    [...text.slice(0, mostLetters).matchAll(/@([\w.-]{1,40})/g)].map(([, login = '']) => login.replace(/[.-]+$/, '')),
  )
  .catch([]);
const Subject = z
  .object({
    user: Login,
    assignee: Login,
    assignees: Logins,
    requested_reviewers: Logins,
    body: Mentioned,
  })
  .transform((subject) => Object.values(subject).flat())
  .catch([]);
const Payload = z
  .object({
    issue: Subject,
    pull_request: Subject,
    comment: z
      .object({ body: Mentioned })
      .transform(({ body }) => body)
      .catch([]),
    review: z
      .object({ content: Mentioned })
      .transform(({ content }) => content)
      .catch([]),
    requested_reviewer: Login,
  })
  .transform((payload) => Object.values(payload).flat())
  .catch([]);

/** The logins a hook names; untrusted data, so few and short. */
export const peopleIn = (payload: unknown): readonly string[] =>
  [...new Set(Payload.parse(payload).filter((login) => /^[\w.-]{1,40}$/.test(login)))].slice(0, most);
