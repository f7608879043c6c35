import { createHash } from 'node:crypto'
import type { Vendor } from './vendor.ts'

const BEDROCK_ID = /^[a-zA-Z0-9_-]{1,64}$/
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/

/** Ids of another provider may not fit here: they become a digest, the same one in the call and in its result. */
export function toolUseId(id: string, vendor: Vendor): string {
  if (vendor === 'mistral') return MISTRAL_ID.test(id) ? id : digest(id).slice(0, 9)
  return BEDROCK_ID.test(id) ? id : `call_${digest(id).slice(0, 24)}`
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
