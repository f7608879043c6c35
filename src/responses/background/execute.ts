import { labelsOf } from '../../calls/labels.ts'
import { demandStillAllowed } from '../../access/policy-of-today.ts'
import type { AppContext, CurrentContext } from '../../app/context.ts'
import type { Ledger } from '../../billing/ledger.ts'
import type { LedgerLine } from '../../store/ledger/ledger-line.ts'
import { type Call, failCall, newCall } from '../../calls/call.ts'
import { lineOf } from '../../calls/close-call.ts'
import { chat } from '../../chat/chat.ts'
import { Problem } from '../../contract/problems.ts'
import type { ResponseObject } from '../../contract/responses.ts'
import { emptyResponse, fromCompletion } from '../../formats/responses/response-object.ts'
import { unseenIn } from '../../formats/unseen-content.ts'
import { namedItems } from '../../formats/responses/stored/item-names.ts'
import { openRequest } from '../../jobs/open-request.ts'
import type { Outcome } from '../../jobs/outcome.ts'
import type { Execute } from '../../jobs/run-job.ts'
import { type ClaimedJob, type FinishedRun, JsonText } from '../../store/job-runs.ts'
import { appendWithJob } from '../../store/responses/conversations.ts'
import { turnAddition } from '../conversations.ts'
import type { ResponseRequest } from '../kept-response.ts'
import { hexOf } from '../response-ids.ts'
import { conversationOf, nativeCall, viewOf } from '../response-request.ts'
import type { BackgroundJob } from './submit.ts'
import { streamInBackground } from './write-events.ts'

/**
 * Makes a response in the background. Its ledger line, its result and what it adds to its conversation are written together,
 * with the end of the job.
 */
export function executeResponse(contexts: CurrentContext): Execute {
  return async (job, { signal, keepLine, whenEnded }) => {
    const memory = contexts.current.memory.lease(job.owner)
    try {
      const asked = await openRequest<BackgroundJob>(job, { memory, signal, context: contexts.current })
      const { context, line } = withOwnLine(contexts.current, job.id)
      const trace = context.tracing?.claimed({ ...job, name: job.feature, submittedBy: asked.submittedBy })
      const call = callOf(job, asked, { signal, memory, startedAt: context.monotonic(), trace })
      call.content = context.contents.begin(asked.caller, asked.request.body)
      keepLine(() => line() ?? lineNow(call, context))
      whenEnded(() => context.contents.ended(call))
      return await respond({ job, asked, call, context })
    } finally {
      memory.close()
    }
  }
}

type Run = { job: ClaimedJob; asked: BackgroundJob; call: Call; context: AppContext }

function callOf(
  job: ClaimedJob,
  { caller, wantsMetadata, labels, request, countedBy }: BackgroundJob,
  rest: Pick<Call, 'signal' | 'memory' | 'startedAt' | 'trace'>,
): Call {
  const call = newCall({ id: job.id, caller, endpoint: 'chat', wantsMetadata, countedBy, ...rest })
  call.labels = labels ?? labelsOf(request.body)
  call.unseen = (message) => unseenIn(message, 'responses')
  return call
}

async function respond({ job, asked, call, context }: Run): Promise<Outcome> {
  const { request, caller } = asked
  try {
    demandStillAllowed(caller, 'chat')
    const native = nativeCall(request, caller, context)
    const response = request.body.stream
      ? await streamInBackground({ job, request, native, call, context })
      : fromCompletion(await chat(native, call, context), viewOf({ ...request, exact: {} }))
    if (call.content) call.content.answer = response
    return success(response, { job, asked, call, context })
  } catch (error) {
    return failed(error, { job, asked, call, context })
  }
}

function success(response: ResponseObject, { job, asked, call, context }: Run): Outcome {
  const { request } = asked
  return {
    status: 'success',
    output: resultOf(response, request),
    cost: call.cost,
    provider: call.provider ?? job.provider,
    model: call.model ?? job.model,
    also: turnOf(response, { job, asked, call, context }),
  }
}

/** A Problem becomes the response's error, which its owner may read. Any other error is left to the worker. */
function failed(error: unknown, { job, asked: { request }, call }: Run): Outcome {
  const reason = failCall(call, error)
  call.signal.throwIfAborted()
  if (!(reason instanceof Problem)) throw reason
  const { code, message } = reason
  const shell = emptyResponse(viewOf({ ...request, exact: {} }), request.body.model, request.receivedAt)
  const response = { ...shell, status: 'failed' as const, error: { code, message } }
  const about = { cost: call.cost, provider: call.provider ?? job.provider, model: call.model ?? job.model }
  return { status: 'fail', error: message, output: resultOf(response, request), ...about }
}

function resultOf(response: ResponseObject, { id, items, exact }: ResponseRequest): JsonText {
  return new JsonText(JSON.stringify({ response, items: namedItems([...items, ...response.output], hexOf(id)), exact }))
}

/** Adds the turn to its conversation, if this run ends the job. */
function turnOf(response: ResponseObject, { asked: { request }, job, call, context }: Run): FinishedRun['also'] {
  const conversation = conversationOf(request.body)
  if (conversation === undefined) return undefined
  const items = [...namedItems(request.items, hexOf(request.id)).slice(request.earlier), ...response.output]
  const { endUser } = call.labels
  const turn = { conversation, responseId: request.id, items, from: request.earlier, endUser }
  const addition = turnAddition(turn, job.owner, context)
  return (ended) => appendWithJob(addition, ended)
}

/** A context whose calls leave the line of this job to the worker. */
function withOwnLine(context: AppContext, id: string): { context: AppContext; line(): LedgerLine | undefined } {
  let own: LedgerLine | undefined
  const ledger: Pick<Ledger, 'record' | 'append'> = {
    append: () => context.ledger.append(),
    record: (line) => {
      if (line.id === id) own = line
      else context.ledger.record(line)
    },
  }
  return { context: { ...context, ledger: ledger as Ledger }, line: () => own }
}

/** The line of a call that ended before it was begun, or that is being interrupted. */
function lineNow(call: Call, context: AppContext): LedgerLine {
  if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
  return lineOf(call, context)
}
