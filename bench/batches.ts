// What a batch costs: `node bench/batches.ts [--lines n] [--chats n]`. One gateway answers a batch for `sandbox/echo` by itself, while chats of
// 1 KB arrive at an even pace; the same chats before and after it say what the batch did to their times. More than 50,000 lines show
// how long the refusal takes.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { MB, SECOND_MS } from '../src/base/units/units.ts'
import { withProgress } from '../src/cli/output/progress.ts'
import type { Batch } from '../src/contract/batches.ts'
import type { OpenAIFile } from '../src/contract/files.ts'
import { othersShare } from './bench-figures.ts'
import { type Contender, startGatehouse } from './contenders.ts'
import { treeRssBytes, watchMachine } from './cpu.ts'
import { number, percent, table } from './markdown.ts'
import { chatBody } from './payload.ts'
import { startWholeUpstream } from './upstream.ts'
import { openWorkplace } from './workplace.ts'

const LOOK_MS = 200
const WARM_UP_LINES = 2_000
const ALONE_LINES = 10_000
const WARM_UP_MS = 10 * SECOND_MS
const ALONE_MS = 20 * SECOND_MS
const ENDED: readonly string[] = ['completed', 'failed', 'expired', 'cancelled']

type Chats = { times: number[]; errors: number }
type BatchRun = { status: string; problem: string | undefined; done: number; seconds: number; peakBytes: number }

const { values } = parseArgs({
  options: { lines: { type: 'string', default: '50000' }, chats: { type: 'string', default: '50' } },
})
const lines = Number(values.lines)
const perSecond = Number(values.chats)
const workplace = openWorkplace()
try {
  const upstream = await startWholeUpstream(workplace)
  const gatehouse = await startGatehouse(workplace, upstream.baseUrl, { UPLOAD_LIMIT_MB: '1000' })
  await Promise.all([chatsFor(WARM_UP_MS, gatehouse), runBatch(WARM_UP_LINES, gatehouse)])
  const used = watchMachine()
  const idleBytes = treeRssBytes(gatehouse.running!.pid)
  const before = await chatsFor(ALONE_MS, gatehouse)
  const ending = new AbortController()
  const chatting = chatsFor(Number.POSITIVE_INFINITY, gatehouse, ending.signal)
  const batch = await runBatch(lines, gatehouse)
  ending.abort()
  const beside = await chatting
  const after = await chatsFor(ALONE_MS, gatehouse)
  const alone = await runBatch(Math.min(lines, ALONE_LINES), gatehouse)
  report({ batch, idleBytes, before, beside, after })
  console.log(
    `${number(alone.done / alone.seconds)} lines per second without chats, in a batch of ${number(alone.done)} lines`,
  )
  console.log(`Other work on the machine: ${percent(othersShare([used()]))}. Upstream of the chats: ${upstream.kind}.`)
} finally {
  await workplace.close()
}

/** Chats begin at an even pace, however long answers take. */
async function chatsFor(ms: number, { url, headers, model }: Contender, signal?: AbortSignal): Promise<Chats> {
  const agent = new Agent({ keepAlive: true })
  const body = chatBody(model, 1_024)
  const chats: Chats = { times: [], errors: 0 }
  const running = new Set<Promise<void>>()
  const begun = performance.now()
  for (let count = 0; ; count++) {
    const due = (count * SECOND_MS) / perSecond
    if (due >= ms || signal?.aborted) break
    await sleep(Math.max(0, begun + due - performance.now()))
    const run = chat({ url, headers, body, agent }, chats).finally(() => running.delete(run))
    running.add(run)
  }
  await Promise.all(running)
  agent.destroy()
  return chats
}

type Sending = { url: string; headers: Record<string, string>; body: string; agent: Agent }

async function chat({ url, headers, body, agent }: Sending, chats: Chats): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const begun = performance.now()
  const sent = request(url, { method: 'POST', headers, agent }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode === 200))
  })
  sent.on('error', () => resolve(false)).end(body)
  if (await promise) chats.times.push(performance.now() - begun)
  else chats.errors++
}

async function runBatch(count: number, { url, headers: { authorization }, running }: Contender): Promise<BatchRun> {
  const api = async <Reply>(path: string, options: RequestInit = {}): Promise<Reply> => {
    const headers = { authorization: authorization!, ...options.headers }
    const answer = await fetch(new URL(path, url), { ...options, headers })
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Reply
  }
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', fileOf(count), 'requests.jsonl')
  const { id: input_file_id } = await api<OpenAIFile>('/v3/files', { method: 'POST', body: form })
  const body = JSON.stringify({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' })
  const headers = { 'content-type': 'application/json' }
  const begun = performance.now()
  const { id } = await api<Batch>('/v3/batches', { method: 'POST', body, headers })
  return await withProgress(`a batch of ${count} lines`, { screen: process.stderr }, async ({ at }) => {
    let peakBytes = 0
    for (;;) {
      const { status, request_counts, errors } = await api<Batch>(`/v3/batches/${id}`)
      const done = request_counts.completed + request_counts.failed
      peakBytes = Math.max(peakBytes, treeRssBytes(running!.pid))
      at(done, count)
      const seconds = (performance.now() - begun) / SECOND_MS
      if (ENDED.includes(status)) return { status, problem: errors?.data[0]?.message, done, seconds, peakBytes }
      await sleep(LOOK_MS)
    }
  })
}

/** A file of lines as small as chats of people are. */
function fileOf(count: number): Blob {
  const parts = Array.from({ length: count }, (_, at) => {
    const body = { model: 'sandbox/echo', messages: [{ role: 'user', content: `Classify review ${at}: it works.` }] }
    return `${JSON.stringify({ custom_id: `line-${at}`, method: 'POST', url: '/v1/chat/completions', body })}\n`
  })
  return new Blob(parts)
}

type Measured = { batch: BatchRun; idleBytes: number; before: Chats; beside: Chats; after: Chats }

function report({ batch, idleBytes, before, beside, after }: Measured): void {
  const { status, problem, done, seconds, peakBytes } = batch
  console.log(
    `The batch of ${number(lines)} lines is ${status} after ${seconds.toFixed(1)} s${problem ? `: ${problem}` : ''}`,
  )
  console.log(`${number(done / seconds)} lines per second beside ${perSecond} chats per second`)
  console.log(`Memory: ${number(peakBytes / MB)} MB at most, ${number(idleBytes / MB)} MB before`)
  const alone = { times: [...before.times, ...after.times], errors: before.errors + after.errors }
  const row = (title: string, chats: Chats) => {
    const ratio = (part: number) => `${(quantile(chats.times, part) / quantile(alone.times, part)).toFixed(2)}`
    const shown = (part: number) => `${quantile(chats.times, part).toFixed(2)} ms`
    const { errors, times } = chats
    return [title, String(times.length), String(errors), shown(0.5), shown(0.99), ratio(0.5), ratio(0.99)]
  }
  const rows = [row('before', before), row('beside the batch', beside), row('after', after)]
  console.log(table(['chats', 'answered', 'failed', 'p50', 'p99', 'p50 ÷ alone', 'p99 ÷ alone'], rows))
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
