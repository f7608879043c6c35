import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parsePrometheus } from '../gateway/prometheus-text.ts'
import { type GatewayProcess, lineWith } from '../gateway/gateway-process.ts'

// Clients ask a gateway with several API processes, on new connections and on kept ones, while its processes are killed. A
// connection may be cut off, but none may be left without an end.

const LOOK_AGAIN_MS = 20
/** Far longer than an answer takes: a request without an end after this time hangs. */
const HANGS_AFTER_MS = 60_000

type WorkerKillReport = {
  answers: number
  /** Requests that ended without an answer, because their process died. */
  cut: number
  hung: number
  /** How long after each kill a replacement listened. */
  replacedMs: number[]
  /** Counters that were smaller than before. */
  decreased: string[]
}

type WorkerKills = {
  gateway: GatewayProcess
  key: string
  clients: number
  kills: number
  /** How long to wait between kills: a process that dies soon after its start is replaced later. */
  lifeMs: number
  /** How long a client waits between two requests. Without a pause, the load takes all the CPU there is. */
  pauseMs?: number
}

export async function killedWorkers(options: WorkerKills): Promise<WorkerKillReport> {
  const { gateway, clients, kills, lifeMs } = options
  const report: WorkerKillReport = { answers: 0, cut: 0, hung: 0, replacedMs: [], decreased: [] }
  const load = loadOn(options, report)
  let counters = await countersOf(gateway)
  for (let kill = 0; kill < kills; kill++) {
    const answers = report.answers
    while (report.answers < answers + clients) await sleep(LOOK_AGAIN_MS)
    await sleep(lifeMs)
    report.replacedMs.push(await killOne(gateway, kill))
    const now = await countersOf(gateway)
    report.decreased.push(
      ...[...counters].filter(([name, value]) => (now.get(name) ?? 0) < value).map(([name]) => name),
    )
    counters = now
  }
  await load.stop()
  return report
}

/** Resolves when the process is replaced, with the time that this took. */
async function killOne(gateway: GatewayProcess, kill: number): Promise<number> {
  const [victim] = workerPids(gateway)
  const since = performance.now()
  process.kill(victim!, 'SIGKILL')
  const line = 'an API process was replaced'
  await lineWith(gateway.child, () => linesAfter(gateway.output(), line, kill), line)
  return Math.round(performance.now() - since)
}

/** The output behind the given number of such lines. */
function linesAfter(output: string, words: string, count: number): string {
  return output.split(words).slice(count).join(words)
}

export function workerPids(gateway: GatewayProcess): number[] {
  const pid = gateway.child.pid!
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

/** Every counter of /metrics, by its name and labels. */
export async function countersOf({ adminUrl }: GatewayProcess): Promise<Map<string, number>> {
  const families = parsePrometheus(await (await fetch(`${adminUrl}/metrics`)).text())
  const counters = [...families.values()].filter(({ type }) => type !== 'gauge').flatMap(({ samples }) => samples)
  return new Map(counters.map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]))
}

function loadOn({ gateway, key, clients, pauseMs = 0 }: WorkerKills, report: WorkerKillReport) {
  const kept = new Agent({ keepAlive: true, maxSockets: clients })
  let isStopping = false
  const running = Array.from({ length: clients }, async (_, index) => {
    while (!isStopping) {
      report[await ask(gateway.url, key, index % 2 ? kept : false)]++
      if (pauseMs > 0) await sleep(pauseMs)
    }
  })
  return {
    stop: async () => {
      isStopping = true
      await Promise.all(running)
      kept.destroy()
    },
  }
}

type Outcome = 'answers' | 'cut' | 'hung'

function ask(url: string, key: string, agent: Agent | false): Promise<Outcome> {
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const asking = request(`${url}/v3/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => end('answers'))
      response.on('error', () => end('cut'))
    })
    const limit = setTimeout(() => {
      end('hung')
      asking.destroy()
    }, HANGS_AFTER_MS)
    asking.on('error', () => end('cut'))
    asking.end(body)

    function end(outcome: Outcome) {
      clearTimeout(limit)
      resolve(outcome)
    }
  })
}
