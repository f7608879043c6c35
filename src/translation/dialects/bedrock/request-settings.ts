import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { writeMember } from '../../json/written-numbers.ts'

const TIERS: ReadonlySet<string> = new Set(['default', 'flex', 'priority'])

/** `auto` is the default. */
export function toServiceTier({ service_tier: tier }: RequestFields, notes: Notes): Fields {
  if (!tier || tier === 'auto') return {}
  if (TIERS.has(tier)) return { serviceTier: { type: tier } }
  notes.dropped('service_tier', `Amazon Bedrock has no tier "${tier}"`)
  return {}
}

const MAX_METADATA = 16
const METADATA_NAME = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/
const METADATA_VALUE = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/

/** The metadata goes into the invocation log, which accepts short plain texts. */
export function toRequestMetadata({ metadata }: RequestFields, notes: Notes): Record<string, string> {
  const given = metadata ?? {}
  const pairs = Object.entries(given).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : writeMember(given, name)] as const
  })
  const good = pairs.filter(([name, value]) => METADATA_NAME.test(name) && METADATA_VALUE.test(value))
  if (good.length < pairs.length || good.length > MAX_METADATA)
    notes.dropped('metadata', `in part: Amazon Bedrock accepts ${MAX_METADATA} pairs of short plain text`)
  return Object.fromEntries(good.slice(0, MAX_METADATA))
}
