import { isRecord, recordOf } from '../../base/schema/record.ts'
import {
  type BatchWire,
  createdId,
  failureIn,
  type ItemResult,
  JSON_HEADERS,
  MAX_PAGES,
  PAGE,
  type ResultSource,
  stateIn,
} from './batch-wire.ts'

// https://ai.google.dev/api/batch-api: an operation with the requests in it, and later with the answers.

const STATES = {
  running: ['BATCH_STATE_UNSPECIFIED', 'BATCH_STATE_PENDING', 'BATCH_STATE_RUNNING'],
  done: ['BATCH_STATE_SUCCEEDED'],
  ended: ['BATCH_STATE_FAILED', 'BATCH_STATE_CANCELLED', 'BATCH_STATE_EXPIRED'],
}

export const geminiBatches: BatchWire = {
  create: async ({ mark, model, items }, ask, isBegun) => {
    const requests = items.map(({ id, body }) => `{"request":${body},"metadata":{"key":${JSON.stringify(id)}}}`)
    const body = `{"batch":{"display_name":${JSON.stringify(mark)},"input_config":{"requests":{"requests":[${requests.join(',')}]}}}}`
    await isBegun()
    const path = `/models/${encodeURIComponent(model)}:batchGenerateContent`
    const { name } = await ask({ method: 'POST', path, headers: JSON_HEADERS, body })
    return createdId(name)
  },
  find: async ({ mark }, ask) => {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const { operations, nextPageToken } = await ask({ method: 'GET', path: `/batches?pageSize=${PAGE}${after}` })
      const batches = Array.isArray(operations) ? operations.filter(isRecord) : []
      const found = batches.find(({ metadata }) => recordOf(metadata).displayName === mark)
      if (found) return String(found.name)
      if (typeof nextPageToken !== 'string' || nextPageToken === '') return undefined
      after = `&pageToken=${encodeURIComponent(nextPageToken)}`
    }
    return undefined
  },
  look: async (name, ask) => {
    const { done, metadata, response, error } = await ask({ method: 'GET', path: `/${name}` })
    const { state, output } = recordOf(metadata)
    const said = done === true && !STATES.ended.includes(String(state)) ? 'done' : stateIn(state, STATES)
    if (said === 'running') return { isEnded: false }
    const sources = sourcesIn(output) ?? sourcesIn(response) ?? (said === 'done' ? undefined : [])
    return { isEnded: true, sources, failure: failureIn([error]) }
  },
  cancel: async (name, ask) => void (await ask({ method: 'POST', path: `/${name}:cancel` })),
  read: readResponse,
}

function sourcesIn(output: unknown): ResultSource[] | undefined {
  const { inlinedResponses, responsesFile } = recordOf(output)
  const { inlinedResponses: all = inlinedResponses } = recordOf(inlinedResponses)
  if (Array.isArray(all)) return [{ results: all.map((one) => readResponse(recordOf(one))) }]
  return typeof responsesFile === 'string' ? [{ path: `/${responsesFile}:download?alt=media` }] : undefined
}

/** In a file, the key may stand for itself. */
function readResponse({ key: ownKey, metadata, response, error }: Record<string, unknown>): ItemResult | undefined {
  const { key = ownKey } = recordOf(metadata)
  if (typeof key !== 'string') return undefined
  if (response !== undefined) return { id: key, answer: { status: 200, body: JSON.stringify(response) } }
  const { code, message } = recordOf(error)
  const status = HTTP_STATUS[Number(code)]
  if (status === undefined) return { id: key, answer: null }
  return { id: key, answer: { status, body: JSON.stringify({ error: { code: status, message } }) } }
}

/** By the codes of Google's RPCs. Requests that were cancelled (1) or have expired (4) have no answer. */
const HTTP_STATUS: Readonly<Record<number, number>> = {
  2: 500,
  3: 400,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
}
