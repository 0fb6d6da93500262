import { randomUUID } from 'node:crypto';
import type { Context } from '../../chat/context.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import { plainJson } from '../../store/index.js';
import { say } from '../../view/message.js';
import { channel, type Mrkdwn, md, mention } from '../../view/text.js';
import type { Named } from './titles.js';

/** Notifies a subscription's owner of every change to it. */
export async function tell(
  owner: string,
  { sub, title }: Named,
  what: Mrkdwn,
  { person, slack, store, log }: Context,
): Promise<void> {
  if (owner === person.user) return;
  try {
    const place = { team: person.team, channel: await slack.directMessage(owner) };
    const message = say(
      md`${mention(person.user)} ${what} ${title} in ${channel(sub.place.channel)}, a subscription you own.`,
    );
    const body: MessageDelivery = { type: 'message', message };
    await store.outbox.append(place, [{ id: `notice:${randomUUID()}`, body: plainJson(body) }]);
  } catch (error) {
    // a person who left Slack cannot be notified, and that must not stop the others
    log.warn({ user: owner, reason: String(error) }, 'could not notify a subscription’s owner');
  }
}
