import { isRecord, recordOf } from '../../base/schema/record.ts'
import { SECOND_MS } from '../../base/units/units.ts'
import {
  type AskBatchApi,
  type BatchWire,
  CLOCKS_MS,
  createdId,
  failureIn,
  filesOf,
  type ItemResult,
  JSON_HEADERS,
  MAX_PAGES,
  type NewBatch,
  PAGE,
  type SoughtBatch,
  stateIn,
} from './batch-wire.ts'

// https://developers.openai.com/api/reference/resources/batches: a file with the requests, then a batch of this file.

const MARK = 'gatehouse_batch'
const STATES = {
  running: ['validating', 'in_progress', 'finalizing', 'cancelling'],
  done: ['completed'],
  ended: ['failed', 'expired', 'cancelled'],
}

export const openaiBatches: BatchWire = {
  create: async (batch, ask, isBegun) => {
    const { mark, endpoint } = batch
    const input_file_id = createdId((await upload(batch, ask)).id)
    const body = { input_file_id, endpoint, completion_window: '24h', metadata: { [MARK]: mark } }
    await isBegun()
    const { id } = await ask({ method: 'POST', path: '/batches', headers: JSON_HEADERS, body: JSON.stringify(body) })
    return createdId(id)
  },
  find: async (sought, ask) => {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, has_more } = await ask({ method: 'GET', path: `/batches?limit=${PAGE}${after}` })
      const batches = Array.isArray(data) ? data.filter(isRecord) : []
      const found = batches.find((batch) => markOf(batch) === sought.mark) ?? (await byFile(batches, sought, ask))
      if (found) return String(found.id)
      const last = batches.at(-1)
      if (has_more !== true || !last) return undefined
      after = `&after=${encodeURIComponent(String(last.id))}`
    }
    return undefined
  },
  look: async (id, ask) => {
    const { status, output_file_id, error_file_id, errors } = await ask({ method: 'GET', path: pathOf(id) })
    const state = stateIn(status, STATES)
    if (state === 'running') return { isEnded: false }
    const failure = failureIn(recordOf(errors).data)
    return { isEnded: true, sources: filesOf([output_file_id, error_file_id], state), failure }
  },
  cancel: async (id, ask) => void (await ask({ method: 'POST', path: `${pathOf(id)}/cancel` })),
  read: readAnswer,
}

/** A line of the output file or of the error file. What has expired or was cancelled has no response. */
export function readAnswer({ custom_id, response }: Record<string, unknown>): ItemResult | undefined {
  if (typeof custom_id !== 'string') return undefined
  const { status_code, body } = recordOf(response)
  if (typeof status_code !== 'number' || body === undefined) return { id: custom_id, answer: null }
  return { id: custom_id, answer: { status: status_code, body: JSON.stringify(body) } }
}

function markOf({ metadata }: Record<string, unknown>): unknown {
  return recordOf(metadata)[MARK]
}

/** Some hosts do not keep the metadata of a batch: the name of its file has our mark as well. */
async function byFile(
  batches: readonly Record<string, unknown>[],
  { mark, since, known }: SoughtBatch,
  ask: AskBatchApi,
): Promise<Record<string, unknown> | undefined> {
  const from = (since - CLOCKS_MS) / SECOND_MS
  for (const batch of batches) {
    const { id, created_at, input_file_id } = batch
    if (markOf(batch) !== undefined || known.has(String(id)) || Number(created_at) < from) continue
    if (typeof input_file_id !== 'string') continue
    const { filename } = await ask({ method: 'GET', path: `/files/${encodeURIComponent(input_file_id)}` })
    if (filename === `${mark}.jsonl`) return batch
  }
  return undefined
}

function pathOf(id: string): string {
  return `/batches/${encodeURIComponent(id)}`
}

async function upload({ mark, endpoint, items }: NewBatch, ask: AskBatchApi) {
  const lines = items.map(({ id, body }) => {
    return `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${JSON.stringify(endpoint)},"body":${body}}\n`
  })
  const boundary = `gatehouse-${mark}`
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`
  const body = [
    `${part('name="purpose"')}\r\nbatch\r\n`,
    `${part(`name="file"; filename="${mark}.jsonl"`)}content-type: application/jsonl\r\n\r\n`,
    ...lines,
    `\r\n--${boundary}--\r\n`,
  ].join('')
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return await ask({ method: 'POST', path: '/files', headers, body })
}
