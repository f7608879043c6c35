import type { Caller } from '../../tenants/access/caller.ts'
import type { Labels } from '../../calls/labels.ts'
import type { Clock } from '../../platform/ground.ts'
import { newCall } from '../../calls/call.ts'
import type { CallTrace } from '../../calls/call-trace.ts'
import { submitAnswer } from '../../endpoints/tool-loop/answer-chat.ts'
import type { ResponseObject } from '../../contract/responses.ts'
import { emptyResponse } from '../../translation/formats/responses/response-object.ts'
import { withDigits } from '../../translation/json/exact-numbers.ts'
import { demandJobRoom } from '../demand-room.ts'
import type { JobServices } from '../job-services.ts'
import { RESPONSES } from '../../platform/store/jobs/jobs.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import { submitResponse } from '../../platform/store/responses/background.ts'
import type { ResponseRequest } from '../../endpoints/responses/stored-response.ts'
import { uuidOf } from '../../endpoints/responses/response-ids.ts'
import { nativeCall, viewOf } from '../../endpoints/responses/response-request.ts'

/** What the job needs. `wantsMetadata`: the caller asked for the `gatehouse` object. `submittedBy`: the span that submitted it. */
export type BackgroundJob = {
  request: ResponseRequest
  caller: Caller
  wantsMetadata: boolean
  labels: Labels
  submittedBy?: string
  /** Limits that counted the submission. */
  countedBy?: readonly string[]
}

/** Stores a response that is to be made in the background. A request that is not valid is refused now. */
export async function submitInBackground(
  job: BackgroundJob,
  services: JobServices,
  trace?: CallTrace | undefined,
): Promise<ResponseObject> {
  const { request, caller } = job
  const { calls } = services
  const { endUser } = job.labels
  await demandJobRoom(caller.owner, JSON.stringify(request).length, services)
  const { target, countedBy } = await submitAnswer(
    nativeCall(request, caller, calls),
    checkedCall(job, services),
    calls,
  )
  const view = viewOf({ ...request, exact: {} })
  const response: ResponseObject = { ...emptyResponse(view, request.body.model, request.receivedAt), status: 'queued' }
  const about = { id: uuidOf(request.id), ...ownerOf(caller), keyId: caller.keyId, endUser }
  const named = { feature: RESPONSES, subfeature: 'background', provider: target.provider.id, model: target.id }
  const unused = { showOriginal: false, webhook: null, userParameters: null, idempotency: null }
  const shell = JSON.stringify({ response, exact: request.exact })
  const isStreamed = request.body.stream === true
  const submittedBy = trace && calls.tracing?.submitted(trace, { id: about.id, name: RESPONSES })
  const stored = { ...job, countedBy, ...(submittedBy && { submittedBy }) }
  await submitResponse(services.db, { ...about, ...named, ...unused, request: stored }, { shell, isStreamed })
  services.background.current?.wakeWorker()
  return withDigits(response, request.exact)
}

/** A call that nothing is sent for. */
function checkedCall({ caller, wantsMetadata, request, labels }: BackgroundJob, { monotonic }: Clock) {
  const { signal } = new AbortController()
  return newCall({
    id: request.id,
    caller,
    endpoint: 'chat',
    startedAt: monotonic(),
    signal,
    wantsMetadata,
    labels,
  })
}
