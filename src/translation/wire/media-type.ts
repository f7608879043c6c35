import type { WireResponse } from './wire.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}/

/** What an answer says it is, without parameters; an empty text if it says nothing that can be shown. */
export function mediaTypeOf({ headers }: Pick<WireResponse, 'headers'>): string {
  const [type] = MEDIA_TYPE.exec(String(headers['content-type'] ?? '').trim()) ?? ['']
  return type.toLowerCase()
}
