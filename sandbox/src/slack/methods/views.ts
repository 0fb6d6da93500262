import { noteMentions, tooLarge } from '../content.js';
import type { Core } from '../core.js';
import type { Obj } from '../json.js';
import type { View } from '../model.js';
import { sizes } from '../rules/limits.js';
import { viewIssues } from '../rules/surface.js';
import { SlackError, withIssues } from '../slack-error.js';
import { viewWire } from '../wire.js';
import type { Method, MethodCall } from './method.js';

/** The checks for every view, including one in an acknowledgement. */
export function checkView(core: Core, payload: Obj | undefined, type: View['type'], where: string): Obj {
  if (payload === undefined) throw new SlackError('invalid_arguments');
  if (Buffer.byteLength(JSON.stringify(payload)) > sizes.viewBytes) throw tooLarge(core, where, 'view_too_large');
  const issues = viewIssues(payload);
  if (payload['type'] !== type) issues.push({ pointer: '/view/type', message: `must be one of: ${type}` });
  if (issues.length > 0) {
    core.failures.note('invalid_blocks', `${where}: ${JSON.stringify(issues)}`);
    throw withIssues('invalid_arguments', issues);
  }
  noteMentions(core, where, { blocks: payload['blocks'] });
  return payload;
}

const read = ({ core, args }: MethodCall, type: View['type'], where: string): Obj =>
  checkView(core, args.object('view', 'invalid_arguments'), type, where);

/** External ids are unique in the whole team; a view may keep its own. */
export function checkExternalId(core: Core, payload: Obj, except?: View): void {
  const id = payload['external_id'];
  if (id === undefined || id === '') return;
  const taken = core.space.views.find((view) => view.externalId === id);
  if (taken !== undefined && taken.id !== except?.id) throw new SlackError('duplicate_external_id');
}

const trigger = ({ core, args }: MethodCall) =>
  core.triggers.exchange(args.text('trigger_id') ?? args.required('interactivity_pointer'));

const shown = (core: Core, view: View): Obj => ({ view: viewWire(view, core.space) });

function open(call: MethodCall): Obj {
  const { core } = call;
  const payload = read(call, 'modal', 'views.open');
  checkExternalId(core, payload);
  return shown(core, core.space.views.open(trigger(call).user, payload));
}

function push(call: MethodCall): Obj {
  const { core } = call;
  const payload = read(call, 'modal', 'views.push');
  checkExternalId(core, payload);
  const { user, fromView } = trigger(call);
  const depth = core.space.views.stack(user).length;
  if (!fromView || depth === 0) throw new SlackError('invalid_trigger_id');
  if (depth >= sizes.modalStack) throw new SlackError('push_limit_reached');
  return shown(core, core.space.views.push(user, payload));
}

function update(call: MethodCall): Obj {
  const { core, args } = call;
  const id = args.text('view_id');
  const externalId = args.text('external_id');
  if (id === undefined && externalId === undefined) throw new SlackError('invalid_arguments');
  const view = core.space.views.find((each) => (id === undefined ? each.externalId === externalId : each.id === id));
  const payload = read(call, view?.type ?? 'modal', 'views.update');
  if (view === undefined) throw new SlackError('not_found');
  const hash = args.text('hash');
  if (hash !== undefined && hash !== view.hash) throw new SlackError('hash_conflict');
  checkExternalId(core, payload, view);
  return shown(core, core.space.views.update(view, payload));
}

function publish(call: MethodCall): Obj {
  const { core, args } = call;
  const payload = read(call, 'home', 'views.publish');
  const user = core.space.users.get(args.required('user_id'));
  if (user === undefined) throw new SlackError('invalid_arguments');
  if (user.deleted || user.isBot) throw new SlackError('not_enabled');
  const hash = args.text('hash');
  const present = core.space.views.home(user.id);
  if (hash !== undefined && present !== undefined && hash !== present.hash) throw new SlackError('hash_conflict');
  checkExternalId(core, payload, present);
  return shown(core, core.space.views.publish(user.id, payload));
}

export const views: Record<string, Method> = {
  'views.open': { tier: 'four', run: open },
  'views.push': { tier: 'four', run: push },
  'views.update': { tier: 'four', run: update },
  'views.publish': { tier: 'four', run: publish },
};
