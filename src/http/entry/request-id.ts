import type { IncomingMessage } from 'node:http'

/** What programs use for ids, and nothing that a log or a header could misread. */
const VALID = /^[\w.:=+/@-]{1,128}$/

/** The caller's own id of a request, so that the lines of both programs can be found by it, or a new one. */
export function requestIds(newId: () => string) {
  return ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
    const given = headers['x-request-id']
    return given !== undefined && isValid(given) ? given : newId()
  }
}

/**
 * The id of a call in the ledger. A caller may use an id twice, and two calls with one id would be one line, so an id of the
 * caller gets one of ours behind it.
 */
export function callIdOf({ id, headers }: RequestView, newId: () => string): string {
  return headers['x-request-id'] === id ? `${id}.${newId()}` : id
}

type RequestView = { id: string; headers: IncomingMessage['headers'] }

function isValid(given: string | string[]): given is string {
  return typeof given === 'string' && VALID.test(given)
}
