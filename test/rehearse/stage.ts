import { setTimeout } from 'node:timers/promises'
import { DEFAULT_TIMEOUTS } from '../../src/platform/config/timeouts.ts'
import { backOffMs, sleep } from '../../src/calls/attempts/back-off.ts'
import { Circuits } from '../../src/calls/attempts/circuits.ts'
import { RetryBudget } from '../../src/calls/attempts/retry-budget.ts'
import type { Overrides } from '../../src/server/gateway.ts'
import { type FaultyProvider, startFaultyProvider } from './faulty-provider.ts'
import { type OpenGateway, openGateway } from './open-gateway.ts'
import { freePort } from '../../src/platform/net/free-port.ts'

/**
 * Real: the gateway as it is. Compressed: its limits are a tenth, its waits are recorded and skipped, and its clock jumps.
 */
type Tempo = 'real' | 'compressed'

export type Stage = OpenGateway & {
  tempo: Tempo
  timeScale: number
  faulty: FaultyProvider
  /** The waits before retries that the gateway requested, in milliseconds. */
  waits: number[]
  now(): number
  /** Advances the time for circuits and providers. */
  pass(ms: number): Promise<void>
}

const COMPRESSED_SCALE = 1 / 10
/** For cases that a busy machine was too slow for: still compressed, with five times as much time for everything. */
export const RELAXED_SCALE = 1 / 2
/** The idle limit of the provider `stalling`: the default of two minutes would make the rehearsal longer but not better. */
const IDLE_MS = 12_000
/** A whole answer has 60 s to begin while another target is left. That limit is not a setting. */
const HEADERS_MS = 15_000
const HEARTBEAT_MS = 15_000
/** The cases share a gateway, so one case must not use up the retry budget of another. */
const RICH = { toBeginWith: 10_000 }
/** A host name must not have a part this long, so it is not found without asking a name server. */
const NO_NAME = `${'a'.repeat(70)}.invalid`
const PRICED = ['ok~priced', '500~priced', 'cut-40-of-60~priced'].map((id) => ({ id, price: { input: 1, output: 2 } }))

export async function openStage(tempo: Tempo, scale = COMPRESSED_SCALE): Promise<Stage> {
  const timeScale = tempo === 'real' ? 1 : scale
  const clock = openClock(tempo)
  const faulty = await startFaultyProvider({ timeScale, now: clock.now })
  const waits: number[] = []
  const circuits = new Circuits(clock.now)
  const overrides = { ...pace(tempo, timeScale, waits), circuits, retries: new RetryBudget(RICH) }
  const gateway = await openGateway({ config: await configOf(faulty, timeScale), overrides })
  return {
    ...gateway,
    ...clock,
    tempo,
    timeScale,
    faulty,
    waits,
    close: async () => {
      await faulty.close()
      await gateway.close()
    },
  }
}

function openClock(tempo: Tempo): Pick<Stage, 'now' | 'pass'> {
  if (tempo === 'real') return { now: Date.now, pass: (ms) => setTimeout(ms) }
  let skipped = 0
  return {
    now: () => Date.now() + skipped,
    pass: async (ms) => {
      skipped += ms
    },
  }
}

function pace(tempo: Tempo, timeScale: number, waits: number[]): Overrides {
  const noted: Overrides['sleep'] = (ms, signal) => {
    waits.push(ms)
    return tempo === 'real' ? sleep(ms, signal) : Promise.resolve(signal.throwIfAborted())
  }
  if (tempo === 'real') return { backOffMs, sleep: noted, heartbeatMs: HEARTBEAT_MS }
  const { firstTokenMs, totalMs } = DEFAULT_TIMEOUTS
  const timeouts = { firstTokenMs: firstTokenMs * timeScale, totalMs: totalMs * timeScale }
  return {
    backOffMs: (retries) => backOffMs(retries, () => 1),
    sleep: noted,
    heartbeatMs: HEARTBEAT_MS * timeScale,
    timeouts: { ...timeouts, headersMs: HEADERS_MS * timeScale },
  }
}

async function configOf({ url }: FaultyProvider, timeScale: number): Promise<object> {
  return {
    providers: {
      faulty: { dialect: 'openai', baseUrl: url, models: PRICED },
      stalling: { dialect: 'openai', baseUrl: url },
      unsaid: { dialect: 'openai', baseUrl: url, compat: { endsWithoutReason: 'always' } },
      carrying: { dialect: 'openai', baseUrl: url, prefill: true },
      gone: { dialect: 'openai', baseUrl: `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/v1` },
      nowhere: { dialect: 'openai', baseUrl: `http://${NO_NAME}/v1` },
      insecure: { dialect: 'openai', baseUrl: url.replace('http:', 'https:') },
    },
    timeouts: { stalling: { idleMs: IDLE_MS * timeScale } },
  }
}
