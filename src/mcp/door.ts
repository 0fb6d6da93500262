import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Accept, jobIdOf } from '../chat/act-job.js';
import { atLeast, refuseRole } from '../chat/admit.js';
import { agentsOff, agentTrouble, mayCall } from '../chat/agent.js';
import { stateOf } from '../chat/approval/card.js';
import type { AnyCommand, Catalog } from '../chat/command.js';
import { commandJob } from '../chat/command-job.js';
import { inWords } from '../chat/explain.js';
import type { Reading } from '../chat/fields.js';
import type { Entry } from '../chat/runtime.js';
import type { Services } from '../chat/session.js';
import { readToolArgs, type Tool, toolName, toolOf } from '../chat/tool.js';
import { reasonOf, UserError } from '../errors.js';
import type { Agent, Approval, Store } from '../store/index.js';
import { describeElapsed } from '../view/when.js';

export const statuses = [
  'done',
  'failed',
  'refused',
  'running',
  'unknown',
  'waiting_for_approval',
  'denied',
  'withdrawn',
  'expired',
] as const;

/** The state of a call, as far as known. */
export interface Outcome {
  readonly status: (typeof statuses)[number];
  /** For asking later; absent if nothing was accepted. */
  readonly request?: string;
  /** The answer as text; may contain anything the forge or people wrote. */
  readonly text: string;
  readonly next?: Readonly<Record<string, unknown>> | undefined;
}

/** Only for this agent's own calls; undefined for any other. */
async function outcomeOf(store: Store, agent: Pick<Agent, 'id'>, id: string): Promise<Outcome | undefined> {
  const [call, approval] = await Promise.all([store.calls.get({ id, agent: agent.id }), store.approvals.get(id)]);
  // the answer given at request time is outdated once it is decided
  if (approval && approval.agent?.id === agent.id && call?.state !== 'running')
    return { request: id, ...describeDecision(approval) };
  return call && { request: id, status: call.state, text: call.text, next: call.next };
}

const waiting = 'Waiting for approval in Slack. Nothing has run yet.';

function describeDecision(approval: Approval): Pick<Outcome, 'status' | 'text'> {
  const state = stateOf(approval);
  const text = approval.decisions.find(({ verdict }) => verdict === 'deny')?.note ?? approval.result?.summary ?? '';
  switch (state) {
    case 'pending':
      return { status: 'waiting_for_approval', text: waiting };
    case 'running':
      return { status: 'running', text: 'Approved, and running now.' };
    case 'changed':
      return { status: 'refused', text };
    case 'denied':
      return { status: 'denied', text: text || 'Denied.' };
    case 'withdrawn':
      return { status: 'withdrawn', text: 'The person this agent acts for withdrew it.' };
    case 'expired':
      return { status: 'expired', text: 'Nobody decided in time, so it was not run.' };
    default:
      return { status: state, text };
  }
}

/** A person's own commands run alongside their agent's. */
const atOnce = 2;
const mostWaiting = 20;
const mostInAll = 200;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** @internal Runs each agent's calls in order, two at a time; a call behind too long a queue is refused. */
export function createTurns() {
  const lines = new Map<string, Line>();
  let all = 0;

  return async <T>(agent: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(agent) ?? { running: 0, waiting: [] };
    if (line.waiting.length >= mostWaiting || all >= mostInAll)
      throw new UserError('Too many calls are waiting. Wait for some of them to end, then try again.');
    lines.set(agent, line);
    all += 1;
    try {
      // a finished call passes on its slot
      if (line.running >= atOnce) await new Promise<void>((resolve) => line.waiting.push(resolve));
      else line.running += 1;
      return await work();
    } finally {
      all -= 1;
      const next = line.waiting.shift();
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) lines.delete(agent);
    }
  };
}

interface AgentDoorDeps {
  readonly services: Services;
  readonly catalog: Catalog;
  /** The only workspace served. */
  readonly team: string;
  /** What is known about this person: `today` depends on their time zone. */
  reading(user: string): Promise<Reading>;
  readonly accept: Accept;
  record(entry: Entry): Promise<void>;
  /** What this server is known to lack, as last read. */
  lacks(command: AnyCommand): boolean;
}

/** Agents' calls go the usual way: parsed, admitted, stored, run by a worker; only the answer is awaited here. */
export type AgentDoor = ReturnType<typeof createAgentDoor>;

type Given = Readonly<Record<string, unknown>>;

/** After this, the answer is an id to ask with later. */
const patienceMs = 20_000;
const lookEveryMs = 100;

