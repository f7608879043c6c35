import { addCallerHeaders } from '../dialects/request/request-headers.ts'
import type { MadeImages } from './made-images.ts'
import { inBlocks } from '../bytes/in-blocks.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import { newTrace, WireFailure, type WireRequest, type WireResponse, type WireTrace } from '../wire/wire.ts'
import type { ImageAnswer, ImageCall } from '../dialects/image-codec.ts'
import { readText } from '../net/read-text.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { authorize } from '../upstream/authorize.ts'
import { readRetryAfter } from '../wire/retry-after.ts'
import type { Call } from '../calls/call.ts'
import { pay, wasLeft } from '../calls/pay-if-left.ts'
import type { TempBytes } from '../files/temp-file-writer.ts'
import { inspectImageUrl } from './inspect-url.ts'
import type { TempFiles } from '../files/temp-files.ts'
import { ImageJsonReader, PROVIDER } from '../files/image-json-reader.ts'
import { toBase64, toOutputImage } from './output-images.ts'
import { likelyImageBill } from './image-worst-case.ts'
import type { ImageTarget } from './target.ts'
import { sourcesOf, withImages } from './source.ts'
import type { AppContext } from '../app/context.ts'
import { MAX_ERROR_BYTES } from '../wire/upstream-problem.ts'
import { MB } from '../units/units.ts'

/** Enough for ten large images in base64. */
const MAX_ANSWER_BYTES = 128 * MB
const MIN_POLL_MS = 100
const MAX_POLL_MS = 30_000

/** One request for some of the images, and its progress. Finished images are never requested again. */
export type ImageOrder = {
  wire: WireRequest
  /** How many images it asks for, and how many the model reads for them. */
  n: number
  inputs: number
  /** The request that polls for the result, at providers that answer later. */
  ticket?: WireRequest | undefined
  made?: MadeImages
  /** Its latest exchange. Other orders of the call are sent at the same time, and each may or may not have been written. */
  trace?: WireTrace
  /** It was paid for when the caller left. */
  isPaid?: boolean
}

/** What to make, the model that makes it, and where large answers are stored. */
export type Ordered = { input: ImageCall; target: ImageTarget; tempFiles: TempFiles }
/** One attempt at an order. */
export type ImageAttempt = Pick<Attempt<unknown, AppContext>, 'credential' | 'call' | 'context'>
/** An answer, and its long texts in temp files by the mark that stands for each. */
type ReadAnswer = { answer: ImageAnswer; longs: ReadonlyMap<string, TempBytes> }

/** Splits a request into orders of at most `codec.max` images. Equal orders share one wire request. */
export function ordersFor(input: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call) {
  const { max } = target.codec
  const counts = Array.from({ length: Math.ceil(input.n / max) }, (_, index) => Math.min(max, input.n - index * max))
  const wires = new Map<number, WireRequest>()
  return counts.map((n): ImageOrder => {
    const wire = wires.get(n) ?? encode({ ...input, n }, extraHeaders, target, call)
    wires.set(n, wire)
    return { wire, n, inputs: input.images.length + (input.mask ? 1 : 0) }
  })
}

function encode(input: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call): WireRequest {
  const { wire, notes } = target.codec.encode(input, target)
  call.notes = notes
  addCallerHeaders(wire.headers, extraHeaders)
  return withImages(wire, sourcesOf(input))
}

/** Fills an order. Whoever leaves before it is made has ordered it all the same; what was made is settled later. */
export async function fill(order: ImageOrder, ordered: Ordered, attempt: ImageAttempt): Promise<void> {
  order.trace = newTrace()
  try {
    await sendAndPoll(order, ordered, attempt)
  } catch (error) {
    payOrderIfLeft(order, ordered, attempt.call, error)
    throw error
  }
}

