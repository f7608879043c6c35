import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import type { WireResponse } from '../contract/wire.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { ChatCall, ChatDecoder, ChatFace } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'
import { EventReader } from '../net/event-reader.ts'
import { readText } from '../net/read-text.ts'
import type { Call } from './call.ts'
import type { Outside } from './outside.ts'
import type { ChatTarget } from './route.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 256 * 1024
const NOT_BEGUN = 'the provider ended its stream before it began'

/** A stream that has begun: its first chunks are here, so the target has really answered. */
export type OpenStream = { first: ChatChunk[]; events: EventReader; decoder: ChatDecoder }

export async function askWhole(
  target: ChatTarget,
  asked: ChatCall,
  call: Call,
  outside: Outside,
): Promise<ChatCompletion> {
  const { face, response } = await send(target, asked, call, outside)
  return face.decode(await readText(response.body, MAX_ANSWER_BYTES))
}

/** Some providers answer 200 and send the error as the first event: nothing counts as an answer before a first chunk. */
export async function askStream(
  target: ChatTarget,
  asked: ChatCall,
  call: Call,
  outside: Outside,
): Promise<OpenStream> {
  const { face, response } = await send(target, asked, call, outside)
  if (!isEventStream(response)) return refuseWhole(face, response)
  const decoder = face.decoder(asked.request)
  const events = new EventReader(response.body)
  try {
    return { first: await firstChunks(events, decoder), events, decoder }
  } catch (error) {
    events.close()
    throw error
  }
}

async function firstChunks(events: EventReader, decoder: ChatDecoder): Promise<ChatChunk[]> {
  const first: ChatChunk[] = []
  for (;;) {
    const batch = await events.next()
    if (!batch) throw new UpstreamProblem(decoder.malformed ? 'garbage' : 'empty', NOT_BEGUN)
    first.push(...batch.flatMap((event) => decoder.feed(event)))
    // A chunk without choices (what a filter thought of the prompt) is no answer yet.
    if (first.some(({ choices }) => choices.length > 0)) return first
  }
}

async function send(target: ChatTarget, asked: ChatCall, call: Call, outside: Outside) {
  const face: ChatFace = DIALECTS[target.provider.dialect].chat
  const { wire, notes } = face.encode(asked, target)
  call.notes = notes
  const response = await outside.send(wire, { signal: call.signal, limits: outside.limits })
  if (response.status >= 200 && response.status < 300) return { face, response }
  throw await readProblem(face, response)
}

async function readProblem(face: ChatFace, response: WireResponse): Promise<UpstreamProblem> {
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const problem = face.problem(response.status, text)
  problem.retryAfterSeconds = readRetryAfter(response.headers['retry-after'])
  return problem
}

/** Seconds only; dates and nonsense are left to our own default. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined
}

function isEventStream({ headers }: WireResponse): boolean {
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('text/event-stream')
}

/** A stream was asked for and something else came: an error with status 200, a page of HTML, a whole answer. */
async function refuseWhole(face: ChatFace, response: WireResponse): Promise<never> {
  face.decode(await readText(response.body, MAX_ANSWER_BYTES))
  throw new UpstreamProblem('garbage', 'the provider answered whole although a stream was asked for')
}
