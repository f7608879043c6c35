// How much memory Gatehouse takes: idle, under load, in a quiet time after it, and while it holds streams open.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './bench-figures.ts'
import { type Contender, startGatehouse } from './contenders.ts'
import { treeRssBytes } from './cpu.ts'
import type { BenchRequest, LoadGenerator } from './load.ts'
import { heldChatBody } from './payload.ts'
import { WHOLE, wholeWork } from './scenarios.ts'
import { startNodeUpstream, type Upstream } from './upstream.ts'
import type { Workplace } from './workplace.ts'
import { MB } from '../src/base/units/units.ts'

/** Longer than a gateway waits before it gives back what its start has left behind. */
const IDLE_SECONDS = 30
const LOAD_SECONDS = 20
const QUIET_SECONDS = 30
const HELD_STREAMS = 1_000
const HELD_SECONDS = 5
const OPEN_AT_ONCE = 50
const SAMPLE_EVERY_MS = 250

export type MemoryLevel = { what: string; mb: number; aimMb: number }

export async function measureLevels(
  workplace: Workplace,
  generator: LoadGenerator,
  upstream: Upstream,
): Promise<MemoryLevel[]> {
  const gatehouse = await startGatehouse(workplace, upstream.baseUrl)
  const load = async (name: 'small' | 'large') => {
    const { errors } = await wholeWork(generator, WHOLE[name]!, LOAD_SECONDS)(gatehouse)
    if (errors.length > 0) throw new Error(errors[0])
  }
  try {
    await sleep(IDLE_SECONDS * 1000)
    return [
      { what: 'idle', mb: rssMb(gatehouse), aimMb: 150 },
      { what: 'under chats of 1 KB', mb: await lastThird(gatehouse, load('small')), aimMb: 400 },
      { what: 'under chats of 100 KB', mb: await lastThird(gatehouse, load('large')), aimMb: 450 },
      { what: `${QUIET_SECONDS} s after them`, mb: await afterQuiet(gatehouse), aimMb: 220 },
      await heldStreams(workplace),
    ]
  } finally {
    await gatehouse.running?.stop()
  }
}

/** The median of the samples of the last third: until then the heap grows to its working size. */
async function lastThird(contender: Contender, load: Promise<void>): Promise<number> {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(rssMb(contender)), SAMPLE_EVERY_MS)
  await load.finally(() => clearInterval(timer))
  return median(samples.slice(-Math.ceil(samples.length / 3)))
}

async function afterQuiet(contender: Contender): Promise<number> {
  await sleep(QUIET_SECONDS * 1000)
  return rssMb(contender)
}

/** In a process of its own, which has done nothing else. */
async function heldStreams(workplace: Workplace): Promise<MemoryLevel> {
  const upstream = await startNodeUpstream(workplace)
  const gatehouse = await startGatehouse(workplace, upstream.baseUrl)
  const agent = new Agent({ maxSockets: HELD_STREAMS })
  try {
    const { url, headers, model } = gatehouse
    const body = heldChatBody(model)
    for (let open = 0; open < HELD_STREAMS; open += OPEN_AT_ONCE)
      await Promise.all(Array.from({ length: OPEN_AT_ONCE }, () => openStream({ url, headers, body }, agent)))
    await sleep(HELD_SECONDS * 1000)
    return { what: `${HELD_STREAMS.toLocaleString('en')} held streams`, mb: rssMb(gatehouse), aimMb: 230 }
  } finally {
    agent.destroy()
    await gatehouse.running?.stop()
    await upstream.running.stop()
  }
}

/** Resolves with the first bytes of the answer, and leaves the stream open. */
function openStream({ url, headers, body }: BenchRequest, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
    if (answer.statusCode !== 200) reject(new Error(`a stream that should be held got ${answer.statusCode}`))
    answer.on('error', () => undefined)
    answer.on('data', () => resolve())
  })
  // Later it says that the agent is destroyed.
  sent.on('error', reject)
  sent.end(body)
  return promise
}

function rssMb({ running }: Contender): number {
  return treeRssBytes(running?.pid ?? 0) / MB
}