export function createAgentDoor(deps: AgentDoorDeps) {
  const { services, catalog } = deps;
  const { store } = services;
  const inTurn = createTurns();

  const personOf = ({ team, user }: Agent) => ({ team, user });
  const commandsFor = (agent: Agent): AnyCommand[] => {
    const role = services.roles.of(personOf(agent));
    return catalog.all.filter(
      (command) => mayCall(agent, command) && atLeast(role, command.role) && !deps.lacks(command),
    );
  };

  /** Counted first, so that a refusal costs as much as a call. */
  async function refusePace({ id, pace }: Agent): Promise<void> {
    // half at once and half over a minute: never more than `pace` in any minute
    const [burst, steady] = [Math.ceil(pace / 2), Math.max(1, Math.floor(pace / 2))];
    const wait = await store.pace.take(`agent-${id}`, { intervalMs: 60_000 / steady, burst });
    if (wait === 0) return;
    throw new UserError(
      `This agent is limited to ${pace} calls per minute. Try again in ${describeElapsed(Math.ceil(wait / 1_000) * 1_000)}.`,
    );
  }

  async function admit(agent: Agent, name: string, given: Given) {
    const command = catalog.all.find((each) => toolName(each) === name);
    if (!command || !toolOf(command) || !mayCall(agent, command))
      throw new UserError(`This agent can’t use ${name.slice(0, 60)}.`);
    const trouble = agentTrouble(agent, await store.accounts.get(personOf(agent)), services);
    if (trouble !== undefined) throw new UserError(trouble);
    refuseRole(command, services.roles.of(personOf(agent)));
    return { command, ...readToolArgs(command, given, await deps.reading(agent.user)) };
  }

  /** Only the requested name, without arguments: nobody knows which of them are secret. */
  const recordRefusal = (agent: Agent, name: string, detail: string) =>
    deps.record({
      person: personOf(agent),
      agent: { id: agent.id, name: agent.name },
      login: agent.login,
      command: name.replaceAll('_', ' ').slice(0, 60),
      args: {},
      operations: [],
      outcome: 'refused',
      detail,
      durationMs: 0,
    });

  async function start(agent: Agent, name: string, given: Given): Promise<string> {
    const { command, args, dryRun } = await admit(agent, name, given);
    const id = jobIdOf('g', agent.id, randomUUID());
    const call = { id, agent: agent.id };
    await store.calls.put(call, { state: 'running', text: '' });
    const job = commandJob(services, command, {
      args,
      dryRun,
      source: 'agent',
      person: personOf(agent),
      agent: { id: agent.id, name: agent.name },
      channel: agent.channel ?? undefined,
      answer: { call },
    });
    if ((await deps.accept(job, id)) === 'accepted') return id;
    throw new UserError('Could not queue this call, so nothing ran. Try again in a minute.');
  }

  /** Waits until it is over or the caller's time is up; accepted work is never reported as refused. */
  async function awaitEnd(agent: Agent, id: string): Promise<Outcome> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      const outcome = await outcomeOf(store, agent, id).catch(() => undefined);
      if (outcome && outcome.status !== 'running') return outcome;
      await pause(lookEveryMs);
    }
    return { status: 'running', request: id, text: 'Still running. Ask for the result with request_status.' };
  }

  return {
    off: services.policy.agents ? undefined : agentsOff,

    /** Read anew for each request, so that a revoked token fails at once; other workspaces have no agents here. */
    async whose(token: string): Promise<Agent | undefined> {
      const agent = await store.agents.byToken(token);
      return agent?.team === deps.team ? agent : undefined;
    },

    tools: (agent: Agent): Tool[] => commandsFor(agent).flatMap((command) => toolOf(command) ?? []),

    async call(agent: Agent, name: string, given: Given): Promise<Outcome> {
      try {
        await refusePace(agent);
      } catch (error) {
        return failure(error);
      }
      try {
        await store.agents.recordUse(agent.id);
        return await inTurn(agent.id, async () => awaitEnd(agent, await start(agent, name, given)));
      } catch (error) {
        const outcome = failure(error);
        await recordRefusal(agent, name, outcome.text).catch(() =>
          services.log.error('could not record a refused call'),
        );
        return outcome;
      }
    },

    async status(agent: Agent, id: string): Promise<Outcome> {
      try {
        await refusePace(agent);
        const found = await outcomeOf(store, agent, id);
        if (!found) throw new UserError('This agent made no such request, or it was more than a day ago.');
        return found;
      } catch (error) {
        return failure(error);
      }
    },
  };

  function failure(error: unknown): Outcome {
    if (error instanceof UserError) return { status: 'refused', text: inWords(error, services.slash) };
    services.log.warn({ reason: reasonOf(error) }, 'could not accept an agent call');
    return { status: 'refused', text: 'Could not take this call, so nothing ran. Try again in a minute.' };
  }
}
