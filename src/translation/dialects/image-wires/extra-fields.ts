import { GATEWAY_FIELDS } from '../request/gateway-fields.ts'
import type { ImageCall } from '../image-codec.ts'
import type { Notes } from '../notes.ts'
import { type Fields, recordOf } from '../../../base/schema/record.ts'
import { keepWritten } from '../../json/written-numbers.ts'

/** OpenAI's own fields, which hardly any other provider knows: SDKs send them, strict providers refuse them. */
const OPENAI_ONLY: readonly string[] = [
  ...['user', 'metadata', 'safety_identifier', 'moderation', 'background', 'style', 'input_fidelity', 'markup'],
  ...['stream', 'partial_images', 'output_compression', 'complexity', 'frame_count', 'frame_duration_ms', 'svg'],
]

/** The setting of Google's models, which no other provider knows. */
const GOOGLE_ONLY = ['image_config']

type Wire = {
  /** The fields of OpenAI that this wire format knows too. */
  knows?: readonly string[]
  /** Fields that this wire format would refuse, or has in another place. */
  refuses?: readonly string[]
}

/** The caller's fields beyond the contract, as far as this wire format has room for them. */
export function extraFields({ extra }: ImageCall, notes: Notes, { knows = [], refuses = [] }: Wire = {}): Fields {
  const dropped = new Set([...OPENAI_ONLY.filter((field) => !knows.includes(field)), ...GOOGLE_ONLY, ...refuses])
  const allowed = Object.entries(extra).filter(([field, value]) => {
    if (value == null || GATEWAY_FIELDS.has(field)) return false
    if (dropped.has(field) && !asksNothing(value)) notes.dropped(field, 'this provider has no such field')
    return !dropped.has(field)
  })
  return keepWritten(Object.fromEntries(allowed), extra)
}

/** Spreads `image_config` over the fields that it stands for. */
export function withImageConfig(call: ImageCall): ImageCall {
  const { image_config, ...extra } = call.extra
  const { aspect_ratio, image_size } = recordOf(image_config)
  return {
    ...call,
    extra: withExtra(extra, { aspect_ratio: aspect_ratio ?? undefined, image_size: image_size ?? undefined }),
  }
}

/** The caller's additions never replace fields that the gateway has read, checked and priced. */
export function withExtra(extra: Fields, fields: Fields): Fields {
  return { ...extra, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) }
}

/** For wire formats without a quality setting. */
export function dropQuality({ quality }: ImageCall, notes: Notes): void {
  if (quality && quality !== 'auto' && quality !== 'standard')
    notes.dropped('quality', 'this provider has no quality setting')
}

function asksNothing(value: unknown): boolean {
  return value === false || value === 'auto' || value === 0
}