/** An order with a ticket is being drawn, whatever became of the latest request about it. */
export function payOrderIfLeft(order: ImageOrder, { input, target }: Ordered, call: Call, error: unknown): void {
  const { made, ticket, trace = newTrace(), n, inputs, isPaid } = order
  const isLeft = ticket ? call.signal.aborted : wasLeft({ signal: call.signal, wire: trace }, error)
  if (made || isPaid || !isLeft) return
  order.isPaid = true
  pay(call, target, likelyImageBill({ ...input, n }, inputs, target.entry))
}

/** Sends the order and polls until it is done. A later attempt continues where a failed one stopped. */
async function sendAndPoll(
  order: ImageOrder,
  { input, target, tempFiles }: Ordered,
  attempt: ImageAttempt,
): Promise<void> {
  const { call, context } = attempt
  for (;;) {
    const request = order.ticket ?? order.wire
    const response = await exchange(request, target, attempt, tracing(order, call))
    const { answer, longs } = await readAnswer(response, tempFiles, call, context)
    // If the answer cannot be read or reports a failure, the next attempt starts anew.
    order.ticket = undefined
    const step = target.codec.decode(answer, input, target, request)
    if (step.done) {
      order.made = { ...step.reply, images: step.reply.data.map((item) => toOutputImage(item, longs)), data: [] }
      return await inspectImageUrl(order.made, input, call, context)
    }
    order.ticket = step.poll
    await context.sleep(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, step.afterMs)), call.signal)
  }
}

/** The trace of the call is that of the exchange that began last. */
function tracing(order: ImageOrder, call: Call): WireTrace {
  const { spanId, traceparent } = call.wire
  const trace = { ...newTrace(), spanId, traceparent }
  order.trace = trace
  call.wire = trace
  return trace
}

async function exchange(
  wire: WireRequest,
  { provider, timeouts, codec }: ImageTarget,
  { credential, call, context }: ImageAttempt,
  trace: WireTrace,
): Promise<WireResponse> {
  // Equal orders and retries share the wire request, and each adds its own credential, hence the copy.
  const request = await authorize({ ...wire, headers: { ...wire.headers } }, provider, credential, context)
  const { connectMs, headersMs, idleMs } = timeouts
  const { signal, caller } = call
  const options = { signal, timeouts: { connectMs, headersMs, idleMs }, owner: caller.owner, trace }
  const response = await context.send(request, options)
  if (response.status < 200 || response.status >= 300) throw await readProblem(codec, response, context.now())
  return response
}

async function readProblem(
  codec: ImageTarget['codec'],
  { status, headers, body }: WireResponse,
  now: number,
): Promise<UpstreamProblem> {
  const failure = codec.problem(status, await readText(body, MAX_ERROR_BYTES).catch(() => ''))
  failure.retryAfterSeconds ??= readRetryAfter({ status, headers }, now)
  return failure
}

async function readAnswer(
  { headers, body }: WireResponse,
  tempFiles: TempFiles,
  { caller }: Call,
  context: AppContext,
): Promise<ReadAnswer> {
  const [named = ''] = String(headers['content-type'] ?? '').split(';')
  const mediaType = named.trim().toLowerCase()
  const bytes = bounded(body, Number(headers['content-length']))
  const reader = new ImageJsonReader(tempFiles, context.newId(), PROVIDER)
  if (!mediaType.startsWith('image/')) {
    for await (const block of inBlocks(bytes)) {
      await reader.push(block)
      await context.loopSlot(caller.owner)
    }
    return { answer: { headers, mediaType, bytes: reader.end() }, longs: reader.longs }
  }
  const base64 = await toBase64(bytes, tempFiles)
  const image = base64.length > 0 ? context.newId().replaceAll('-', '') : undefined
  return { answer: { headers, mediaType, bytes: NOTHING, image }, longs: new Map(image ? [[image, base64]] : []) }
}

const NOTHING = new Uint8Array(0)

async function* bounded(body: WireResponse['body'], reported: number): AsyncGenerator<Uint8Array> {
  const max = reported > 0 ? Math.min(reported, MAX_ANSWER_BYTES) : MAX_ANSWER_BYTES
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > max) throw new WireFailure('protocol')
    yield chunk
  }
}
