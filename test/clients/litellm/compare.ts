import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { freePort } from '../../../src/platform/net/free-port.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { type Call, CALLS, configYaml, MASTER_KEY, prepare } from './calls.ts'
import { findLitellm } from './install.ts'

// A real LiteLLM and Gatehouse, started from the same config.yaml, get the same calls. Their answers and what their
// providers receive have to be the same.

const START_SECONDS = 120

/** One line for `npm run clients`. */
export async function compareWithLitellm(folder: string): Promise<string> {
  const found = await findLitellm(folder)
  if ('skip' in found) return `litellm: skipped, ${found.skip}`
  const [first, second] = [await startFakeProvider(), await startFakeProvider()]
  prepare(first, second)
  const config = join(folder, 'litellm-config.yaml')
  await writeFile(config, configYaml(first.url, second.url))
  const litellm = await startLitellm(found.command, config, folder)
  const gateway = await startImported(config, folder)
  try {
    if (!litellm.url) return `litellm: FAILED, it does not start\n${litellm.output().slice(-2_000)}`
    const places = { litellm: `${litellm.url}/v1`, gatehouse: `${gateway.url}/v1` }
    return await compareAll(places, first)
  } finally {
    await Promise.all([stop(litellm.child), gateway.close(), first.close(), second.close()])
  }
}

async function compareAll(places: { litellm: string; gatehouse: string }, provider: FakeProvider): Promise<string> {
  const different: string[] = []
  for (const call of CALLS) {
    const theirs = await exchange(places.litellm, call, provider)
    const ours = await exchange(places.gatehouse, call, provider)
    try {
      const [status, theirStatus] = call.statuses ?? [theirs.status, theirs.status]
      assert.equal(theirs.status, theirStatus, `LiteLLM answers ${theirs.status}`)
      assert.deepEqual(ours, { ...theirs, status })
    } catch (error) {
      different.push(`${call.name}: ${(error as Error).message}`)
    }
  }
  if (different.length > 0)
    return `litellm: FAILED, ${different.length} of ${CALLS.length} calls differ\n${different.join('\n')}`
  return `litellm: ok (${CALLS.length} calls are answered alike from the same config.yaml: ${CALLS.map(({ name }) => name).join(', ')})`
}

/** What the caller gets, and what the provider was sent. */
async function exchange(base: string, { body, key = MASTER_KEY }: Call, provider: FakeProvider) {
  const sent = provider.requests.length
  const reply = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  const answer = reply.ok ? (body.stream ? streamed(text) : whole(JSON.parse(text))) : undefined
  return { status: reply.status, answer, received: provider.requests.slice(sent).map(received) }
}

type Choice = { index: number; finish_reason: string | null; message?: Message; delta?: Message }
type Message = { role?: string; content?: string | null; tool_calls?: unknown }
type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number }

function whole({ choices, usage }: { choices: Choice[]; usage: Usage }) {
  return {
    choices: choices.map(({ index, finish_reason, message }) => [index, finish_reason, message?.content]),
    usage: sums(usage),
  }
}

/** The text of a stream, however it is cut into chunks. */
function streamed(text: string) {
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const chunks = data
    .filter((one) => one !== '[DONE]')
    .map((one) => JSON.parse(one) as { choices: Choice[]; usage?: Usage })
  const choices = chunks.flatMap((chunk) => chunk.choices)
  return {
    content: choices.map(({ delta }) => delta?.content ?? '').join(''),
    ends: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    usage: chunks.flatMap(({ usage }) => (usage ? [sums(usage)] : [])),
    isDone: data.at(-1) === '[DONE]',
  }
}

function sums({ prompt_tokens, completion_tokens, total_tokens }: Usage) {
  return { prompt_tokens, completion_tokens, total_tokens }
}

/** Fields that only tell the provider how to answer the gateway are left out. */
function received({ headers, body }: SeenRequest) {
  const { stream_options: _, stream, ...rest } = body as Record<string, unknown>
  return { key: headers.authorization, stream: stream === true, body: rest }
}

async function startLitellm(command: string, config: string, folder: string) {
  const port = await freePort('127.0.0.1', 0)
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = { ...inherited, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False' }
  const child = spawn(command, ['--config', config, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const url = `http://127.0.0.1:${port}`
  const isUp = await untilUp(`${url}/health/liveliness`, child)
  return { child, url: isUp ? url : undefined, output: () => output }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function untilUp(url: string, child: ChildProcess): Promise<boolean> {
  for (let second = 0; second < START_SECONDS && child.exitCode === null; second++) {
    const reply = await fetch(url).catch(() => undefined)
    if (reply?.ok) return true
    await sleep(1_000)
  }
  return false
}

/** Imports the same file, as an operator does, and starts with the two files that come out. */
async function startImported(config: string, folder: string) {
  const [out, secrets] = [join(folder, 'imported.json'), join(folder, 'imported.env')]
  const imported = await runHere(['import', 'litellm', config, '--out', out, '--secrets', secrets, '--apply'], {})
  assert.equal(imported.code, 0, imported.stderr)
  const env = parseEnv(await readFile(secrets, 'utf8')) as Record<string, string>
  return await startGateway({ env: { ...env, GATEHOUSE_CONFIG: out } })
}
