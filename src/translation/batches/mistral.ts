import { isRecord, recordOf } from '../../base/schema/record.ts'
import {
  type BatchWire,
  CLOCKS_MS,
  createdId,
  failureIn,
  filesOf,
  JSON_HEADERS,
  MAX_PAGES,
  PAGE,
  stateIn,
} from './batch-wire.ts'
import { readAnswer } from './openai.ts'

// https://docs.mistral.ai/api/endpoint/batch: a job with the requests in it.

const PATH = '/batch/jobs'
const MARK = 'gatehouse_batch'
const STATES = {
  running: ['QUEUED', 'RUNNING', 'CANCELLATION_REQUESTED'],
  done: ['SUCCESS'],
  ended: ['FAILED', 'TIMEOUT_EXCEEDED', 'CANCELLED'],
}

export const mistralBatches: BatchWire = {
  create: async ({ mark, model, endpoint, items, hours }, ask, isBegun) => {
    const head = JSON.stringify({ model, endpoint, timeout_hours: hours, metadata: { [MARK]: mark } })
    const requests = items.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"body":${body}}`)
    const body = `${head.slice(0, -1)},"requests":[${requests.join(',')}]}`
    await isBegun()
    const { id } = await ask({ method: 'POST', path: PATH, headers: JSON_HEADERS, body })
    return createdId(id)
  },
  find: async ({ mark, since }, ask) => {
    const after = encodeURIComponent(new Date(since - CLOCKS_MS).toISOString())
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `${PATH}?page=${page}&page_size=${PAGE}&created_after=${after}`
      const { data } = await ask({ method: 'GET', path })
      const jobs = Array.isArray(data) ? data.filter(isRecord) : []
      const found = jobs.find(({ metadata }) => recordOf(metadata)[MARK] === mark)
      if (found) return String(found.id)
      if (jobs.length < PAGE) return undefined
    }
    return undefined
  },
  look: async (id, ask) => {
    const { status, output_file, error_file, errors } = await ask({ method: 'GET', path: pathOf(id) })
    const state = stateIn(status, STATES)
    if (state === 'running') return { isEnded: false }
    return { isEnded: true, sources: filesOf([output_file, error_file], state), failure: failureIn(errors) }
  },
  cancel: async (id, ask) => void (await ask({ method: 'POST', path: `${pathOf(id)}/cancel` })),
  read: readAnswer,
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`
}
