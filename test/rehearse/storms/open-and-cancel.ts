import { setTimeout } from 'node:timers/promises'
import { HELLO } from '../../gateway/chat-client.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { collectGarbage } from '../../fakes/collect-garbage.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { call, read } from './caller.ts'
import {
  howMany,
  mapConcurrently,
  openStormGateway,
  type Storm,
  type StormGateway,
  type StormOptions,
} from './storm.ts'
import { MB } from '../../../src/base/units/units.ts'

const AT_ONCE = 20
/** Everything that is created once and kept is created before the first count. */
const WARM_UP = 40
const MAX_MORE = 5
const MAX_MORE_MB = 10
const SETTLED_WITHIN_MS = 5_000
const POLL_MS = 20
const LOOKS = 5

const BEGINNING = textEvents('a few words')
  .slice(0, 3)
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('')

type Count = { sockets: number; timers: number; listeners: number; connections: number }

/** Streams that are opened and abandoned: everything that they held is released. */
export const openAndCancel: Storm = async (options) => {
  const startedAt = performance.now()
  const warnings: string[] = []
  const warn = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message)
  }
  process.on('warning', warn)
  const gateway = await openStormGateway()
  gateway.provider.always(beginAndStop)
  await mapConcurrently({ count: WARM_UP }, AT_ONCE, () => openOne(gateway))
  const before = await settled(gateway, options)
  const done = await mapConcurrently(options, AT_ONCE, () => openOne(gateway))
  const after = await settled(gateway, options, before)
  process.off('warning', warn)
  await gateway.close()
  const grown = (after.megabytes - before.megabytes).toFixed(1)
  const names = Object.keys(before.count) as (keyof Count)[]
  const wrong = [
    ...names
      .filter((name) => after.count[name] > before.count[name] + MAX_MORE)
      .map((name) => `${name}: ${before.count[name]} before, ${after.count[name]} after`),
    ...(options.strict && Number(grown) > MAX_MORE_MB ? [`${grown} MB more`] : []),
    ...warnings,
  ]
  const title = 'streams opened and left: sockets, timers, listeners and memory as before'
  const memory = options.strict ? `, ${grown} MB more` : ''
  const got = `${howMany(done, options)} cycles, ${JSON.stringify(after.count)}${memory}`
  return { title, got, calls: done, seconds: (performance.now() - startedAt) / 1_000, wrong }
}

/** Waits for nothing: a pending wait would be kept forever and counted as a leak of the gateway. */
const beginAndStop: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(BEGINNING)
}

async function openOne({ gateway, provider }: StormGateway): Promise<void> {
  // The fake counts requests and does not keep them, because they are many.
  provider.requests.length = 0
  const asking = call(gateway.url, { ...HELLO, model: 'fake/left', stream: true })
  await read(asking, 0)
  asking.destroy()
}

/** Sockets close a moment later, so it polls until they have, or for long enough. */
async function settled(gateway: StormGateway, { strict }: StormOptions, wanted?: { count: Count }) {
  await gateway.idle()
  const end = performance.now() + SETTLED_WITHIN_MS
  let count = await countAll(gateway)
  while (performance.now() < end && !isBack(count, wanted?.count)) {
    await setTimeout(POLL_MS)
    count = await countAll(gateway)
  }
  return { count, megabytes: strict ? await leastMemory() : 0 }
}

/** One collection does not find everything. Memory that is really held is there every time. */
async function leastMemory(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < LOOKS; look++) {
    await collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    least = Math.min(least, (heapUsed + external) / MB)
    await setTimeout(POLL_MS)
  }
  return least
}

/** Without a reference, all clients must have left and all connections to the provider must be closed. */
function isBack(count: Count, wanted: Count | undefined): boolean {
  if (!wanted) return count.connections === 0
  return (Object.keys(count) as (keyof Count)[]).every((name) => count[name] <= wanted[name] + MAX_MORE)
}

async function countAll({ gateway, provider }: StormGateway): Promise<Count> {
  const { api } = gateway.gateway
  const active = process.getActiveResourcesInfo()
  const ofClients = await new Promise<number>((resolve) => api.server.getConnections((_, count) => resolve(count)))
  const emitters = [process, api.server]
  const listeners = emitters.flatMap((emitter) => emitter.eventNames().map((name) => emitter.listenerCount(name)))
  return {
    sockets: active.filter((name) => name.startsWith('TCPSocket')).length,
    timers: active.filter((name) => name === 'Timeout').length,
    listeners: listeners.reduce((sum, count) => sum + count, 0),
    connections: ofClients + provider.openSockets,
  }
}
