import { z } from 'zod';
import { askingField, type Needed } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';
import type { Api } from '../../forge/index.js';

const most = 500;

/** By id or by name; the command receives the id. */
export function runner(): Needed<string, number> {
  return askingField<string, number>(
    {},
    {
      label: 'Runner',
      placeholder: 'id|name',
      input: { kind: 'text', max: 255 },
      schema: z.string().min(1).max(255),
      read: (text) => {
        const name = text.trim();
        if (name === '' || name.length > 255) throw new UserError('Write the runner’s ID or name.');
        return name;
      },
      show: (value) => value,
      resolve: (value, { api }) => (/^\d{1,15}$/.test(value) ? Number(value) : named(value, api)),
    },
  );
}

async function named(name: string, api: Api): Promise<number> {
  const found = [];
  for await (const each of api.admin.listRunners.each({}, { max: most })) {
    if (each.name.toLowerCase() === name.toLowerCase()) found.push(each.id);
  }
  const [id, ...others] = found;
  if (id === undefined) throw new UserError(`I can’t find the runner ${name}. See /forge runner list.`);
  if (others.length === 0) return id;
  throw new UserError(`Several runners are called ${name}: ${found.join(', ')}. Use an ID instead.`);
}
