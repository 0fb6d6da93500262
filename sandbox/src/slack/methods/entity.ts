import type { Core, SharedLinks } from '../core.js';
import { asObj, asObjects, asText, type Obj } from '../json.js';
import { Check, type Issue } from '../rules/check.js';
import { entity } from '../rules/entity.js';
import { SlackError, withIssues } from '../slack-error.js';
import type { Method, MethodCall } from './method.js';

function checked(core: Core, where: string, given: Obj, posted: boolean): Obj {
  const issues: Issue[] = [];
  entity(new Check(given, '/metadata', issues), posted);
  if (issues.length === 0) return given;
  const error = withIssues('invalid_metadata', issues);
  core.failures.note('invalid_blocks', `${where}: ${JSON.stringify(error.extra['response_metadata'])}`);
  throw error;
}

/** What chat.unfurl shows instead of blocks, by address. */
export function unfurledEntities({ core, args }: MethodCall, links: SharedLinks): Record<string, Obj> | undefined {
  const metadata = args.object('metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  if (!core.app.workObjects) throw new SlackError('feature_not_enabled');
  const entities = asObjects(metadata['entities']).map((each) => checked(core, 'chat.unfurl', each, true));
  return Object.fromEntries(
    entities.map((each) => {
      const url = asText(each['app_unfurl_url']);
      if (!links.urls.includes(url)) throw new SlackError('cannot_unfurl_url');
      return [url, { entity: each }];
    }),
  );
}

function present({ core, args }: MethodCall): Obj {
  const { user } = core.triggers.exchange(args.required('trigger_id', 'invalid_trigger_id'));
  const metadata = args.object('metadata', 'invalid_metadata_format');
  const error = args.object('error', 'invalid_arguments');
  if (metadata === undefined && error === undefined) throw new SlackError('invalid_arguments');
  if (metadata !== undefined) checked(core, 'entity.presentDetails', metadata, false);
  core.details.set(user, metadata === undefined ? { error: asObj(error) } : { entity: metadata });
  core.changes.tell({ kind: 'view', user });
  return {};
}

export const entities: Record<string, Method> = {
  'entity.presentDetails': { tier: 'three', run: present },
};
