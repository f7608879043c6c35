import { Buffer } from 'node:buffer'
import { encodeLong } from '../base/bytes/encode-long.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Call, type CallFacts, knownCost, newCall } from '../calls/call.ts'
import { keepAnswer, keepRequest } from '../calls/content-draft.ts'
import { addHeaders, commonHeaders, type HeaderList } from './common-headers.ts'
import type { EndpointScope } from '../tenants/access/policy.ts'
import { limitHeaders } from '../money/limits/limit-headers.ts'
import type { Reservation } from '../money/limits/reservation.ts'
import { slotForLarge } from '../calls/large-work.ts'
import { originalMetadata } from '../calls/upstream/original-metadata.ts'
import { sunsetOf } from '../calls/retirement.ts'
import { litellmTimeout, notesOnHeaders } from './entry/other-headers.ts'
import { callIdOf } from './entry/request-id.ts'
import { traceOf } from './entry/request-trace.ts'
import { labelsOfRequest } from './request-labels.ts'
import { memoryLeaseOf } from './memory-lease.ts'
import type { HttpServices } from './route.ts'
import { notAmong, valueError } from '../base/schema/issue-messages.ts'
import type { FindStray } from '../contract/stray-fields.ts'
import { validationProblem } from './problems.ts'
import { writeJson, writeJsonInSteps } from './write-json.ts'
import { LARGE_CHARS } from '../translation/json/large-text.ts'
import type { JsonBody } from '../translation/json/parse-body.ts'

const MAX_MODEL_CHARS = 200
/** Clients limit the size of all headers together. */
const MAX_DROPPED = 20
const PLAIN_NAME = /^[\w./:@-]*$/

/** The open reply to a caller whose request goes to a model. The call is aborted when the caller disconnects. */
export type OpenReply = {
  request: FastifyRequest
  reply: FastifyReply
  services: HttpServices
  call: Call
  controller: AbortController
  /** The slot under which the gateway finds this call at shutdown. */
  slot: number
}

/** The scope of the endpoint, and how its clients speak. */
type OpenedEndpoint = Pick<CallFacts, 'format' | 'statesEstimates' | 'namesOriginal'> & { endpoint: EndpointScope }

export function openReply(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  opened: EndpointScope | OpenedEndpoint,
): OpenReply {
  const { endpoint, format, statesEstimates, namesOriginal }: OpenedEndpoint =
    typeof opened === 'string' ? { endpoint: opened } : opened
  const { calls, edge, health } = services
  const controller = new AbortController()
  const { id, caller, headers } = request
  const body = (request.body as JsonBody | undefined)?.value
  const call = newCall({
    format,
    statesEstimates,
    namesOriginal,
    id: callIdOf({ id, headers }, edge.newRequestId),
    caller,
    endpoint,
    startedAt: calls.monotonic(),
    signal: controller.signal,
    wantsMetadata: readMetadata(headers['x-gatehouse-metadata']),
    // The original takes any other value for off.
    wantsOriginalMetadata: String(headers['x-edenai-metadata'] ?? '').toLowerCase() === 'enabled',
    controller,
    callerTimeoutMs: timeoutOf(request),
    isSentAgain: readRetryCount(headers['x-stainless-retry-count']),
    memory: memoryLeaseOf(request, calls),
    trace: traceOf(request, calls),
    batch: request.batch,
    beforeToolCall: request.batch?.beforeToolCall,
    labels: labelsOfRequest(request, body),
    content: endpoint === 'tokens' || calls.dryRun ? undefined : calls.contents.begin(caller, body),
  })
  const notes = notesOnHeaders(headers)
  if (notes.length > 0) call.record.noteRequest(notes)
  if (request.otherWords) call.record.noteRequest(request.otherWords.notes)
  request.call = call
  request.callController = controller
  return { request, reply, services, call, controller, slot: health.hold(controller) }
}

/** For a request whose model or fields are not in a JSON body: in the path, or in a form. */
export function labelAs({ call, request }: OpenReply, fields: object): void {
  call.record.describe(labelsOfRequest(request, fields))
  const { content } = call.record
  if (content) keepRequest(content, fields)
}

/** For the fields of a form, which no schema of the route has checked. */
export function refuseStray(fields: object, find: FindStray): void {
  const stray = find(fields)
  if (stray.length > 0) throw validationProblem(stray)
}

export function closeReply({ services, controller, slot, call }: OpenReply): void {
  services.health.release(slot, controller)
  services.calls.contents.ended(call)
}

function readMetadata(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  if (String(header).toLowerCase() === 'enabled') return true
  throw validationProblem([notAmong(['header', 'x-gatehouse-metadata'], ['enabled'])])
}

/** The shortest limit counts: ours, or what the header or the body has in the words of another gateway. */
function timeoutOf({ headers, otherWords }: FastifyRequest): number | undefined {
  const shortest = Math.min(
    readTimeout(headers[TIMEOUT_HEADER]) ?? Number.POSITIVE_INFINITY,
    litellmTimeout(headers) ?? Number.POSITIVE_INFINITY,
    otherWords?.timeoutMs ?? Number.POSITIVE_INFINITY,
  )
  return shortest === Number.POSITIVE_INFINITY ? undefined : shortest
}

const TIMEOUT_HEADER = 'x-gatehouse-timeout-ms'

/** The caller's own time limit in milliseconds. */
function readTimeout(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[1-9]\d{0,8}$/.test(header)) return Number(header)
  const message = 'Input should be a whole number of milliseconds, from 1 to 999999999'
  throw validationProblem([valueError(['header', TIMEOUT_HEADER], message)])
}

/** The SDKs of OpenAI and Anthropic count their retries in this header. */
function readRetryCount(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && /^0*[1-9]\d{0,8}$/.test(header)
}

