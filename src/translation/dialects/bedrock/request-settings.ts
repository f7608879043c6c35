import type { RequestFields } from '../request/request-fields.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../../base/schema/record.ts'

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
  const pairs = Object.entries(metadata ?? {}).map(([name, value]) => [name, asText(value)] as const)
  const good = pairs.filter(([name, value]) => METADATA_NAME.test(name) && METADATA_VALUE.test(value))
  if (good.length < pairs.length || good.length > MAX_METADATA)
    notes.dropped('metadata', `in part: Amazon Bedrock accepts ${MAX_METADATA} pairs of short plain text`)
  return Object.fromEntries(good.slice(0, MAX_METADATA))
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
