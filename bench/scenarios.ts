// What each scenario asks of a contender.
import { median } from './bench-figures.ts'
import type { Contender } from './contenders.ts'
import type { LoadGenerator } from './load.ts'
import { ANSWER_TEXT, chatBody } from './payload.ts'
import type { ScenarioName } from './settings.ts'
import type { Doing, Work } from './slices.ts'
import { runStreams, streamSeconds } from './streams.ts'
import { readStreamCounts, type Upstream } from './upstream.ts'

const KILOBYTE = 1024
const STREAM_LANES = 50
const DRAIN_LIMIT_MS = 5_000
const DRAIN_POLL_MS = 25

type WholeScenario = { title: string; bytes: number; connections: number; withDirect: boolean }

export const WHOLE: Partial<Record<ScenarioName, WholeScenario>> = {
  small: { title: '1 KB body, 32 connections', bytes: KILOBYTE, connections: 32, withDirect: false },
  large: { title: '100 KB body, 16 connections', bytes: 100 * KILOBYTE, connections: 16, withDirect: false },
  one: { title: '1 KB body, 1 connection', bytes: KILOBYTE, connections: 1, withDirect: true },
}

export const STREAMS_TITLE = `streams, ${STREAM_LANES} at once`

export function wholeWork(generator: LoadGenerator, scenario: WholeScenario, seconds: number): Doing {
  return async (contender) => {
    const body = chatBody(contender.model, scenario.bytes)
    const { url, headers } = contender
    const done = await generator.run({ url, headers, body, connections: scenario.connections, seconds })
    return { ...done, errors: done.errors > 0 ? [`${done.errors} failed requests`] : [] }
  }
}

export function streamWork(upstream: Upstream, seconds: number): Doing {
  const streamsPerLane = Math.max(1, Math.round(seconds / streamSeconds()))
  return async (contender): Promise<Work> => {
    const before = await readStreamCounts(upstream)
    const { url, headers } = contender
    const body = chatBody(contender.model, KILOBYTE, true)
    const done = await runStreams({ url, headers, body, lanes: STREAM_LANES, streamsPerLane })
    const reached = (await drained(upstream)).aborted - before.aborted
    const { events: count, errors, firstByteUs } = done
    return { count, seconds: done.seconds, p50Us: median(firstByteUs), errors, aborts: { sent: done.aborts, reached } }
  }
}

/** One call by hand before anything is counted: a fast wrong answer is not an answer. */
export async function checkAnswer(contender: Contender): Promise<void> {
  const { url, headers, model } = contender
  const signal = AbortSignal.timeout(60_000)
  const answer = await fetch(url, { method: 'POST', headers, body: chatBody(model, KILOBYTE), signal })
  const text = await answer.text()
  if (answer.status === 200 && text.includes(ANSWER_TEXT)) return
  throw new Error(`${contender.name} answers ${answer.status}: ${text.slice(0, 300)}`)
}

async function drained(upstream: Upstream) {
  const deadline = Date.now() + DRAIN_LIMIT_MS
  for (;;) {
    const counts = await readStreamCounts(upstream)
    const open = counts.started - counts.finished - counts.aborted
    if (open === 0 || Date.now() > deadline) return counts
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS))
  }
}
