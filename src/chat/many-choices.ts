import type { ChatChunk, ChatCompletion, Usage } from '../contract/chat-reply.ts'
import { problem } from '../contract/problems.ts'
import type { WireEvent } from '../wire/wire.ts'
import type { ChatCall, ChatDecoder } from '../dialects/chat-codec.ts'
import { askStream, askWhole, type Events, type OpenStream } from '../upstream/ask.ts'
import type { AttemptContext } from '../attempts/attempt.ts'
import type { Call } from '../calls/call.ts'
import { chatCodecOf } from '../upstream/chat-codec-of.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'

// Several answers to one question. Where the wire knows no `n`, they are as many calls side by side, told as one.

/** No provider that can do it itself makes more, and each is a call that is paid. */
const MAX_CALLS = 16

export function askForAnswers(
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
): Promise<ChatCompletion> {
  const calls = callsFor(target, input)
  if (calls === 1) return askWhole(target, attemptContext, input, call, context)
  return manyAnswers(calls, target, attemptContext, input, call, context)
}

async function manyAnswers(
  calls: number,
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
): Promise<ChatCompletion> {
  const one = sentOnce(input)
  const answers = await all(calls, () => askWhole(target, attemptContext, one, call, context))
  const choices = answers.map((answer, index) => ({ ...answer.choices[0]!, index }))
  return { ...answers[0]!, choices, usage: sumOf(answers.map(({ usage }) => usage)) }
}

export async function askForStreams(
  target: ChatTarget,
  attemptContext: AttemptContext,
  input: ChatCall,
  call: Call,
  context: AppContext,
): Promise<OpenStream> {
  const calls = callsFor(target, input)
  if (calls === 1) return askStream(target, attemptContext, input, call, context)
  const one = sentOnce(input)
  return sideBySide(
    await all(
      calls,
      () => askStream(target, attemptContext, one, call, context),
      ({ events }) => events.close(),
    ),
  )
}

function callsFor({ provider }: ChatTarget, { request }: ChatCall): number {
  if (request.n == null || request.n === 1) return 1
  const { choices = 'many' } = provider.choices ? provider : chatCodecOf(provider)
  const isOwn = choices === 'many' || (choices === 'many when whole' && !request.stream)
  if (!isOwn && request.n > MAX_CALLS) throw tooMany(provider.name)
  return isOwn ? 1 : request.n
}

function tooMany(provider: string) {
  const msg = `${provider} gives one answer at a time; at most ${MAX_CALLS} are asked for side by side`
  return problem('validation_error', {
    message: msg,
    param: 'n',
    detail: [{ loc: ['body', 'n'], msg, type: 'less_than_equal' }],
  })
}

/** Whoever gives one answer at a time may not know the field at all. */
function sentOnce({ request: { n: _, ...request } }: ChatCall): ChatCall {
  return { request }
}

/** All or none: when one fails, those that have begun are given up. */
async function all<T>(count: number, ask: () => Promise<T>, giveUp?: (one: T) => void): Promise<T[]> {
  const settled = await Promise.allSettled(Array.from({ length: count }, ask))
  const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
  const begun = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (!failed) return begun
  if (giveUp) begun.forEach(giveUp)
  throw failed.reason
}

type Numbered = WireEvent & { of: number }

function sideBySide(streams: OpenStream[]): OpenStream {
  const decoder = new ManyDecoder(streams.map((stream) => stream.decoder))
  const first = streams.flatMap(({ first }, of) => first.map((chunk) => decoder.number(chunk, of)))
  return { first, decoder, events: new ManyEvents(streams.map((stream) => stream.events)) }
}

/** Events of several streams, in the order in which they arrive. */
class ManyEvents implements Events {
  readonly #streams: readonly Events[]
  readonly #waiting = new Map<number, Promise<{ of: number; batch: WireEvent[] | undefined }>>()

  constructor(streams: readonly Events[]) {
    this.#streams = streams
    for (const of of streams.keys()) this.#wait(of)
  }

  async next(): Promise<Numbered[] | undefined> {
    while (this.#waiting.size > 0) {
      const { of, batch } = await Promise.race(this.#waiting.values())
      this.#waiting.delete(of)
      if (!batch) continue
      this.#wait(of)
      return batch.map((event) => ({ ...event, of }))
    }
    return undefined
  }

  close(): void {
    for (const stream of this.#streams) stream.close()
  }

  #wait(of: number) {
    const arriving = this.#streams[of]!.next().then((batch) => ({ of, batch }))
    // Whoever asks next gets the failure; nobody may be asking when it comes.
    arriving.catch(() => undefined)
    this.#waiting.set(of, arriving)
  }
}

class ManyDecoder implements ChatDecoder {
  readonly #decoders: readonly ChatDecoder[]
  readonly #usages: (Usage | undefined)[]

  constructor(decoders: readonly ChatDecoder[]) {
    this.#decoders = decoders
    this.#usages = decoders.map(() => undefined)
  }

  get ended(): boolean {
    return this.#decoders.every(({ ended }) => ended)
  }

  get done(): boolean {
    return this.#decoders.every(({ done }) => done)
  }

  get malformed(): number {
    return this.#decoders.reduce((sum, { malformed }) => sum + malformed, 0)
  }

  feed(event: WireEvent): ChatChunk[] {
    const { of } = event as Numbered
    return this.#decoders[of]!.feed(event).map((chunk) => this.number(chunk, of))
  }

  /** Each stream counts its own tokens, again and again; the last sum is the right one. */
  number(chunk: ChatChunk, of: number): ChatChunk {
    for (const choice of chunk.choices) choice.index = of
    if (!chunk.usage) return chunk
    this.#usages[of] = chunk.usage
    return { ...chunk, usage: sumOf(this.#usages) }
  }
}

/** Unknown as soon as one of them is. */
function sumOf(usages: readonly (Usage | null | undefined)[]): Usage | null {
  const known = usages.filter((usage) => usage != null)
  if (known.length < usages.length) return null
  return known.reduce((sum, usage) => added(sum, usage) as Usage)
}

function added(one: object, other: object): object {
  const sum: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name]
    if (typeof value === 'number') sum[name] = typeof before === 'number' ? before + value : value
    else if (value && typeof value === 'object') sum[name] = added((before ?? {}) as object, value)
  }
  return sum
}
