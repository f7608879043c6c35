import { digestOf, shortCallId } from '../short-call-id.ts'
import type { Vendor } from './vendor.ts'

const BEDROCK_ID = /^[a-zA-Z0-9_-]{1,64}$/

/** Ids of other providers may be refused here. They become a digest, the same in the call and in its result. */
export function toolUseId(id: string, vendor: Vendor): string {
  if (vendor === 'mistral') return shortCallId(id)
  return BEDROCK_ID.test(id) ? id : `call_${digestOf(id).slice(0, 24)}`
}
