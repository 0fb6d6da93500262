import type { Agent } from '../../store/index.js';
import { when } from '../../view/look.js';
import { channel, md, type Value } from '../../view/text.js';

/** What an agent may do, where, how fast and until when. */
export function agentFacts(agent: Agent, now: Date): (Value | undefined)[] {
  const expired = agent.expiresAt <= now.getTime();
  return [
    agent.may.join(', '),
    agent.repos.length === 0 ? 'every repository you can use' : agent.repos.join(', '),
    `${agent.pace} calls per minute`,
    agent.channel === null ? undefined : md`asks for approval in ${channel(agent.channel)}`,
    md`${expired ? 'expired' : 'expires'} ${when(agent.expiresAt, { now }) ?? 'soon'}`,
  ];
}
