import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Overrides } from '../../../src/server/gateway.ts'
import type { StoreKind } from '../../fakes/stores.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

/** Five seconds are promised, and the tests of the key cache look at that. Tests of what ends a key wait for several looks. */
const KEY_LOOK_MS = 50

type Options = { env?: Record<string, string>; overrides?: Overrides }

/** Two processes on one store, from the first to the last test of a suite. Their clock can jump. */
export class TwoGateways {
  here!: GatewayUnderTest
  there!: GatewayUnderTest
  jumpMs = 0

  constructor(newStore: StoreKind['newStore'], { env = {}, overrides = {} }: Options = {}) {
    const closing = new AsyncDisposableStack()
    before(async () => {
      const store = await newStore()
      closing.defer(() => store.remove())
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-two-'))
      closing.defer(() => rm(dataDir, { recursive: true }))
      const options = {
        env: { ...env, ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }) },
        dataDir,
        overrides: { now: () => Date.now() + this.jumpMs, keyLookMs: KEY_LOOK_MS, ...overrides },
      }
      this.here = await startGateway(options)
      closing.defer(() => this.here.close())
      this.there = await startGateway(options)
      closing.defer(() => this.there.close())
    })
    after(() => closing.disposeAsync())
  }
}
