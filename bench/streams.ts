// Streams under load: lanes side by side, each stream read to its end, a share of them left half way.
import { Agent, type IncomingMessage, request } from 'node:http'
import type { BenchRequest } from './load.ts'
import { STREAM_EVENTS, STREAM_PACE_MS } from './payload.ts'

const ABORT_EVERY = 10
const LANE_GAP_MS = 4
const STREAM_LIMIT_MS = 30_000
const EVENT_END = Buffer.from('\n\n')
const LAST_EVENT = '[DONE]'
const TAIL_BYTES = 16

type StreamLoad = BenchRequest & { lanes: number; streamsPerLane: number }
type StreamOutcome = {
  events: number
  reads: number
  streams: number
  aborts: number
  errors: string[]
  firstByteUs: number[]
  seconds: number
}

export async function runStreams(load: StreamLoad): Promise<StreamOutcome> {
  const outcome: StreamOutcome = { events: 0, reads: 0, streams: 0, aborts: 0, errors: [], firstByteUs: [], seconds: 0 }
  const agent = new Agent({ keepAlive: true, maxSockets: load.lanes })
  const started = performance.now()
  await Promise.all(Array.from({ length: load.lanes }, (_, lane) => runLane(load, lane, agent, outcome)))
  outcome.seconds = (performance.now() - started) / 1000
  agent.destroy()
  return outcome
}

/** How long one stream takes at the upstream's pace. */
export function streamSeconds(): number {
  return (STREAM_EVENTS * STREAM_PACE_MS) / 1000
}

async function runLane(load: StreamLoad, lane: number, agent: Agent, outcome: StreamOutcome): Promise<void> {
  // Fifty streams that start in the same instant would measure a queue, not a gateway.
  await new Promise((resolve) => setTimeout(resolve, lane * LANE_GAP_MS))
  for (let turn = 0; turn < load.streamsPerLane; turn++) {
    const abortAt = outcome.streams++ % ABORT_EVERY === ABORT_EVERY - 1 ? STREAM_EVENTS / 2 : Number.POSITIVE_INFINITY
    await runStream(load, abortAt, agent, outcome).catch((error: Error) => outcome.errors.push(error.message))
  }
}

function runStream(load: StreamLoad, abortAt: number, agent: Agent, outcome: StreamOutcome): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const started = performance.now()
  const options = { method: 'POST', agent, headers: load.headers, timeout: STREAM_LIMIT_MS }
  const body = request(load.url, options, (answer) => {
    answer.once('data', () => outcome.firstByteUs.push((performance.now() - started) * 1000))
    readStream(answer, abortAt, outcome).then(resolve, reject)
  })
  body.on('timeout', () => body.destroy(new Error('a stream stood still')))
  body.on('error', reject)
  body.end(load.body)
  return promise
}

async function readStream(answer: IncomingMessage, abortAt: number, outcome: StreamOutcome): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let seen = 0
  let tail: Buffer = Buffer.alloc(0)
  answer.on('data', (part: Buffer) => {
    outcome.reads++
    const fresh = countEvents(tail, part)
    seen += fresh
    outcome.events += fresh
    tail = lastBytes(tail, part)
    if (seen < abortAt) return
    outcome.aborts++
    abortAt = Number.POSITIVE_INFINITY
    answer.removeAllListeners('error').on('error', () => {})
    answer.destroy()
    resolve()
  })
  answer.on('error', reject)
  answer.on('end', () => {
    const whole = answer.statusCode === 200 && seen === STREAM_EVENTS && tail.includes(LAST_EVENT)
    if (whole) resolve()
    else reject(new Error(`status ${answer.statusCode}, ${seen} of ${STREAM_EVENTS} events`))
  })
  return promise
}

function countEvents(tail: Buffer, part: Buffer): number {
  // An event's end may be cut in two by the network: one line break at the end of a read, one at the start of the next.
  const cut = tail.at(-1) === 10 && tail.at(-2) !== 10 && part[0] === 10 ? 1 : 0
  let count = cut
  for (let at = part.indexOf(EVENT_END, cut); at >= 0; at = part.indexOf(EVENT_END, at + 2)) count++
  return count
}

function lastBytes(tail: Buffer, part: Buffer): Buffer {
  return part.length >= TAIL_BYTES ? part.subarray(-TAIL_BYTES) : Buffer.concat([tail, part]).subarray(-TAIL_BYTES)
}
