import { valueBytes } from '../../translation/json/value-bytes.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import type { ChatInput } from './chat-input.ts'

/** An input with more characters may have more than 100,000 tokens, which take long to read. */
const LONG_INPUT_CHARS = 400_000

/**
 * How long the last target may take for the first token of a stream; undefined if only the limits for the head and for
 * silence apply. Cheap processing (`flex`) waits in a queue, and long inputs and files take long to read.
 */
export function lastFirstTokenMs({ timeouts }: ChatTarget, input: ChatInput): number | undefined {
  const { request, source, files, attachments } = input
  if (timeouts.lastFirstTokenMs === undefined || request.service_tier === 'flex') return undefined
  if (files || attachments) return undefined
  const chars = source?.text.length ?? valueBytes(request.messages)
  return chars > LONG_INPUT_CHARS ? undefined : timeouts.lastFirstTokenMs
}

/** Ends one attempt, and not the call, if its first token takes too long. */
export class FirstTokenTimer {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  isOver = false

  constructor(call: AbortSignal, ms: number) {
    // The listener stays for the rest of the call: a caller who leaves later has to reach this attempt's socket too.
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
