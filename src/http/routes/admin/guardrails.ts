import {
  ChangeGuardrailRequest,
  CreateGuardrailRequest,
  GuardrailBody,
  GuardrailList,
  GuardrailReport,
  ReplayedGuardrail,
  ReplayGuardrailRequest,
  TestedGuardrail,
  TestGuardrailRequest,
} from '../../../contract/admin/guardrails.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import {
  changeGuardrail,
  createGuardrail,
  findGuardrail,
  guardrailToTry,
  listGuardrails,
  readableGuardrail,
  removeGuardrail,
} from '../../../tenants/guardrails/manage-guardrails.ts'
import Type from '../../../base/schema/type.ts'
import { closed } from '../../../base/schema/fields.ts'
import { keptCalls } from '../../../calls/contents/kept-calls.ts'
import { LINE_FILTERS } from '../../../contract/admin/line-filters.ts'
import { replayGuardrail } from '../../../endpoints/guardrails/replay-guardrail.ts'
import { reportGuardrail } from '../../../money/billing/guardrail-report.ts'
import { readSpan } from './query/line-filter-query.ts'
import { tryGuardrail } from '../../../endpoints/guardrails/try-guardrail.ts'
import { consoleCaller } from '../../../tenants/access/console-caller.ts'
import { askedBy } from '../../admin/admin-auth.ts'
import { paging } from '../../admin/paging.ts'
import { CSV_FORMAT, listOrCsv, listReplies } from '../../export/list-or-csv.ts'
import { route } from '../../define-route.ts'
import type { Route } from '../../route.ts'

const EVERYWHERE = 'Takes effect here at once, and in every other process within a few seconds.'
const OF_FILE = { description: 'The guardrail is in the config file.', schema: ErrorBody }
const INVALID = { description: 'The guardrail is not valid.', schema: ValidationErrorBody }
const NOT_FOUND = { description: 'There is no such guardrail.', schema: ErrorBody }

const create = route({
  method: 'POST',
  path: '/admin/guardrails',
  access: 'admin',
  permission: 'guardrails.write',
  summary: 'Create a guardrail',
  description: `All guardrails that apply to a call hold, and the strictest action wins. ${EVERYWHERE}`,
  body: CreateGuardrailRequest,
  replies: {
    201: { description: 'The guardrail.', schema: GuardrailBody },
    409: { description: 'There is a guardrail with this id.', schema: ErrorBody },
    422: INVALID,
  },
  handle: (request, _reply, services) => createGuardrail(request.body.value, askedBy(request, services.tenants)),
})

const list = route({
  method: 'GET',
  path: '/admin/guardrails',
  access: 'admin',
  permission: 'guardrails.read',
  summary: 'List guardrails',
  description: 'Those of the config file and of the admin API.',
  query: Type.Object({ ...paging, ...CSV_FORMAT }),
  replies: listReplies('A page of guardrails.', GuardrailList),
  handle: (request, reply, services) =>
    listOrCsv(request, reply, services.operations, {
      name: 'guardrails',
      schema: GuardrailList,
      read: (page) => listGuardrails(page, askedBy(request, services.tenants)),
    }),
})

const one = route({
  method: 'GET',
  path: '/admin/guardrails/{guardrail_id}',
  access: 'admin',
  permission: 'guardrails.read',
  summary: 'Get a guardrail',
  replies: { 200: { description: 'The guardrail.', schema: GuardrailBody }, 404: NOT_FOUND },
  handle: (request, _reply, services) => findGuardrail(request.params.guardrail_id, askedBy(request, services.tenants)),
})

const change = route({
  method: 'PATCH',
  path: '/admin/guardrails/{guardrail_id}',
  access: 'admin',
  permission: 'guardrails.write',
  summary: 'Change a guardrail',
  description: `Changes only what the body names; null removes a member. ${EVERYWHERE}`,
  body: ChangeGuardrailRequest,
  replies: {
    200: { description: 'The guardrail.', schema: GuardrailBody },
    404: NOT_FOUND,
    409: OF_FILE,
    422: INVALID,
  },
  handle: (request, _reply, services) => {
    const { params, body } = request
    return changeGuardrail({ id: params.guardrail_id, body: body.value }, askedBy(request, services.tenants))
  },
})

