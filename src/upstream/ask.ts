import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import { type WireBody, WireFailure, type WireResponse, type WireEvent } from '../wire/wire.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { ChatCall, ChatDecoder, ChatCodec, Note } from '../dialects/chat-codec.ts'
import { valueBytes } from '../json/value-bytes.ts'
import { AwsEventStream } from '../net/aws-event-stream.ts'
import { EventReader } from '../net/event-reader.ts'
import { readHere, readText } from '../net/read-text.ts'
import type { AttemptContext } from '../attempts/attempt.ts'
import { authorize } from './authorize.ts'
import type { Call } from '../calls/call.ts'
import { FILE_NOTE } from './file-texts.ts'
import { governChat } from './governed-chat.ts'
import { COPIES_OF_EVENT, Growth } from '../calls/memory-budget.ts'
import { codecFor, type NativeCall } from './native-codec.ts'
import { answerInOldWay, asksInOldWay, OldWayDecoder } from './legacy-functions.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { readAnswer } from './read-answer.ts'
import { hasContent } from './has-content.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 256 * 1024
/** Longer answers are parsed one at a time. */
const LARGE_CHARS = 256 * 1024
/** A whole answer has no first word to wait for: with another target left, it is given this long to begin. */
const HEADERS_WITH_FALLBACK_MS = 60_000
/** Chunks that say nothing yet are held back; a provider that sends more of them will not begin any more. */
const MAX_CHUNKS_BEFORE = 10_000
const MAX_BYTES_BEFORE = 16_000_000
const MAX_MALFORMED = 1_000
const NONSENSE = 'the provider sent a stream that is mostly something else than events'
const NOT_BEGUN = 'the provider ended its stream before it began'

/** A stream that has begun: its first chunks are here, so the target has really answered. */
export type OpenStream = { first: ChatChunk[]; events: Events; decoder: ChatDecoder }

/** Events of one body, in batches as they arrived. */
export type Events = Pick<EventReader, 'next' | 'close'>

export async function askWhole(
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
): Promise<ChatCompletion> {
  const { limits } = target
  const headersMs = attemptContext.isLast ? limits.headersMs : Math.min(limits.headersMs, HEADERS_WITH_FALLBACK_MS)
  const { codec, coming } = send(target, attemptContext, input, call, context, { signal: call.signal, headersMs })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response)
  const completion = await readCompletion(response, (text) => codec.decode(text, target), call, context)
  return isTranslated(target, input) ? answerInOldWay(completion) : completion
}