/**
 * Writes to the socket without the framework's send, because its CPU time matters on this path. It returns no reply: a
 * Fastify reply is a thenable, and awaiting it costs more than everything else here.
 */
export async function wholeReply(open: OpenReply, answer: () => Promise<object>, status = 200): Promise<void> {
  const { reply, call } = open
  try {
    const answered = withOriginalMetadata(await answer(), open)
    if (call.record.content) keepAnswer(call.record.content, answered)
    const text = await textOf(answered, open)
    if (text.length > LARGE_CHARS) await open.services.calls.loopSlot(call.caller.owner)
    const body = encodeLong(text)
    const length = Buffer.byteLength(body)
    const ofContent = ['content-type', 'application/json; charset=utf-8', 'content-length', String(length)]
    writeHead(open, headersOf(call), ofContent, status)
    // Most answers are ASCII, which Node writes faster as Latin-1.
    reply.raw.end(body, length === text.length ? 'latin1' : 'utf8')
  } catch (error) {
    addHeaders(reply, headersOf(call))
    throw error
  } finally {
    closeReply(open)
  }
}

function withOriginalMetadata(answered: object, { call, services }: OpenReply): object {
  if (!call.wantsOriginalMetadata) return answered
  return { ...answered, edenai_metadata: originalMetadata(call, services.calls) }
}

/** Most answers are short, and then there is nothing to wait for. */
function textOf(answer: object, { call, services: { calls } }: OpenReply): string | Promise<string> {
  const slot = slotForLarge(call, calls)
  if (!slot) return writeJson(answer)
  return slot.then(() => writeJsonInSteps(answer, () => calls.loopSlot(call.caller.owner)))
}

export function writeHead(
  { request, reply, services }: OpenReply,
  ofCall: HeaderList,
  ofContent: HeaderList,
  status = 200,
): void {
  noteOverhead(request, services)
  const list = commonHeaders(request, services.health)
  list.push(...ofCall, ...ofContent)
  reply.hijack()
  reply.raw.writeHead(status, list)
}

/** The waits for providers are left out: those between the first sending and the arrival of what the answer is made of. */
function noteOverhead({ call, startedAt, endpoint }: FastifyRequest, { calls: { metrics } }: HttpServices): void {
  const attempts = call?.record.attempts ?? []
  const sentAt = attempts[0]?.wire.sentAt
  const arrivedAt = attempts.at(-1)?.wire.arrivedAt
  // The simulated provider sends nothing.
  if (!sentAt || !arrivedAt) return
  const ms = sentAt - startedAt + (performance.now() - arrivedAt)
  metrics.tookBeforeAnswer(endpoint, ms / 1000)
}

/**
 * Which model answered, which provider ran it, in which attempt and at what price. For a stream, only a part of this is
 * known.
 */
export function headersOf(call: Call): HeaderList {
  const { model, provider, attempts, notes, guardrails, retirement } = call.record
  const { reservation } = call.spending
  const cost = knownCost(call)
  const headers = ['x-gatehouse-attempts', String(attempts.length)]
  if (model) headers.push('x-gatehouse-model', nameInHeader(model))
  if (provider) headers.push('x-gatehouse-provider', provider)
  if (cost !== null) headers.push('x-gatehouse-cost', String(cost))
  if (call.namesOriginal) headers.push(...originalHeaders(provider, cost))
  if (retirement) headers.push('sunset', sunsetOf(retirement))
  if (notes.length > 0) headers.push(...droppedFields(notes))
  if (guardrails.length > 0) headers.push('x-gatehouse-guardrails', guardrailsOf(guardrails))
  if (reservation) headers.push(...limitsOf(call, reservation))
  return headers
}

/** The headers of the hosted original, on the endpoints where it has them. */
function originalHeaders(provider: string | null, cost: number | null): HeaderList {
  return [
    ...(provider === null ? [] : ['x-edenai-provider', provider]),
    ...(cost === null ? [] : ['x-edenai-cost', String(cost)]),
  ]
}

function limitsOf({ format }: Call, { latest }: Reservation): HeaderList {
  return limitHeaders(latest.windows, format === 'messages' ? 'anthropic' : 'openai', latest.at)
}

/** Names the fields that had no effect, so that clients see that without asking for the metadata. */
export function droppedFields(notes: Call['record']['notes']): HeaderList {
  const fields = new Set(notes.flatMap(({ action, field }) => (action === 'dropped' ? nameInHeader(field) : [])))
  return fields.size > 0 ? ['x-gatehouse-dropped-fields', [...fields].slice(0, MAX_DROPPED).join(', ')] : []
}

/** `pii=redacted(2);injection=unscanned(timeout)`: ids, what was done and how often, and nothing of the content. */
function guardrailsOf(runs: Call['record']['guardrails']): string {
  const ids = [...new Set(runs.map(({ guardrail }) => guardrail))].slice(0, MAX_DROPPED)
  return ids.map((id) => `${id}=${doneBy(runs.filter(({ guardrail }) => guardrail === id))}`).join(';')
}

function doneBy(runs: Call['record']['guardrails']): string {
  const done = runs.filter(({ outcome }) => outcome !== 'passed')
  const words = done.map(
    ({ outcome, count, rules }) => `${outcome}(${outcome === 'unscanned' ? rules.join(' ') : count})`,
  )
  return words.length > 0 ? words.join(',') : 'passed'
}

/** A caller may send a lone surrogate, which cannot be encoded, or a megabyte, which no client accepts as a header. */
function nameInHeader(model: string): string {
  if (model.length <= MAX_MODEL_CHARS && PLAIN_NAME.test(model)) return model
  return encodeURI(model.slice(0, MAX_MODEL_CHARS).toWellFormed())
}
