import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { FAILURES, type Failure, toProblem, UselessAnswer } from '../../calls/attempts/failures.ts'
import { noteBroken, recordFailure } from '../../calls/attempts/record-outcome.ts'
import { tryTarget } from '../../calls/attempts/try-targets.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { PlannedAttempt } from '../../calls/attempts/attempt.ts'
import { valueBytes } from '../../translation/json/value-bytes.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { exactChatCase } from './exact-case.ts'
import { chatWorstCase } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { askStream } from '../../calls/upstream/ask.ts'
import { feedUntilEnd, type OpenStream } from '../../calls/upstream/first-chunks.ts'
import { charsOfMessage } from '../../calls/upstream/chat-bill.ts'
import { type ChatInput, withFilesOf } from '../../calls/upstream/chat-input.ts'
import { giveUp } from './many-choices.ts'
import { Overlap } from './overlap.ts'
import { payForPart, release, type StreamPart } from './stream-part.ts'
import type { SentAnswer } from './sent-answer.ts'
import { StreamUsage } from './stream-usage.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'

// A stream broke off after its first words. Another target may continue only if that is provably safe: it accepts the words
// as the beginning of its own answer, or it begins its own answer with exactly these words.

/** A target that sends this much before it repeats the sent words is not going to repeat them. */
const MAX_BYTES_BEFORE = 16_000_000
const NOT_THE_SAME = 'its answer does not begin with the words that the caller has already'

/** What the caller asked for, and what it has received of it. */
type Broken = { input: ChatInput; sent: SentAnswer }

/** Continues a stream that broke off: with the next target, or with the same one if no other is left. Throws if none can. */
export async function resume(part: StreamPart, failure: Failure, broken: Broken): Promise<StreamPart> {
  const { attempt, remaining, stream } = part
  const { target, call, services } = attempt
  release(stream)
  if (call.signal.aborted) throw call.signal.reason
  recordFailure({ ...attempt, isLast: remaining.length === 0 }, failure)
  noteBroken(attempt, failure)
  payForPart(part, broken.input)
  if (FAILURES[failure.kind].next === 'stop' || !canResume(broken.input.request, broken.sent)) throw failure
  const targets = remaining.length > 0 || !mayAskAgain(attempt, failure) ? remaining : [target]
  const resumed = await resumeWith(targets, attempt, broken)
  if (!resumed) throw toProblem(failure, target, call.record.reasonGuards)
  services.metrics.malformed(target.provider.id, stream.decoder.malformed)
  return resumed
}

/** Whether the caller has received nothing but text, so that another target could continue it. */
export function canResume(request: ChatRequest, sent: SentAnswer): boolean {
  if (sent.isMoreThanText || sent.text === '') return false
  return (request.n ?? 1) === 1 && !request.logprobs && !request.audio
}

/**
 * The table of failures applies here too: a provider that stalled would probably stall again. One whose connection broke has
 * shown its words already, and is asked for the rest.
 */
function mayAskAgain({ call, services }: ChatAttempt, { kind }: Failure): boolean {
  const isRepeatable = FAILURES[kind].next === 'retry' || kind === 'reset'
  return isRepeatable && call.record.attempts.length === 1 && services.retries.take(call.caller.owner)
}

/** The first target that continues; undefined if none does. Why the others do not is left out: the break is the error. */
async function resumeWith(
  targets: readonly ChatTarget[],
  { requester, call, services }: ChatAttempt,
  broken: Broken,
): Promise<StreamPart | undefined> {
  for (const [index, target] of targets.entries()) {
    for (const way of waysOf(target)) {
      const begun = await beginAgain(way, { target, isLast: false, asksOnce: true, requester, call, services }, broken)
      if (!begun) continue
      const streamUsage = new StreamUsage(services.monotonic())
      // The target has written everything again that the caller has got already.
      if (begun.overlap?.isStrict) streamUsage.chars += charsOfMessage({ content: broken.sent.text }, streamUsage.meter)
      return { ...begun, remaining: targets.slice(index + 1), streamUsage }
    }
  }
  return undefined
}

