import type { AgentDoor } from './door.js';

/** Answers the requests of one agent. */
export type AgentAnswers = (request: Request, body: unknown) => Promise<Response>;

/** Undefined if the token is invalid. The protocol is loaded when the first agent connects. */
export const openDoor =
  (door: AgentDoor) =>
  async (token: string): Promise<AgentAnswers | undefined> => {
    const agent = await door.whose(token);
    if (!agent) return undefined;
    const { answerRequest } = await import('./server.js');
    return (request, body) => answerRequest(door, agent, request, body);
  };
