import type { LimitKind } from '../../../platform/config/spend-limits/limit.ts'
import {
  ChangeBudgetRequest,
  ChangeRateLimitRequest,
  CreateBudgetRequest,
  CreateRateLimitRequest,
  LimitBody,
  LimitList,
  ReleasedLeases,
} from '../../../contract/admin/limits.ts'
import { SimulateBudgetRequest, SimulateRateLimitRequest, Simulation } from '../../../contract/admin/simulation.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import {
  changeLimit,
  createLimit,
  releaseLeases,
  removeLimit,
  resetLimit,
} from '../../../money/limits/manage-limits.ts'
import { findLimit, listLimits } from '../../../money/limits/show-limits.ts'
import { simulateLimit } from '../../../money/limits/simulate.ts'
import Type from '../../../base/schema/type.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'
import { paging } from '../../admin/paging.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const OF_FILE = { description: 'The limit is in the config file.', schema: ErrorBody }
const INVALID = { description: 'The limit is not valid.', schema: ValidationErrorBody }

type Kind = { kind: LimitKind; path: '/admin/budgets' | '/admin/rate-limits'; word: string }
type Created = typeof CreateBudgetRequest | typeof CreateRateLimitRequest
type Changed = typeof ChangeBudgetRequest | typeof ChangeRateLimitRequest
type Simulated = typeof SimulateBudgetRequest | typeof SimulateRateLimitRequest

const BUDGETS: Kind = { kind: 'budget', path: '/admin/budgets', word: 'budget' }
const RATE_LIMITS: Kind = { kind: 'rate_limit', path: '/admin/rate-limits', word: 'rate limit' }

export const budgets: readonly Route[] = [
  ...routesOf(BUDGETS, CreateBudgetRequest, ChangeBudgetRequest),
  simulate(BUDGETS, SimulateBudgetRequest),
]
export const rateLimits: readonly Route[] = [
  ...routesOf(RATE_LIMITS, CreateRateLimitRequest, ChangeRateLimitRequest),
  simulate(RATE_LIMITS, SimulateRateLimitRequest),
]

function routesOf(of: Kind, created: Created, changed: Changed): Route[] {
  return [create(of, created), list(of), one(of), change(of, changed), remove(of), release(of), reset(of)]
}

function create({ kind, path, word }: Kind, body: Created) {
  return route({
    method: 'POST',
    path,
    access: 'admin',
    permission: 'limits.write',
    summary: `Create a ${word}`,
    description: `A call needs room in all limits that apply to it. ${EVERYWHERE}`,
    body,
    replies: {
      201: { description: `The ${word}.`, schema: LimitBody },
      409: { description: 'There is a limit with this id.', schema: ErrorBody },
      422: INVALID,
    },
    handle: (request, _reply, services) => createLimit(kind, request.body.value, askedBy(request, services.money)),
  })
}

function list({ kind, path, word }: Kind) {
  return route({
    method: 'GET',
    path,
    access: 'admin',
    permission: 'limits.read',
    summary: `List ${word}s`,
    description: 'Those of the config file and of the admin API, with the amount spent.',
    query: Type.Object({ ...paging, ...CSV_FORMAT }),
    replies: listReplies(`A page of ${word}s.`, LimitList),
    handle: (request, reply, services) =>
      listOrCsv(request, reply, services.operations, {
        name: path.slice('/admin/'.length),
        schema: LimitList,
        read: (page) => listLimits(kind, page, askedBy(request, services.money)),
      }),
  })
}

function one({ kind, path, word }: Kind) {
  return route({
    method: 'GET',
    path: `${path}/{limit_id}`,
    access: 'admin',
    permission: 'limits.read',
    summary: `Get a ${word}`,
    description: 'With the amount spent.',
    replies: { 200: { description: `The ${word}.`, schema: LimitBody }, 404: notFound(word) },
    handle: (request, _reply, services) => findLimit(kind, request.params.limit_id, askedBy(request, services.money)),
  })
}

function change({ kind, path, word }: Kind, body: Changed) {
  return route({
    method: 'PATCH',
    path: `${path}/{limit_id}`,
    access: 'admin',
    permission: 'limits.write',
    summary: `Change a ${word}`,
    description: `Changes only what the body names; null removes a member. The amount spent stays. ${EVERYWHERE}`,
    body,
    replies: {
      200: { description: `The ${word}.`, schema: LimitBody },
      404: notFound(word),
      409: OF_FILE,
      422: INVALID,
    },
    handle: (request, _reply, services) => {
      const { params, body } = request
      return changeLimit(kind, { id: params.limit_id, body: body.value }, askedBy(request, services.money))
    },
  })
}

function remove({ kind, path, word }: Kind) {
  return route({
    method: 'DELETE',
    path: `${path}/{limit_id}`,
    access: 'admin',
    permission: 'limits.write',
    summary: `Delete a ${word}`,
    description: EVERYWHERE,
    replies: { 204: { description: 'Deleted.' }, 404: notFound(word), 409: OF_FILE },
    handle: async (request, _reply, services) => {
      await removeLimit(kind, request.params.limit_id, askedBy(request, services.money))
    },
  })
}

function release({ kind, path, word }: Kind) {
  return route({
    method: 'POST',
    path: `${path}/{limit_id}/release`,
    access: 'admin',
    permission: 'limits.write',
    summary: `Release stuck reservations of a ${word}`,
    description:
      'A process that was killed may have spent its reservations. They stay reserved (`lost`) until you release them here.',
    replies: { 200: { description: 'The released amount.', schema: ReleasedLeases }, 404: notFound(word) },
    handle: (request, _reply, services) =>
      releaseLeases(kind, request.params.limit_id, askedBy(request, services.money)),
  })
}

function reset({ kind, path, word }: Kind) {
  return route({
    method: 'POST',
    path: `${path}/{limit_id}/reset`,
    access: 'admin',
    permission: 'limits.write',
    summary: `Reset a ${word}`,
    description:
      'Sets the amount spent in the current window to zero. The window does not move, and the ledger does not change.',
    replies: { 200: { description: `The ${word}.`, schema: LimitBody }, 404: notFound(word) },
    handle: (request, _reply, services) => resetLimit(kind, request.params.limit_id, askedBy(request, services.money)),
  })
}

function simulate({ kind, path, word }: Kind, body: Simulated) {
  return route({
    method: 'POST',
    path: `${path}/simulate`,
    access: 'admin',
    permission: 'limits.read',
    summary: `Simulate a ${word}`,
    description:
      'Replays the ledger: what the limit would have refused or clamped, when, and for whom. Calls count with what they really used; a real ' +
      'limit reserves the most that a call may use, so it refuses the last calls of a window a little earlier.',
    body,
    replies: { 200: { description: 'What the limit would have done.', schema: Simulation }, 422: INVALID },
    handle: (request, _reply, services) => simulateLimit(kind, request.body.value, askedBy(request, services.money)),
  })
}

function notFound(word: string) {
  return { description: `There is no such ${word}.`, schema: ErrorBody }
}
