import { randomBytes } from 'node:crypto'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import type { Overrides } from '../../../src/server/gateway.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type OpenGateway, openGateway } from '../open-gateway.ts'
import type { Result } from '../run-case.ts'

/** Many similar calls that are disturbed at random places. */
export type Storm = (options: StormOptions) => Promise<Result>

export type StormOptions = {
  count: number
  /** No new call starts after this many milliseconds. The result says how many there were. */
  untilMs?: number
  /** Also judges times and memory, which a busy machine may distort. */
  strict?: boolean
}

export type StormGateway = OpenGateway & { provider: FakeProvider }

const RICH = { toBeginWith: 1_000_000 }

/** A gateway in front of one fake, `fake/…`, without a log, so that only a leak can grow. */
export async function openStormGateway(overrides: Overrides = {}): Promise<StormGateway> {
  const provider = await startFakeProvider()
  const config = { providers: { fake: { dialect: 'openai', baseUrl: provider.url } } }
  const env = { LOG_LEVEL: 'silent' }
  const gateway = await openGateway({ config, env, overrides: { retries: new RetryBudget(RICH), ...overrides } })
  return {
    ...gateway,
    provider,
    close: async () => {
      await provider.close()
      await gateway.close()
    },
  }
}

/** Runs this many, some concurrently. Returns how many were started before the time was up. */
export async function mapConcurrently(
  { count, untilMs = Number.POSITIVE_INFINITY }: StormOptions,
  atOnce: number,
  run: (index: number) => Promise<void>,
): Promise<number> {
  const end = performance.now() + untilMs
  let begun = 0
  const lane = async () => {
    while (begun < count && performance.now() < end) await run(begun++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane))
  return begun
}

export function howMany(done: number, { count }: StormOptions): string {
  return done === count ? `${done}` : `${done} (of ${count}: the time was up)`
}

export function randomBelow(max: number): number {
  return randomBytes(4).readUInt32LE() % max
}

export function oneOf<Item>(items: readonly Item[]): Item {
  return items[randomBelow(items.length)]!
}

/** The first few are enough to find the rest. */
export function few(wrong: string[]): string[] {
  return wrong.length > 5 ? [...wrong.slice(0, 5), `and ${wrong.length - 5} more`] : wrong
}
