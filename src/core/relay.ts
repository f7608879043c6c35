import type { ChatChunk } from '../contract/chat-reply.ts'
import { WireFailure } from '../contract/wire.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import type { OpenStream } from './ask.ts'
import { learn } from './attempt.ts'
import { type Call, closeCall, failCall, metadataOf } from './call.ts'
import { circuitName } from './credentials.ts'
import { FAILURES, type Failure, isFailure, toProblem } from './failures.ts'
import { observe } from './observe.ts'
import type { Outside } from './outside.ts'
import { canResume, type Overlap, resume } from './resume.ts'
import type { ChatTarget } from './route.ts'
import type { HookedStream, Hooks } from './run-hooks.ts'
import { settle, usageOf } from './settle.ts'
import { Sent, Tally, tidy } from './tally.ts'

/** After its last event a provider gets this long to close; then its socket is given up instead of reused. */
const CLOSING_MS = 1_000

/** One target's part of the answer. */
type Part = { target: ChatTarget; stream: OpenStream; tally: Tally; overlap?: Overlap | undefined; startedAt: number }

/**
 * Passes the chunks on, one batch per network read. Ends normally only when the reply is complete: a stream that stops
 * without a finish reason is continued where that is safe, else it throws, so that nobody takes half an answer for a whole
 * one. Writes the ledger line however it ends.
 */
export async function* relay(
  opened: { target: ChatTarget; stream: OpenStream; startedAt: number },
  others: readonly ChatTarget[],
  asked: ChatCall,
  call: Call,
  outside: Outside,
  hooks?: Hooks,
): AsyncGenerator<ChatChunk[]> {
  const post = hooks?.stream({ target: opened.target, asked })
  const sent = new Sent()
  const { request } = asked
  let part: Part = { ...opened, tally: new Tally() }
  try {
    const first = passed(introduce(part, sent, call, outside), post)
    // An empty batch would open the reply before anything can be said.
    if (first.length > 0) yield first
    for (let broken = yield* passOn(part, sent, post); broken; broken = yield* passOn(part, sent, post)) {
      part = await goOn(part, broken, others, asked, sent, call, outside)
      const own = part.stream.first.filter((chunk) => tidy(chunk, part.target.id, part.tally, sent))
      const chunks = passed(own, post)
      if (chunks.length > 0) yield chunks
    }
    settle(call, part.target, request, part.tally)
    observe(part, call, outside)
    outside.reasoning.keep(call.caller.owner, sent.callIds, sent.thoughts)
    const rest = post ? await post.end() : []
    if (rest.length > 0) yield rest
    if (request.stream_options?.include_usage) yield [usageChunk(part, sent, call)]
  } catch (error) {
    throw failCall(call, isFailure(error) ? toProblem(error, part.target) : error)
  } finally {
    if (!part.tally.isSettled) settle(call, part.target, request, part.tally)
    // The reader left while we waited at a yield: no error passed through here, but the answer was not delivered.
    if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    outside.metrics.malformed(part.target.provider.id, part.stream.decoder.malformed)
    release(part.stream)
    closeCall(call, outside)
  }
}

/** The rest of one target's stream. Gives back why it broke, or nothing when it is complete. */
async function* passOn(
  { target, stream, tally, overlap }: Part,
  sent: Sent,
  post: HookedStream | undefined,
): AsyncGenerator<ChatChunk[], Failure | null> {
  const { decoder, events } = stream
  try {
    while (!decoder.done) {
      const batch = await events.next()
      if (!batch) break
      const chunks: ChatChunk[] = []
      for (const event of batch) {
        for (const chunk of decoder.feed(event)) {
          if (overlap && !overlap.cut(chunk)) continue
          if (tidy(chunk, target.id, tally, sent)) chunks.push(chunk)
        }
      }
      const ready = passed(chunks, post)
      if (ready.length > 0) yield ready
    }
  } catch (error) {
    // A provider that has said everything may then break the line; that takes nothing away from the answer.
    if (decoder.ended && error instanceof WireFailure) return null
    if (!isFailure(error)) throw error
    return error
  }
  return decoder.ended ? null : new UpstreamProblem('cut', 'the provider broke off before its answer was complete')
}

function passed(chunks: ChatChunk[], post: HookedStream | undefined): ChatChunk[] {
  return post ? post.feed(chunks) : chunks
}

/** The next target goes on where this one broke off; where there is no other, the same one is asked once more. */
async function goOn(
  part: Part,
  failure: Failure,
  others: readonly ChatTarget[],
  asked: ChatCall,
  sent: Sent,
  call: Call,
  outside: Outside,
): Promise<Part> {
  const { target, stream, tally } = part
  release(stream)
  if (call.signal.aborted) throw call.signal.reason
  learn(circuitName(target.id, 0), failure, target, outside)
  const last = call.attempts.at(-1)
  if (last) last.outcome = failure.kind
  const left = others.slice(others.indexOf(target) + 1)
  if (FAILURES[failure.kind].next === 'stop' || !canResume(asked.request, sent)) throw failure
  const isNew = call.attempts.length === 1 && outside.retries.take()
  const candidates = left.length > 0 ? left : isNew ? [target] : []
  if (candidates.length === 0) throw failure
  const startedAt = outside.now()
  const resumed = await resume(candidates, asked, sent, call, outside)
  if (!resumed) throw toProblem(failure, target)
  settle(call, target, asked.request, tally)
  return { ...resumed, tally: new Tally(), startedAt }
}

function introduce({ stream, target, tally }: Part, sent: Sent, call: Call, outside: Outside): ChatChunk[] {
  for (const chunk of stream.first) {
    chunk.id ||= `chatcmpl-${call.id}`
    chunk.created ||= Math.floor(outside.now() / 1000)
  }
  const first = stream.first.filter((chunk) => tidy(chunk, target.id, tally, sent))
  if (first[0]) first[0].provider = target.provider.id
  if (first[0] && call.wantsMetadata) first[0].gatehouse = metadataOf(call, outside)
  return first
}

function usageChunk({ target, tally }: Part, { head }: Sent, call: Call): ChatChunk {
  const { id, created, system_fingerprint } = head!
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model: target.id,
    ...(system_fingerprint && { system_fingerprint }),
    choices: [],
    usage: usageOf(call, tally.usage),
    cost: call.estimated ? null : call.cost,
    provider: target.provider.id,
  }
}

/** A socket goes back to the pool when its answer was read to the end. After the last event that end is as good as here. */
function release({ decoder, events }: OpenStream): void {
  if (!decoder.done) return events.close()
  const timer = setTimeout(() => events.close(), CLOSING_MS)
  events
    .next()
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer)
      // It may have gone on talking: only a body that ended has given its socket back.
      events.close()
    })
}
