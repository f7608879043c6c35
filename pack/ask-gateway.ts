import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

// What a first user does with a gateway that was just started.

export const API_KEY = 'gate-tried-0123456789abcdef0123456789abcdef'
const START_TRIES = 6_000
const TRY_MS = 20

export async function untilReady(base: string, gateway: ChildProcess): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}`)
    if ((await statusOf(`${base}/health/ready`)) === 200) return
    await sleep(TRY_MS)
  }
  throw new Error('the gateway did not become ready')
}

/** 0 if no server answers. */
export async function statusOf(url: string): Promise<number> {
  try {
    return (await fetch(url)).status
  } catch {
    return 0
  }
}

/** Returns what `sandbox/echo` says, which is the text. */
export async function ask(base: string, text: string): Promise<string> {
  const { body } = await post(`${base}/v3/chat/completions`, {
    model: 'sandbox/echo',
    messages: [{ role: 'user', content: text }],
  })
  const said = (body as Completion).choices?.[0]?.message.content
  if (said !== text) throw new Error(`unexpected answer: ${JSON.stringify(body)}`)
  return said
}

type Completion = { choices?: { message: { content: string } }[] }

export async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}
