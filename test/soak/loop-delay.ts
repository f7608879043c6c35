import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UniversalJob } from '../../src/contract/universal.ts'
import { startGateway } from '../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'

// How late the event loop of a gateway is while its engines read pages, compared with this machine when idle. `node
// test/soak/loop-delay.ts` measures only this.

const PAGE = new URL('../../docs/scanned-page.png', import.meta.url)
const JOBS = 10
const MAX_P99_MS = 30
/** A timer with this interval measures how late it is; the figures include the interval. */
const RESOLUTION_MS = 10
const IDLE_MS = 3_000
/** Polling for the ends of jobs is work for the loop too. */
const ASK_EVERY_MS = 250

/** In ms. `own` is the loop's own work between two measurements; the rest of a delay is waiting for a processor. */
type Delay = { p50: number; p99: number; max: number; own: { p99: number; max: number } }
/** On an overloaded machine, a delay says nothing about the gateway. Then only its own work is judged. */
type LoopDelay = { idle: Delay; reading: Delay; seconds: number; isBusyElsewhere: boolean; isWithin: boolean }

export async function loopDelayWhileReading(): Promise<LoopDelay> {
  const gateway = await startGateway()
  try {
    const client = taskClient(gateway.url)
    const { file_id } = await client.store(readFileSync(PAGE), 'page.png')
    const isBusyElsewhere = loadavg()[0]! > availableParallelism()
    const idle = await delayDuring(() => sleep(IDLE_MS))
    const begun = performance.now()
    const reading = await delayDuring(() => readPages(client, file_id))
    const seconds = (performance.now() - begun) / 1_000
    const judged = isBusyElsewhere ? reading.own.p99 : reading.p99
    return { idle, reading, seconds: Math.round(seconds), isBusyElsewhere, isWithin: judged < MAX_P99_MS }
  } finally {
    await gateway.close()
  }
}

/** Runs ten jobs at once, including the loading of the engine. */
async function readPages(client: TaskClient, file: string): Promise<void> {
  const job = { model: 'ocr/ocr_async/local', input: { file } }
  const submitted = await Promise.all(Array.from({ length: JOBS }, () => client.submit(job)))
  for (const { body } of submitted) await untilRead(client, body.public_id)
}

async function untilRead(client: TaskClient, id: string): Promise<void> {
  for (;;) {
    const { body } = await client.get<UniversalJob>(`/v3/universal-ai/async/${id}`)
    if (body.status === 'success') return
    if (body.status !== 'processing') throw new Error(`a page was not read: ${body.status}`)
    await sleep(ASK_EVERY_MS)
  }
}

async function delayDuring(act: () => Promise<void>): Promise<Delay> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const work = watchOwnWork()
  histogram.enable()
  await act()
  histogram.disable()
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(toMilliseconds)
  return { p50: p50!, p99: p99!, max: max!, own: work.stop() }
}

function watchOwnWork() {
  const pieces: number[] = []
  let last = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    pieces.push((user + system) * 1_000)
    last = process.threadCpuUsage()
  }, RESOLUTION_MS)
  return { stop }

  function stop() {
    clearInterval(timer)
    pieces.sort((one, other) => one - other)
    return {
      p99: toMilliseconds(pieces[Math.floor(pieces.length * 0.99)] ?? 0),
      max: toMilliseconds(pieces.at(-1) ?? 0),
    }
  }
}

function toMilliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / 100_000) / 10
}

if (import.meta.main) console.log(JSON.stringify(await loopDelayWhileReading()))
