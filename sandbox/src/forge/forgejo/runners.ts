import { registrationToken, removeRunner } from '../acts/runners.js';
import { registerRunner, runnerAt } from '../handlers/admin.js';
import { created, nothing, ok } from '../http/answer.js';
import { mustAdminister, repoOf } from '../http/guard.js';
import { list } from '../http/paging.js';
import { own } from './own.js';
import { runnerJson } from './render.js';

export const runnerRoutes = [
  own(15, 'GET /admin/actions/runners', ['visible', 'page', 'limit'], (call) =>
    list(call, [...call.state.runners.values()], (runner) => runnerJson(call.view, runner), { link: false }),
  ),

  own(15, 'GET /admin/actions/runners/{runner_id}', [], ({ state, params, view }) =>
    ok(runnerJson(view, runnerAt(state, params.runner_id))),
  ),

  own(15, 'DELETE /admin/actions/runners/{runner_id}', [], ({ state, params }) => {
    removeRunner(state, runnerAt(state, params.runner_id));
    return nothing;
  }),

  /** Meant to replace registration tokens: one answer has everything a runner needs. */
  own(15, 'POST /admin/actions/runners', [], ({ state, body }) => created(registerRunner(state, body()))),

  own(11, 'GET /admin/runners/registration-token', [], ({ state }) => ok({ token: registrationToken(state) })),

  own(15, 'GET /admin/actions/runners/registration-token', [], ({ state }) => ok({ token: registrationToken(state) })),

  own(11, 'GET /repos/{owner}/{repo}/actions/runners/registration-token', [], (call) => {
    mustAdminister(call, repoOf(call));
    return ok({ token: registrationToken(call.state) });
  }),
];
