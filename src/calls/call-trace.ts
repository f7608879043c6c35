import type { SpanContext } from '../platform/telemetry/trace-context.ts'
import type { AttemptRecord } from './attempt-record.ts'

/** The span of a call or of another request, and its place in a trace. Its spans are written when it ends. */
export type CallTrace = SpanContext & {
  /** The span of the caller, if the caller has sent one. */
  readonly parentId: string | null
  /** The span of the request that submitted a job: days may pass, so a job has a trace of its own. */
  readonly link: SpanContext | null
  readonly kind: 'server' | 'consumer'
  /** `POST /v3/chat/completions`, or the task of a job. */
  readonly name: string
  /** Milliseconds from the first byte of the request to the beginning of the call. */
  readonly beforeMs: number
  /** The body of the request. Only its settings are read, never its content. */
  readonly body: unknown
  /** Attempts of the parts of the call, such as the tasks of hooks. */
  readonly inner: AttemptRecord[]
  /** Milliseconds between the chunks of a streamed answer. */
  readonly chunkGaps: number[]
  lastChunkAt?: number | undefined
  /** Whether its span has been recorded. */
  isEnded: boolean
}

/** What an answer says about itself, for its span. */
export type AnswerFacts = {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly finishReasons: readonly string[]
}
