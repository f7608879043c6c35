// Does Gatehouse grow? RSS while 100,000 requests pass: the median of the last fifth minus that of the first.
import { median } from './bench-figures.ts'
import type { Contender } from './contenders.ts'
import { treeRssBytes } from './cpu.ts'
import type { Doing } from './slices.ts'
import { MB } from '../src/base/units/units.ts'

/** Until about here the heap still grows to its working size (seen over 600,000 requests); a leak goes on after it. */
const WARM_UP_REQUESTS = 100_000
const REQUESTS = 100_000
const SAMPLE_EVERY_MS = 100
const LIMIT_MS = 180_000

export type Memory = { requests: number; beforeMb: number; afterMb: number; errors: number }

export async function measureMemory(contender: Contender, work: Doing, limitMs = LIMIT_MS): Promise<Memory> {
  const deadline = Date.now() + limitMs
  await requestsUntil(WARM_UP_REQUESTS, deadline, contender, work)
  const samples: number[] = []
  const sample = () => samples.push(treeRssBytes(contender.running?.pid ?? 0) / MB)
  const timer = setInterval(sample, SAMPLE_EVERY_MS)
  const done = await requestsUntil(REQUESTS, deadline, contender, work).finally(() => clearInterval(timer))
  // Fewer would be a figure of something else, most likely of the warm-up.
  if (done.requests < REQUESTS) throw new Error(`only ${done.requests} requests were answered in time`)
  const fifth = Math.ceil(samples.length / 5)
  return { ...done, beforeMb: median(samples.slice(0, fifth)), afterMb: median(samples.slice(-fifth)) }
}

async function requestsUntil(wanted: number, deadline: number, contender: Contender, work: Doing) {
  const done = { requests: 0, errors: 0 }
  while (done.requests < wanted && Date.now() < deadline) {
    const { count, errors } = await work(contender)
    done.requests += count
    done.errors += errors.length
  }
  return done
}
