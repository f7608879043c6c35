import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenAI, toFile } from 'openai'

// Batches by the official `openai` package.

export type Line = { custom_id?: unknown; method?: string; url?: string; body?: unknown }

/** A line of a file with answers. */
type AnswerLine = {
  id: string
  custom_id: string
  response: { status_code: number; request_id: string; body: AnswerBody } | null
  error: { code: string; message: string } | null
}

type AnswerBody = {
  choices?: { message: { content: string } }[]
  error?: { message: string; code: string }
  [member: string]: unknown
}

type BatchOptions = Partial<OpenAI.BatchCreateParams> & { callback_url?: string; execution?: string }

export function chatLine(custom_id: string, content: string, model = 'sandbox/echo'): Line {
  const body = { model, messages: [{ role: 'user', content }] }
  return { custom_id, method: 'POST', url: '/v1/chat/completions', body }
}

export function batchClient(client: OpenAI) {
  return { upload, create, ended, run, lines }

  async function upload(content: string): Promise<string> {
    const file = await toFile(Buffer.from(content), 'requests.jsonl')
    return (await client.files.create({ file, purpose: 'batch' })).id
  }

  /** Lines that are texts are written as they are. */
  async function create(lines: readonly (Line | string)[], options: BatchOptions = {}): Promise<OpenAI.Batch> {
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
    return await client.batches.create({
      input_file_id: await upload(text),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { by: 'a test' },
      ...options,
    })
  }

  async function ended(id: string): Promise<OpenAI.Batch> {
    for (;;) {
      const batch = await client.batches.retrieve(id)
      if (['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) return batch
      await sleep(20)
    }
  }

  async function run(lines: readonly (Line | string)[], options: BatchOptions = {}): Promise<OpenAI.Batch> {
    return await ended((await create(lines, options)).id)
  }

  async function lines(file: string): Promise<AnswerLine[]> {
    const text = await (await client.files.content(file)).text()
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AnswerLine)
  }
}
