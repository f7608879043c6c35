import { demandStillAllowed } from '../../tenants/access/policy-of-today.ts'
import { type Call, type CallStart, newCall } from '../../calls/call.ts'
import { followExecution, lineOfExecution } from '../../calls/close-call.ts'
import { keepAnswer } from '../../calls/content-draft.ts'
import { answerChat } from '../../endpoints/tool-loop/answer-chat.ts'
import { Problem } from '../../contract/problems.ts'
import type { ResponseObject } from '../../contract/responses.ts'
import { emptyResponse, fromCompletion } from '../../translation/formats/responses/response-object.ts'
import { namedItems } from '../../translation/formats/responses/stored/item-names.ts'
import { openRequest } from '../open-request.ts'
import { interruptedTools, ToolNotebook, type ToolNotes } from '../tool-notes.ts'
import type { JobOutcome } from '../job-outcome.ts'
import type { Execute } from '../run-job.ts'
import type { JobServices } from '../job-services.ts'
import { type ClaimedJob, type FinishedRun, JsonText } from '../../platform/store/jobs/job-runs.ts'
import { appendWithJob } from '../../platform/store/responses/conversations.ts'
import { turnAddition } from '../../endpoints/responses/conversations.ts'
import type { ResponseRequest } from '../../endpoints/responses/stored-response.ts'
import { hexOf } from '../../endpoints/responses/response-ids.ts'
import { conversationOf, nativeCall, viewOf } from '../../endpoints/responses/response-request.ts'
import type { BackgroundJob } from './submit.ts'
import { streamInBackground } from './write-events.ts'

/**
 * Makes a response in the background. Its ledger line, its result and what it adds to its conversation are written together,
 * with the end of the job.
 */
export function executeResponse(current: () => JobServices): Execute {
  return async (job, { signal, saveTicket, keepLine, whenEnded }) => {
    const memory = current().calls.memory.lease(job.owner)
    try {
      const backgroundJob = await openRequest<BackgroundJob>(job, { memory, signal, services: current().calls })
      const services = current()
      const { calls } = services
      const trace = calls.tracing?.claimed({ ...job, name: job.feature, submittedBy: backgroundJob.submittedBy })
      const content = calls.contents.begin(backgroundJob.caller, backgroundJob.request.body)
      const startedAt = calls.monotonic()
      const beforeToolCall = new ToolNotebook(saveTicket).add
      const call = callOf(job, backgroundJob, { signal, memory, startedAt, trace, content, beforeToolCall })
      keepLine((endsJob) => lineOfExecution(call, calls, endsJob), followExecution(call, job.attempt, calls))
      whenEnded(() => calls.contents.ended(call))
      return await respond({ job, backgroundJob, call, services })
    } finally {
      memory.close()
    }
  }
}

type Run = { job: ClaimedJob; backgroundJob: BackgroundJob; call: Call; services: JobServices }

function callOf(
  job: ClaimedJob,
  { caller, wantsMetadata, labels, countedBy }: BackgroundJob,
  rest: Pick<CallStart, 'signal' | 'memory' | 'startedAt' | 'trace' | 'content' | 'beforeToolCall'>,
): Call {
  return newCall({
    id: job.id,
    caller,
    endpoint: 'chat',
    wantsMetadata,
    labels,
    countedBy,
    isJob: true,
    format: 'responses',
    ...rest,
  })
}

async function respond({ job, backgroundJob, call, services }: Run): Promise<JobOutcome> {
  const { request, caller } = backgroundJob
  const { calls } = services
  try {
    if (job.ticket != null) throw interruptedTools('this response', job.ticket as ToolNotes)
    demandStillAllowed(caller, 'chat')
    const native = nativeCall(request, caller, calls)
    const response = request.body.stream
      ? await streamInBackground({ job, request, native, call, services })
      : fromCompletion(await answerChat(native, call, calls), viewOf({ ...request, exact: {} }))
    if (call.record.content) keepAnswer(call.record.content, response)
    return success(response, { job, backgroundJob, call, services })
  } catch (error) {
    return failed(error, { job, backgroundJob, call, services })
  }
}

function success(response: ResponseObject, { job, backgroundJob, call, services }: Run): JobOutcome {
  const { request } = backgroundJob
  return {
    status: 'success',
    output: resultOf(response, request),
    provider: call.record.provider ?? job.provider,
    model: call.record.model ?? job.model,
    also: turnOf(response, { job, backgroundJob, call, services }),
  }
}

/** A Problem becomes the response's error, which its owner may read. Any other error is left to the worker. */
function failed(error: unknown, { job, backgroundJob: { request }, call }: Run): JobOutcome {
  const { signal, record } = call
  signal.throwIfAborted()
  // What was refused before the chat began has failed the call, too.
  if (record.status === 200) record.failed(error)
  if (!(error instanceof Problem)) throw error
  const { code, message } = error
  const shell = emptyResponse(viewOf({ ...request, exact: {} }), request.body.model, request.receivedAt)
  const response = { ...shell, status: 'failed' as const, error: { code, message } }
  const about = { provider: record.provider ?? job.provider, model: record.model ?? job.model }
  return { status: 'fail', error: message, output: resultOf(response, request), ...about }
}

function resultOf(response: ResponseObject, { id, items, exact }: ResponseRequest): JsonText {
  return new JsonText(JSON.stringify({ response, items: namedItems([...items, ...response.output], hexOf(id)), exact }))
}

/** Adds the turn to its conversation, if this run ends the job. */
function turnOf(
  response: ResponseObject,
  { backgroundJob: { request }, job, call, services }: Run,
): FinishedRun['also'] {
  const conversation = conversationOf(request.body)
  if (conversation === undefined) return undefined
  const items = [...namedItems(request.items, hexOf(request.id)).slice(request.earlier), ...response.output]
  const { endUser } = call.record.labels
  const turn = { conversation, responseId: request.id, items, from: request.earlier, endUser }
  const addition = turnAddition(turn, job.owner, services.calls)
  return (ended) => appendWithJob(addition, ended)
}
