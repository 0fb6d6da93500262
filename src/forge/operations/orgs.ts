import { operation } from '../operation.js';
import { Label } from '../schemas/label.js';
import { Organization } from '../schemas/organization.js';
import { Repository } from '../schemas/repository.js';
import { Team } from '../schemas/team.js';
import { User } from '../schemas/user.js';
import { Paging } from './input.js';

export const orgs = {
  mine: operation({
    route: 'GET /user/orgs',
    scope: ['user', 'organization'],
    effect: 'read',
    query: Paging,
    list: { item: Organization },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listTeams: operation({
    route: 'GET /orgs/{org}/teams',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: Team },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listTeamMembers: operation({
    route: 'GET /teams/{id}/members',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: User },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listLabels: operation({
    route: 'GET /orgs/{org}/labels',
    scope: ['organization'],
    effect: 'read',
    query: Paging,
    list: { item: Label },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  listRepos: operation({
    route: 'GET /orgs/{org}/repos',
    scope: ['organization', 'repository'],
    effect: 'read',
    query: Paging,
    list: { item: Repository },
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;
