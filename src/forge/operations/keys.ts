import { z } from 'zod';
import { operation } from '../operation.js';
import { DeployKey, PublicKey } from '../schemas/key.js';
import { Name, paging, RowId } from './input.js';

const CreateKey = z.strictObject({ title: Name, key: Name, read_only: z.boolean().optional() });

export const keys = {
  listDeploy: operation({
    route: 'GET /repos/{owner}/{repo}/keys',
    effect: 'read',
    query: z.strictObject({ key_id: RowId.optional(), fingerprint: z.string().optional(), ...paging }),
    list: { item: DeployKey },
    failures: ['forbidden', 'notFound'],
  }),
  /** Without `read_only: true` the key may write. */
  addDeploy: operation({
    route: 'POST /repos/{owner}/{repo}/keys',
    effect: 'once',
    body: CreateKey,
    answer: DeployKey,
    failures: ['forbidden', 'notFound', 'invalid'],
  }),
  listMine: operation({
    route: 'GET /user/keys',
    scope: ['user'],
    effect: 'read',
    query: z.strictObject({ fingerprint: z.string().optional(), ...paging }),
    list: { item: PublicKey },
    failures: ['unauthorized', 'forbidden'],
    beyond: true,
  }),
  addMine: operation({
    route: 'POST /user/keys',
    scope: ['user'],
    effect: 'once',
    body: CreateKey,
    answer: PublicKey,
    failures: ['unauthorized', 'forbidden', 'notFound', 'invalid'],
  }),
} as const;
