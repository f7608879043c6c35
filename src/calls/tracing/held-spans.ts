import type { Span } from '../../platform/telemetry/otlp/span.ts'
import type { SpanSource } from '../../platform/telemetry/otlp/span-queue.ts'
import type { KeptContent } from '../content-draft.ts'
import { messagesOf } from './content-messages.ts'
import type { SpanParts } from './span-parts.ts'

/** The spans of a call whose contents are to be in them. */
export class HeldSpans implements SpanSource {
  readonly #all: readonly Span[]
  readonly #parts: SpanParts

  constructor(all: readonly Span[], parts: SpanParts) {
    this.#all = all
    this.#parts = parts
  }

  get spans(): number {
    return this.#all.length
  }

  /** The span of the latest attempt gets them, as it has the tokens. */
  add(content: KeptContent): void {
    const { attributes: names } = this.#parts.names
    const { system, input, output, omitted } = messagesOf(content)
    this.#all
      .at(-1)
      ?.attributes.add(names.systemInstructions, system)
      .add(names.inputMessages, input)
      .add(names.outputMessages, output)
      .add(names.omittedMessages, omitted || null)
  }

  encode(): string[] {
    return this.#all.map(this.#parts.format.span)
  }
}
