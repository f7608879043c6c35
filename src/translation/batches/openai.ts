import { isRecord, recordOf } from '../../base/schema/record.ts'
import {
  type AskBatchApi,
  type BatchWire,
  createdId,
  filesOf,
  type ItemResult,
  JSON_HEADERS,
  MAX_PAGES,
  type NewBatch,
  PAGE,
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
  find: async ({ mark }, ask) => {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, has_more } = await ask({ method: 'GET', path: `/batches?limit=${PAGE}${after}` })
      const batches = Array.isArray(data) ? data.filter(isRecord) : []
      const found = batches.find(({ metadata }) => recordOf(metadata)[MARK] === mark)
      if (found) return String(found.id)
      const last = batches.at(-1)
      if (has_more !== true || !last) return undefined
      after = `&after=${encodeURIComponent(String(last.id))}`
    }
    return undefined
  },
  look: async (id, ask) => {
    const { status, output_file_id, error_file_id } = await ask({ method: 'GET', path: pathOf(id) })
    const state = stateIn(status, STATES)
    if (state === 'running') return { isEnded: false }
    return { isEnded: true, sources: filesOf([output_file_id, error_file_id], state) }
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
