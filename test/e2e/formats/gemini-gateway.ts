import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

export type Fields = Record<string, unknown>
export type Part = Fields & { text?: string; functionCall?: Fields; thoughtSignature?: string }
export type Reply = Fields & { candidates: { content: { parts: Part[] }; finishReason?: string }[] }

export const GOOGLE = 'google/gemini-3-flash-preview'
export const OPENAI = 'openai/gpt-4o-mini'
export const contents = [{ role: 'user', parts: [{ text: 'What is it?' }] }]
const REPLY = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP', index: 0 }],
}

/** A gateway in front of Google and of OpenAI, for the tests of one file. */
export async function geminiGateway() {
  const google = await startFakeProvider({ everyPath: true })
  const openai = await startFakeProvider({ everyPath: true })
  const keys = { GEMINI_API_KEY: 'AIza-fake-0123456789', OPENAI_API_KEY: 'sk-fake-0123456789' }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-gemini-'))
  const file = join(folder, 'gatehouse.config.json')
  const aliases = { calm: { targets: [{ model: GOOGLE }], defaults: { temperature: 0 } } }
  await writeFile(file, JSON.stringify({ aliases }))
  const addresses = { GEMINI_BASE_URL: google.url, OPENAI_BASE_URL: openai.url }
  const gateway = await startGateway({ env: { GATEHOUSE_CONFIG: file, ...addresses, ...keys } })
  beforeEach(() => {
    google.reset()
    openai.reset()
    google.always(status(200, REPLY))
    openai.always(answer())
  })
  after(async () => {
    await gateway.close()
    await rm(folder, { recursive: true })
    await google.close()
    await openai.close()
  })
  return { google, openai, gateway, post, json, streamed }

  function post(path: string, body: object | string): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': API_KEY }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return fetch(`${gateway.url}/v3/v1beta/models/${path}`, { method: 'POST', headers, body: text })
  }

  async function json(path: string, body: object = { contents }): Promise<Reply> {
    const reply = await post(path, body)
    assert.equal(reply.status, 200, await reply.clone().text())
    return (await reply.json()) as Reply
  }

  async function streamed(path: string, body: object = { contents }): Promise<Reply[]> {
    const text = await (await post(path, body)).text()
    if (!path.includes('alt=sse')) return JSON.parse(text)
    const lines = text.split('\n').filter((line) => line.startsWith('data:'))
    return lines.map((line) => JSON.parse(line.slice('data:'.length)))
  }
}
