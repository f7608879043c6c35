import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { type Client, firstOwner } from '../gateway/people-under-test.ts'
import { type NewStore, storeKinds } from '../fakes/stores.ts'
import { startReceiver } from '../fakes/webhook-receiver.ts'
import { chromiumPath } from './chromium.ts'
import { seed } from './seed.ts'

/** One gateway with a plausible month, one browser and one owner, for all files of this folder. */
export type Shared = { gateway: GatewayUnderTest; browser: Browser; owner: Client; close(): Promise<void> }

const configWith = (receiver: string) => ({
  agents: { signIn: true },
  budgets: [{ id: 'from-the-file', appliesTo: 'all', limit: 5_000, window: 'month' }],
  aliases: { 'alias-of-the-file': { targets: [{ model: 'sandbox/echo' }] } },
  alerts: {
    receivers: [
      { name: 'team', format: 'webhook', url: `${receiver}/200` },
      { name: 'broken', format: 'webhook', url: `${receiver}/503`, rules: ['error_rate'] },
    ],
  },
})

/** A machine for tests has no microphone. */
const BROWSER_OPTIONS = ['--no-sandbox', '--use-fake-device-for-media-stream']

let opened: Promise<Shared> | undefined
let isKept = false

export function shared(): Promise<Shared> {
  opened ??= open()
  return opened
}

/** For the group: its files would start another one each. */
export function keepShared(): void {
  isKept = true
  if (!chromiumPath) console.warn('NOT TESTED IN A BROWSER: there is no Chromium here; CHROMIUM can name one.')
}

/** At the end of a file that runs alone. */
export async function leaveShared(): Promise<void> {
  if (!isKept) await closeShared()
}

export async function closeShared(): Promise<void> {
  const before = opened
  opened = undefined
  await (await before)?.close()
}

async function open(): Promise<Shared> {
  const [store, dataDir] = await Promise.all([wantedStore(), mkdtemp(join(tmpdir(), 'gatehouse-console-'))])
  const receiver = await startReceiver()
  const env = {
    GATEHOUSE_CONFIG: await writeConfig(dataDir, receiver.url),
    ALLOW_NETWORKS: '127.0.0.0/8',
    ...(store?.databaseUrl && { DATABASE_URL: store.databaseUrl }),
  }
  // A receiver of webhooks that fails gets no second attempt.
  const gateway = await startGateway({ dataDir, env, overrides: { deliveryDelaysMs: [] } })
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: BROWSER_OPTIONS })
  const owner = await firstOwner(gateway)
  await seed(gateway, owner)
  const close = async () => {
    await browser.close()
    await gateway.close()
    await receiver.stop()
    await store?.remove()
    await rm(dataDir, { recursive: true })
  }
  return { gateway, browser, owner, close }
}

/** What only a config file can say. */
async function writeConfig(folder: string, receiver: string): Promise<string> {
  const path = join(folder, 'gatehouse.config.json')
  await writeFile(path, JSON.stringify(configWith(receiver)))
  return path
}

/** The embedded database, or with `CONSOLE_STORE=PostgreSQL` that one. */
async function wantedStore(): Promise<NewStore | undefined> {
  const name = process.env.CONSOLE_STORE
  if (name === undefined) return undefined
  const kind = (await storeKinds()).find((one) => one.name === name)
  if (!kind || kind.skip) throw new Error(`CONSOLE_STORE: there is no ${name} (${kind?.skip})`)
  return await kind.newStore()
}
