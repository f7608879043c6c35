// The part of a trace that crosses processes, as W3C Trace Context writes it: the headers `traceparent` and `tracestate`.

export type SpanContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** What tracing systems on the way have added, as it came. */
  readonly state: string | null
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/
/** The length of version 00, which has nothing after the flags. */
const VERSION_00_CHARS = 55
const INVALID_VERSION = 'ff'
const ZEROS = /^0+$/
const SAMPLED = 1
/** Vendors have to accept this much. More would be copied into every span of the trace. */
const MAX_STATE_CHARS = 512
const STATE = /^[\x20-\x7e]+$/

type Header = string | string[] | undefined

/** Reads the headers of a caller. A `traceparent` that is not valid is ignored, and its `tracestate` with it. */
export function readTraceContext(traceparent: Header, tracestate?: Header): SpanContext | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === INVALID_VERSION || isZero(traceId!) || isZero(spanId!)) return undefined
  if (version === '00' && traceparent.length !== VERSION_00_CHARS) return undefined
  const isSampled = (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED
  return { traceId: traceId!, spanId: spanId!, isSampled, state: stateIn(tracestate) }
}

export function writeTraceparent({ traceId, spanId, isSampled }: Omit<SpanContext, 'state'>): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

function isZero(id: string): boolean {
  return ZEROS.test(id)
}

function stateIn(header: Header): string | null {
  if (typeof header !== 'string' || header.length > MAX_STATE_CHARS) return null
  return STATE.test(header) ? header : null
}