type Way = 'prefill' | 'repeat'

/** A model may refuse what its provider's row promises; then it is asked like any other. */
function waysOf({ traits, provider }: ChatTarget): Way[] {
  return (traits?.prefill ?? provider.prefill) ? ['prefill', 'repeat'] : ['repeat']
}

/** Asks once, without waiting between retries, because the caller has waited already. */
async function beginAgain(
  way: Way,
  planned: PlannedAttempt<ChatTarget, CallServices>,
  { input, sent }: Broken,
): Promise<Pick<StreamPart, 'attempt' | 'stream' | 'overlap'> | undefined> {
  const { target, call } = planned
  const overlap = way === 'prefill' ? afterPrefill(sent.text) : new Overlap(sent.text, 'must repeat')
  const request = way === 'prefill' ? withPrefill(input.request, sent.text, target) : input.request
  try {
    await input.files?.readyFor(target)
    const resumed = withFilesOf(input, { request })
    const { attempt, reply } = await tryTarget(planned, {
      worstCase: chatWorstCase(resumed),
      exactCase: exactChatCase(resumed, call),
      ask: async (attempt: ChatAttempt) => {
        const stream = await askStream(attempt, resumed)
        return await pastOverlap(stream, overlap).catch((error) => {
          giveUp(stream)
          throw error
        })
      },
    })
    return { attempt, stream: reply, overlap }
  } catch (error) {
    if (call.signal.aborted) throw error
    return undefined
  }
}

/** Providers refuse a prefill that ends in white space, so we cut it off. If the model writes it again, it is not sent twice. */
function afterPrefill(text: string): Overlap {
  return new Overlap(text.slice(text.trimEnd().length), 'may repeat')
}

function withPrefill(request: ChatRequest, text: string, { provider }: ChatTarget): ChatRequest {
  const mark = PREFILL_MARKS[provider.id]
  const messages: ChatRequest['messages'] = [
    ...request.messages,
    { role: 'assistant', content: text.trimEnd(), ...mark },
  ]
  return { ...request, messages, ...capsLeft(request, text) }
}

/** What the first target wrote counts towards the caller's caps. Its tokens are estimated, as about four characters each. */
function capsLeft(request: ChatRequest, text: string): Partial<ChatRequest> {
  const written = Math.ceil(text.length / CHARS_PER_TOKEN)
  const caps = (['max_tokens', 'max_completion_tokens'] as const).filter((field) => request[field] != null)
  return Object.fromEntries(caps.map((field) => [field, Math.max(1, request[field]! - written)]))
}

/** Fields that tell a provider that the last message is a prefill. */
const PREFILL_MARKS: Record<string, object> = { mistral: { prefix: true }, moonshot: { partial: true } }

/** Reads until the new answer is past the text that was sent already. Only then has the target really answered. */
async function pastOverlap(stream: OpenStream, overlap: Overlap): Promise<OpenStream> {
  return { ...stream, first: await newChunks(stream, overlap) }
}

async function newChunks({ first, decoder, events }: OpenStream, overlap: Overlap): Promise<ChatChunk[]> {
  const buffered: ChatChunk[] = []
  let bytes = 0
  for (let chunks = first; ; ) {
    for (const chunk of chunks) {
      if (!overlap.cut(chunk)) continue
      buffered.push(chunk)
      bytes += valueBytes(chunk)
    }
    if (overlap.isBroken || bytes > MAX_BYTES_BEFORE) throw new UselessAnswer(NOT_THE_SAME)
    if (overlap.remaining === 0 || !overlap.isStrict) return buffered
    const batch = decoder.ended ? undefined : await events.next()
    if (!batch) throw new UselessAnswer(NOT_THE_SAME)
    chunks = batch.flatMap((event) => feedUntilEnd(decoder, event))
  }
}
