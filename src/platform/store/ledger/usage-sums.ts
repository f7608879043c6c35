import { LATENCY_COLUMNS } from './latency-histogram.ts'

/** Sums of some requests. */
export type Sums = {
  requests: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  /** The cost of the requests whose cost is known; `unpricedRequests` says how many others there are. */
  costNanos: bigint
  unpricedRequests: number
  failedRequests: number
  /** How many requests were in each range of the latency histogram. */
  latencies: number[]
}

export const NOTHING: Sums = {
  requests: 0,
  failedRequests: 0,
  unpricedRequests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  costNanos: 0n,
  latencies: LATENCY_COLUMNS.map(() => 0),
}

export function addSums(one: Sums, other: Sums): Sums {
  return combine(one, other, 1)
}

export function subtractSums(one: Sums, other: Sums): Sums {
  return combine(one, other, -1)
}

function combine(one: Sums, other: Sums, sign: 1 | -1): Sums {
  return {
    requests: one.requests + sign * other.requests,
    failedRequests: one.failedRequests + sign * other.failedRequests,
    unpricedRequests: one.unpricedRequests + sign * other.unpricedRequests,
    promptTokens: one.promptTokens + sign * other.promptTokens,
    cachedTokens: one.cachedTokens + sign * other.cachedTokens,
    completionTokens: one.completionTokens + sign * other.completionTokens,
    costNanos: one.costNanos + BigInt(sign) * other.costNanos,
    latencies: one.latencies.map((count, index) => count + sign * other.latencies[index]!),
  }
}
