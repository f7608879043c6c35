import type { CallServices } from '../../calls/services/call-services.ts'

// The id of a response contains the UUID under which it is stored.

const MARK = 'resp_'

export function newResponseId({ newId }: Pick<CallServices, 'newId'>): string {
  return MARK + newId().replaceAll('-', '')
}

export function hexOf(id: string): string {
  return id.slice(MARK.length)
}

/** An empty text for what is no id of a response. */
export function uuidOf(id: string): string {
  const [, ...parts] = /^resp_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id) ?? []
  return parts.join('-')
}
