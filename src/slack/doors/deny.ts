import type { View } from '@slack/types';
import { z } from 'zod';
import { type ActJob, jobIdOf } from '../../chat/act-job.js';
import { input, section } from '../../view/blocks.js';
import { modal, textInput } from '../../view/form.js';
import { md } from '../../view/text.js';
import { type DoorDeps, personOf, refusalOf } from '../door-deps.js';
import type { ViewAck, ViewSubmission } from '../payloads.js';
import { openView, readSigned, signForm } from './form.js';

export const denyCallback = 'deny';
const reason = 'reason';

const Meta = z.strictObject({
  approval: z.string().min(1).max(64),
  channel: z.string().min(1).max(30).optional(),
  responseUrl: z.url().max(1000).optional(),
});
type Meta = z.infer<typeof Meta>;

const Written = z.object({ reason: z.object({ reason: z.object({ value: z.string().max(500).nullish() }) }) });

/** Asks for an optional reason; the request stays open until this form is submitted. */
export async function openDeny(deps: DoorDeps, user: string, triggerId: string, meta: Meta): Promise<void> {
  const why = textInput({ action: reason, multiline: true, max: 500 });
  const view: View = modal({
    title: 'Deny request',
    submit: 'Deny',
    callbackId: denyCallback,
    privateMetadata: JSON.stringify(meta),
    blocks: [
      section(md`The requester and everyone who can see the card will see your reason.`),
      input({ id: reason, label: 'Reason', element: why, optional: true }),
    ],
  });
  const signed = signForm(view, deps.services.store.seal, personOf(deps, user));
  await openView(deps, deps.client.views.open({ trigger_id: triggerId, view: signed }), 'Click Deny again.');
}

export async function onDeny(deps: DoorDeps, { view, user }: ViewSubmission): Promise<ViewAck | undefined> {
  const person = personOf(deps, user.id);
  const meta = metaIn(readSigned(view.private_metadata, deps.services.store.seal, person));
  if (!meta) return undefined;
  const note = Written.safeParse(view.state?.values).data?.reason.reason.value?.trim();
  const job: ActJob = {
    v: 1,
    kind: 'decision',
    approval: meta.approval,
    verdict: 'deny',
    ...(note ? { note } : {}),
    person,
    ...(meta.channel === undefined ? {} : { channel: meta.channel }),
    answer: meta.responseUrl === undefined ? {} : { responseUrl: meta.responseUrl },
    acceptedAt: deps.services.now().getTime(),
  };
  const refused = refusalOf(await deps.accept(job, jobIdOf('v', view.id, view.hash ?? '')));
  return refused ? { kind: 'errors', errors: { [reason]: refused.text } } : { kind: 'close' };
}

function metaIn(text: string | undefined): Meta | undefined {
  return text === undefined ? undefined : Meta.safeParse(JSON.parse(text)).data;
}
