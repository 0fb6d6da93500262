import { request } from '../../chat/request.js';
import type { NewName } from './new-name.js';

export const services = [
  'git',
  'github',
  'gitea',
  'forgejo',
  'gitlab',
  'gogs',
  'onedev',
  'gitbucket',
  'codebase',
  'codecommit',
] as const;
export const parts = ['issues', 'labels', 'milestones', 'pulls', 'releases', 'wiki', 'lfs'] as const;
type Part = (typeof parts)[number];

export interface Import {
  readonly address: string;
  readonly repository: NewName;
  readonly service?: (typeof services)[number] | undefined;
  readonly with?: readonly Part[] | undefined;
  readonly private?: boolean | undefined;
  readonly public?: boolean | undefined;
  readonly mirror?: boolean | undefined;
  readonly every?: string | undefined;
  readonly description?: string | undefined;
  readonly lfsEndpoint?: string | undefined;
  readonly login?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  /** The id of the empty repository that an earlier try left there. */
  readonly leftover?: number | undefined;
}

/** A source that needs a login is private and stays so unless the person says otherwise. */
function isPrivate({ private: wanted, public: open, token, password, secretKey }: Import): boolean | undefined {
  const guarded = token !== undefined || password !== undefined || secretKey !== undefined;
  return wanted || (guarded && !open) ? true : wanted;
}

/** What is sent, with the forge's field names. */
export function bodyOf(args: Import) {
  const wanted = new Set<Part>(args.with);
  return {
    clone_addr: args.address,
    repo_owner: args.repository.owner,
    repo_name: args.repository.name,
    service: args.service,
    description: args.description,
    private: isPrivate(args),
    mirror: args.mirror,
    mirror_interval: args.every,
    lfs_endpoint: args.lfsEndpoint,
    auth_username: args.login,
    auth_password: args.password,
    auth_token: args.token,
    aws_access_key_id: args.accessKey,
    aws_secret_access_key: args.secretKey,
    issues: wanted.has('issues'),
    labels: wanted.has('labels'),
    milestones: wanted.has('milestones'),
    pull_requests: wanted.has('pulls'),
    releases: wanted.has('releases'),
    wiki: wanted.has('wiki'),
    lfs: wanted.has('lfs'),
  };
}

const placeOf = ({ repository: { owner, name } }: Import) => ({ owner, repo: name });

export const planOf = (args: Import) => [
  ...(args.leftover === undefined ? [] : [request('repos.delete', placeOf(args))]),
  request('repos.migrate', { body: bodyOf(args) }),
];
