import type { Attempt } from '../../calls/attempts/attempt.ts'
import { isFailure, toProblem } from '../../calls/attempts/failures.ts'
import type { Ending } from '../../calls/attempts/plan.ts'
import { noteBroken, recordAbandoned, recordFailure, recordSuccess } from '../../calls/attempts/record-outcome.ts'
import { failureOf } from '../../calls/call.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { ImageReply, PartialImage } from '../../translation/dialects/image-codec.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { PulledStream } from '../../calls/pulled-stream.ts'
import type { BegunImage } from './begin-image.ts'
import { billOfImages } from './cost.ts'
import type { MadeImages } from './made-images.ts'
import { madeFrom, type Ordered } from './order.ts'
import { type OutputImage, toOutputImage } from './output-images.ts'
import type { ImageTarget } from './target.ts'

const CUT = 'the provider broke off before its image was complete'

/** An event for the caller: an image, or a partial one, and what else is said about it. */
export type SentImage = { kind: 'partial_image' | 'completed'; image: OutputImage; fields: Record<string, unknown> }

export type ImageStream = PulledStream<SentImage>

type Relayed = {
  begun: BegunImage
  ordered: Ordered
  attempt: Attempt<ImageTarget, CallServices>
  ending: Ending
  /** The last events, once the image is paid for. */
  finish(made: MadeImages): Promise<SentImage[]>
}

/** Passes the partial images on, and ends the call when the image is complete, or with an error if it never is. */
export class ImageRelay implements ImageStream {
  readonly #relayed: Relayed
  #isFirst = true
  #isEnded = false

  constructor(relayed: Relayed) {
    this.#relayed = relayed
  }

  async next(): Promise<SentImage[] | undefined> {
    if (this.#isEnded) return undefined
    const { begun, attempt, ending } = this.#relayed
    try {
      const event = this.#isFirst ? begun.first : await begun.rest.next()
      this.#isFirst = false
      if (!event) throw new UpstreamProblem('cut', CUT)
      return event.done ? await this.#complete(event.reply) : [this.#partial(event.partial)]
    } catch (error) {
      this.#judge(error)
      const { target, call } = attempt
      const told = isFailure(error) ? toProblem(error, target, call.record.reasonGuards) : failureOf(call, error)
      throw this.#fail(told, ending)
    }
  }

  leave(error?: unknown): void {
    if (this.#isEnded) return
    recordAbandoned(this.#relayed.attempt)
    this.#fail(error, this.#relayed.ending)
  }

  /** The line is written before the caller has the last event. */
  async #complete(reply: ImageReply): Promise<SentImage[]> {
    const { begun, ordered, attempt, ending, finish } = this.#relayed
    const { order, rest } = begun
    const made = madeFrom(reply, rest.longs)
    recordSuccess(attempt)
    order.delivered(billOfImages(made, ordered.input, ordered.target.entry))
    const events = await finish(made)
    this.#isEnded = true
    rest.close()
    ending.close()
    return events
  }

  #partial({ index, b64_json, created, size, quality, background, outputFormat }: PartialImage): SentImage {
    const image = toOutputImage({ b64_json }, this.#relayed.begun.rest.longs)
    const about = { created_at: created, size, quality, background, output_format: outputFormat }
    return { kind: 'partial_image', image, fields: { partial_image_index: index, ...about } }
  }

  #judge(error: unknown): void {
    const { attempt } = this.#relayed
    if (attempt.call.signal.aborted || !isFailure(error)) return recordAbandoned(attempt)
    recordFailure(attempt, error)
    noteBroken(attempt, error)
  }

  /** The provider has begun to draw, so that its order, which is still open, is left with an estimate when the call is closed. */
  #fail(error: unknown, ending: Ending): unknown {
    this.#isEnded = true
    this.#relayed.begun.rest.close()
    return ending.fail(error)
  }
}

/** Events of an answer that came whole. */
export function listed(events: readonly SentImage[]): ImageStream {
  const all = [events]
  return { next: async () => all.shift()?.slice(), leave() {} }
}
