import { isRecord, recordOf } from '../../base/schema/record.ts'
import { type BatchWire, CLOCKS_MS, createdId, JSON_HEADERS, MAX_PAGES, PAGE, stateIn } from './batch-wire.ts'

// https://platform.claude.com/docs/en/api/messages/batches. A batch has no metadata, so one whose id was lost is recognized by the
// time of its creation, by the number of its requests, and by being none that is known.

const PATH = '/messages/batches'
const VERSION = { 'anthropic-version': '2023-06-01' }
const STATES = { running: ['in_progress', 'canceling'], done: ['ended'], ended: [] }
/** How long the request may have taken. */
const REQUEST_MS = 600_000
const ERROR_STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

export const anthropicBatches: BatchWire = {
  guesses: true,
  create: async ({ items }, ask, isBegun) => {
    const requests = items.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`)
    const headers = { ...JSON_HEADERS, ...VERSION }
    await isBegun()
    const { id } = await ask({ method: 'POST', path: PATH, headers, body: `{"requests":[${requests.join(',')}]}` })
    return createdId(id)
  },
  find: async ({ since, count, known }, ask) => {
    let after = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `${PATH}?limit=${PAGE}${after}`
      const { data, has_more, last_id } = await ask({ method: 'GET', path, headers: VERSION })
      const batches = Array.isArray(data) ? data.filter(isRecord) : []
      const isSince = (batch: Record<string, unknown>) => createdAt(batch) >= since - CLOCKS_MS
      const isIt = (batch: Record<string, unknown>) =>
        isSince(batch) &&
        createdAt(batch) <= since + REQUEST_MS &&
        !known.has(String(batch.id)) &&
        sizeOf(batch) === count
      // The list begins with the newest one: the first that was created after the request is the one that it created.
      const found = batches.findLast(isIt)
      if (found) return String(found.id)
      if (has_more !== true || !batches.some(isSince)) return undefined
      after = `&after_id=${encodeURIComponent(String(last_id))}`
    }
    return undefined
  },
  look: async (id, ask) => {
    const { processing_status } = await ask({ method: 'GET', path: pathOf(id), headers: VERSION })
    if (stateIn(processing_status, STATES) === 'running') return { isEnded: false }
    return { isEnded: true, sources: [{ path: `${pathOf(id)}/results` }] }
  },
  cancel: async (id, ask) => void (await ask({ method: 'POST', path: `${pathOf(id)}/cancel`, headers: VERSION })),
  read: ({ custom_id, result }) => {
    if (typeof custom_id !== 'string') return undefined
    const { type, message, error } = recordOf(result)
    if (type === 'succeeded') return { id: custom_id, answer: { status: 200, body: JSON.stringify(message) } }
    if (type !== 'errored') return { id: custom_id, answer: null }
    const kind = String(recordOf(recordOf(error).error).type)
    return { id: custom_id, answer: { status: ERROR_STATUS[kind] ?? 500, body: JSON.stringify(error) } }
  },
}

function createdAt({ created_at }: Record<string, unknown>): number {
  return Date.parse(String(created_at))
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`
}

function sizeOf({ request_counts }: Record<string, unknown>): number {
  return Object.values(recordOf(request_counts)).reduce<number>((sum, count) => sum + Number(count), 0)
}
