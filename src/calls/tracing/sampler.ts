import type { Sampler as SamplerSettings } from '../../platform/config/telemetry/telemetry.ts'
import type { SpanContext } from '../../platform/telemetry/trace-context.ts'

/** The end of a trace id, which the conventions expect to be random: 52 bits, so that a number holds them exactly. */
const RANDOM_DIGITS = 13
const RANDOM_RANGE = 16 ** RANDOM_DIGITS

/** Decides which traces are kept. Spans are written when a call has ended, so a call that went wrong can be kept after all. */
export type Sampler = {
  /** At the beginning of a call. Local model servers are told of this decision. */
  samples(traceId: string, parent: SpanContext | undefined): boolean
  /** Whether failures and fallbacks are kept even if the trace was not sampled. With `always_off` they are not. */
  readonly keepsProblems: boolean
}

export function openSampler({ ratio, isParentBased }: SamplerSettings): Sampler {
  const keeps = (traceId: string) => ratio >= 1 || numberIn(traceId) < ratio
  return {
    samples: (traceId, parent) => (isParentBased && parent ? parent.isSampled : keeps(traceId)),
    keepsProblems: ratio > 0,
  }
}

/** From 0 to 1. All processes that see the trace compute the same. */
function numberIn(traceId: string): number {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / RANDOM_RANGE
}
