import { GATEWAY_FIELDS } from '../request/gateway-fields.ts'
import type { ImageCall } from '../image-codec.ts'
import type { Notes } from '../notes.ts'
import type { Fields } from '../../schema/record.ts'

/** OpenAI's own, which hardly any other wire knows: SDKs send them, strict providers refuse them. */
const OPENAI_ONLY: readonly string[] = [
  ...['user', 'metadata', 'safety_identifier', 'moderation', 'background', 'style', 'input_fidelity', 'markup'],
  ...['stream', 'partial_images', 'output_compression', 'complexity', 'frame_count', 'frame_duration_ms', 'svg'],
]

type Wire = {
  /** Of OpenAI's fields, those that this wire knows too. */
  knows?: readonly string[]
  /** What this wire would refuse, or says in another place. */
  refuses?: readonly string[]
}

/** What the caller wrote beyond the contract, as far as this wire has room for it. */
export function extraFields({ extra }: ImageCall, notes: Notes, { knows = [], refuses = [] }: Wire = {}): Fields {
  const dropped = new Set([...OPENAI_ONLY.filter((field) => !knows.includes(field)), ...refuses])
  const kept = Object.entries(extra).filter(([field, value]) => {
    if (value == null || GATEWAY_FIELDS.has(field)) return false
    if (dropped.has(field) && !asksNothing(value)) notes.dropped(field, 'this provider has no such field')
    return !dropped.has(field)
  })
  return Object.fromEntries(kept)
}

/** What the caller adds never stands in the place of what the gateway has read, checked and priced. */
export function withExtra(extra: Fields, known: Fields): Fields {
  return { ...extra, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) }
}

/** For wires that do not tell qualities apart. */
export function dropQuality({ quality }: ImageCall, notes: Notes): void {
  if (quality && quality !== 'auto' && quality !== 'standard')
    notes.dropped('quality', 'this provider has no qualities to choose from')
}

function asksNothing(value: unknown): boolean {
  return value === false || value === 'auto' || value === 0
}
