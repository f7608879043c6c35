import { setTimeout as sleep } from 'node:timers/promises'
import { answer, type Behaviour } from '../fakes/behaviours.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { closedPort } from '../gateway/gateway-with-fakes.ts'
import { startLoad } from './load.ts'
import { nginxVersion, startBalancer } from './nginx.ts'

// `npm run proxies`, second part: two gateways behind a real nginx are restarted one after the other under load. nginx has no
// health checks, so it learns only from its connections that a gateway stops.

const [ROUNDS = 2, ONLY_CASE] = process.argv.slice(2).map(Number)
/** Servers that refuse a connection are left alone for this long, unless `max_fails=0` says otherwise. */
const FAIL_TIMEOUT_MS = 10_000
const WHOLE_MS = 30
const CHUNK_MS = 40
const WARM_UP_MS = 2_000

const CASES = [
  { name: 'nginx as it is, one worker', options: '', workers: '1', pauseMs: FAIL_TIMEOUT_MS },
  { name: 'max_fails=0, one worker', options: 'max_fails=0', workers: '1', pauseMs: WARM_UP_MS },
  { name: 'max_fails=0, WORKERS=2', options: 'max_fails=0', workers: '2', pauseMs: WARM_UP_MS },
]

const chosen = CASES.filter((_, index) => ONLY_CASE === undefined || ONLY_CASE === index)
if (await nginxVersion()) for (const one of chosen) await rehearse(one)
else console.log('Skipped: there is no nginx on this machine (Debian: apt-get install nginx).')

async function rehearse({ name, options, workers, pauseMs }: (typeof CASES)[number]): Promise<void> {
  const provider = await startFakeProvider()
  provider.always(unhurried)
  const folders = await Promise.all([temporaryFolder(), temporaryFolder()])
  const settings = await Promise.all(folders.map(({ data }) => settingsOf(data, workers, provider.url)))
  const gateways = await Promise.all(settings.map(startProcess))
  const balancer = await startBalancer(
    gateways.map(({ url }) => url),
    options,
  )
  const load = startLoad(balancer.url, API_KEY)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, setting] of settings.entries()) {
      await sleep(pauseMs)
      gateways[index] = await restarted(gateways[index]!, setting)
    }
  }
  await sleep(WARM_UP_MS)
  const { wholes, streams, overloaded, failures } = await load.stop()
  await balancer.stop()
  await Promise.all(gateways.map(({ child }) => child.kill('SIGINT')))
  await Promise.all(gateways.map(({ ended }) => ended))
  await Promise.all([provider.close(), ...folders.map(({ remove }) => remove())])
  const answered = `${wholes} whole answers, ${streams} streams, ${overloaded} refused because the machine is too busy`
  console.log(`${name}: ${2 * ROUNDS} restarts, ${answered}, ${failures.length} failures`)
  for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
}

async function settingsOf(data: string, workers: string, providerUrl: string) {
  return {
    DATA_DIR: data,
    PORT: String(await closedPort()),
    WORKERS: workers,
    GATEHOUSE_API_KEY: API_KEY,
    GATEHOUSE_ADMIN_KEY: 'admin',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: providerUrl,
    DRAIN_DELAY_SECONDS: '3',
    LOG_LEVEL: 'info',
  }
}

async function restarted(gateway: GatewayProcess, settings: Awaited<ReturnType<typeof settingsOf>>) {
  const { code } = await gateway.stop()
  if (code !== 0) throw new Error(`A gateway ended with code ${code}`)
  return await startProcess(settings)
}

/** Whole answers take a moment and streams a while, so that every restart meets both half way. */
async function unhurried(...[seen, response]: Parameters<Behaviour>): Promise<void> {
  const { stream } = seen.body as { stream?: boolean }
  await sleep(WHOLE_MS)
  if (!stream) return answer()(seen, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of textEvents('one two three four five six seven eight nine ten ')) {
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    await sleep(CHUNK_MS)
  }
  response.end('data: [DONE]\n\n')
}