const remove = route({
  method: 'DELETE',
  path: '/admin/guardrails/{guardrail_id}',
  access: 'admin',
  permission: 'guardrails.write',
  summary: 'Delete a guardrail',
  description: EVERYWHERE,
  replies: { 204: { description: 'Deleted.' }, 404: NOT_FOUND, 409: OF_FILE },
  handle: async (request, _reply, services) => {
    await removeGuardrail(request.params.guardrail_id, askedBy(request, services.tenants))
  },
})

const tryOut = route({
  method: 'POST',
  path: '/admin/guardrails/test',
  access: 'admin',
  permission: 'guardrails.write',
  summary: 'Try a guardrail',
  description:
    'Checks a text as the guardrail would, in enforce mode and without its sample. Services outside of the gateway are asked. If a check asks a model, `project` pays, and the ledger has a line of the endpoint `universal` with the key `console`.',
  body: TestGuardrailRequest,
  replies: {
    200: { description: 'What would follow.', schema: TestedGuardrail },
    404: NOT_FOUND,
    422: INVALID,
  },
  handle: async (request, _reply, services) => {
    const { value } = request.body
    const guardrail = await guardrailToTry(value, askedBy(request, services.tenants))
    const payer = () =>
      consoleCaller({ project: value.project ?? undefined, kind: 'live' }, askedBy(request, services.calls))
    return await tryGuardrail(guardrail, value, { payer, services: services.calls })
  },
})

const report = route({
  method: 'GET',
  path: '/admin/guardrails/{guardrail_id}/report',
  access: 'admin',
  permission: 'guardrails.read',
  summary: 'Report what a guardrail did',
  description:
    'Calls by day, and what was found, from the ledger; of a guardrail in shadow mode, what it would have done. Only calls of what it applies to now are counted. Without `from`, it begins 30 days before `to`.',
  query: Type.Object({ from: LINE_FILTERS.from, to: LINE_FILTERS.to }, closed),
  replies: { 200: { description: 'The report.', schema: GuardrailReport }, 404: NOT_FOUND },
  handle: async (request, _reply, services) => {
    const guardrail = await readableGuardrail(request.params.guardrail_id, askedBy(request, services.tenants))
    return await reportGuardrail(guardrail, readSpan(request.query, services.money.now()), services.money)
  },
})

const replay = route({
  method: 'POST',
  path: '/admin/guardrails/replay',
  access: 'admin',
  permission: 'content.read',
  summary: 'Try a guardrail on kept contents',
  description:
    'What a guardrail would have done with the newest calls whose contents a project keeps: counts and ids of calls, and no text. Services and models are asked only with `ask`. The reading is in the audit log.',
  body: ReplayGuardrailRequest,
  replies: {
    200: { description: 'What would have followed.', schema: ReplayedGuardrail },
    404: {
      description: 'There is no such guardrail or project, or you may not read all contents of the project.',
      schema: ErrorBody,
    },
    503: { description: 'Two replays are running. Try again shortly.', schema: ErrorBody },
    422: INVALID,
  },
  handle: async (request, _reply, services) => {
    const { value } = request.body
    const { project, ask } = value
    const guardrail = await guardrailToTry(value, askedBy(request, services.tenants))
    const { db, secrets, files } = services.tenants
    const reader = askedBy(request, { db, secrets, blobs: files.blobs })
    const kept = await keptCalls({ project, calls: value.calls ?? REPLAYED_CALLS, for: guardrail.id }, reader)
    const payer = () => consoleCaller({ project, kind: 'live' }, askedBy(request, services.calls))
    return await replayGuardrail(guardrail, { kept, ask, payer, services: services.calls })
  },
})

const REPLAYED_CALLS = 50

export const guardrailRoutes: readonly Route[] = [create, list, tryOut, replay, report, one, change, remove]