/** Most answers are here already, and nothing is waited for. What follows on a long one is as much work again. */
async function readCompletion(
  response: WireResponse,
  decode: (text: string) => ChatCompletion,
  call: Call,
  context: AppContext,
): Promise<ChatCompletion> {
  const here = readHere(response.body, MAX_ANSWER_BYTES)
  const text = here ?? (await readAnswer(response, MAX_ANSWER_BYTES, call, context))
  if (here && here.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  const completion = decode(text)
  if (text.length > LARGE_CHARS) await context.loopSlot(call.caller.owner)
  return completion
}

/** Whether a client of the old function calls is answered by a wire that does not know them. */
function isTranslated({ provider }: ChatTarget, { request }: ChatCall): boolean {
  return provider.dialect !== 'openai' && asksInOldWay(request)
}

/** Some providers answer 200 and send the error as the first event: nothing counts as an answer before a first chunk. */
export async function askStream(
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
): Promise<OpenStream> {
  if (attemptContext.isLast) return openStream(target, attemptContext, input, call, context, call.signal)
  const firstToken = new FirstTokenTimer(call.signal, target.limits.firstTokenMs)
  try {
    return await openStream(target, attemptContext, input, call, context, firstToken.signal)
  } catch (error) {
    throw firstToken.isOver && !call.signal.aborted ? new WireFailure('first_token_timeout') : error
  } finally {
    firstToken.end()
  }
}

/** Ends an attempt, and only this attempt, when it is too slow for a call that has somewhere else to go. */
class FirstTokenTimer {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  isOver = false

  constructor(call: AbortSignal, ms: number) {
    // Stays for the rest of the call: whoever leaves later has to reach this attempt's socket too.
    call.addEventListener('abort', () => this.#controller.abort(call.reason), { once: true })
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#controller.abort(new Error('the first token did not come in time'))
    }, ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

async function openStream(
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
  signal: AbortSignal,
): Promise<OpenStream> {
  const { headersMs } = target.limits
  const { codec, coming } = send(target, attemptContext, input, call, context, { signal, headersMs })
  const response = await coming
  call.memory?.sent()
  if (!isGood(response)) throw await readProblem(codec, response)
  if (!isStream(response, codec)) return refuseWhole(codec, response, call, context)
  const own = codec.decoder(input.request, target)
  const decoder = isTranslated(target, input) ? new OldWayDecoder(own) : own
  const events = eventsOf(response.body, codec, call)
  try {
    return { first: await firstChunks(events, decoder, call, context), events, decoder }
  } catch (error) {
    events.close()
    throw error
  }
}

/** Whether what came in one read is so much that writing it down again is work for a turn of its own. */
export function isLarge(batch: readonly WireEvent[]): boolean {
  for (const { data } of batch) if (data.length > LARGE_CHARS) return true
  return false
}

async function firstChunks(
  events: Events,
  decoder: ChatDecoder,
  { caller }: Call,
  { loopSlot }: AppContext,
): Promise<ChatChunk[]> {
  const first: ChatChunk[] = []
  let bytes = 0
  for (;;) {
    const batch = await events.next()
    if (!batch) throw new UpstreamProblem(decoder.malformed ? 'garbage' : 'empty', NOT_BEGUN)
    const known = first.length
    for (const event of batch) for (const chunk of decoder.feed(event)) first.push(chunk)
    if (isLarge(batch)) await loopSlot(caller.owner)
    // A chunk without choices (what a filter thought of the prompt) is no answer yet, nor is one that says who speaks.
    if (first.slice(known).some(({ choices }) => choices.some(hasContent))) return first
    refuseGarbage(decoder, first.length)
    bytes += valueBytes(first.slice(known))
    if (decoder.done || first.length > MAX_CHUNKS_BEFORE || bytes > MAX_BYTES_BEFORE)
      throw new UpstreamProblem('empty', NOT_BEGUN)
  }
}

/**
 * A stream that is mostly nonsense is no answer, and finding out that a text is no JSON is dear. `good` chunks may have as
 * many events beside them that nobody understands: some providers send those.
 */
export function refuseGarbage({ malformed }: ChatDecoder, good: number): void {
  if (malformed > MAX_MALFORMED + good) throw new UpstreamProblem('garbage', NONSENSE)
}

/** Not async: nearly always nothing is waited for but the provider, and this runs for every call. */
function send(
  target: ChatTarget,
  { credential }: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
  { signal, headersMs }: { signal: AbortSignal; headersMs: number },
): { codec: ChatCodec; coming: Promise<WireResponse> } {
  const { fitting, notes: before } = fitFor(input, target, call)
  const codec = codecFor(target, fitting)
  const { wire: encoded, notes } = codec.encode(fitting, target)
  // The simulated provider reads no file.
  const wire = call.attachments && !target.provider.simulated ? call.attachments.fill(encoded) : encoded
  call.notes = before ? [...before, ...notes] : notes
  const { connectMs, idleMs } = target.limits
  const options = { signal, limits: { connectMs, headersMs, idleMs }, owner: call.caller.owner }
  const signed = authorize(wire, target.provider, credential, context)
  if (!(signed instanceof Promise)) return { codec, coming: context.send(signed, options) }
  const answered = orAborted(signed, signal).then((request) => context.send(request, options))
  return { codec, coming: answered.then((response) => replaceRefused(response, credential, signal, context)) }
}

/** The call as this target may be asked it, and what was changed for that; nearly always it is the call itself. */
function fitFor(input: ChatCall, target: ChatTarget, call: Call): { fitting: NativeCall; notes?: Note[] } {
  const governed = governChat(input, target)
  if (governed?.isUnpriced) call.costIsPartial = true
  const allowed = governed?.input ?? input
  const fitting = call.files ? call.files.fit(allowed, target) : allowed
  if (fitting === input) return { fitting }
  return { fitting, notes: [...(governed?.notes ?? []), ...(fitting === allowed ? [] : [FILE_NOTE])] }
}

/** A token may be taken back before its time: whoever was refused waits for another, so that the next call has it. */
async function replaceRefused(
  response: WireResponse,
  { exchange }: AttemptContext['credential'],
  signal: AbortSignal,
  { accessTokens }: AppContext,
): Promise<WireResponse> {
  if (response.status === 401 && exchange) await orAborted(accessTokens.refused(exchange), signal)
  return response
}

function isGood({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}

/** Whoever leaves does not wait for a token either. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

async function readProblem(codec: ChatCodec, response: WireResponse): Promise<UpstreamProblem> {
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const problem = codec.problem(response.status, text, response.headers)
  problem.retryAfterSeconds ??= readRetryAfter(response.headers['retry-after'])
  return problem
}

/** Seconds only; dates and nonsense are left to our own default. */
export function readRetryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined
}

/** An event is held until it is whole: a long one is counted, as an answer is. */
function eventsOf(body: WireBody, { framing }: ChatCodec, { memory, signal }: Call): Events {
  const growth = new Growth(memory, COPIES_OF_EVENT, signal)
  const reach = (bytes: number) => growth.reach(bytes)
  return framing === 'aws-event-stream' ? new AwsEventStream(body, reach) : new EventReader(body, reach)
}

function isStream({ headers }: WireResponse, { framing }: ChatCodec): boolean {
  const expected = framing === 'aws-event-stream' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith(expected)
}

/** A stream was asked for and something else came: an error with status 200, a page of HTML, a whole answer. */
async function refuseWhole(codec: ChatCodec, response: WireResponse, call: Call, context: AppContext): Promise<never> {
  codec.decode(await readAnswer(response, MAX_ANSWER_BYTES, call, context))
  throw new UpstreamProblem('garbage', 'the provider answered whole although a stream was asked for')
}
