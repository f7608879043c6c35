import { type Fields, isRecord } from '../../schema/record.ts'
import type { NativeCall } from '../native-codec.ts'

// How long the answers of a chat may be, and how many there are, wherever a caller says so. A field that its provider does not
// know, or does not take for a limit, must not make the bound smaller: most providers ignore such fields.

/** What every dialect translates into the limit of its provider. */
const CAPS = ['max_tokens', 'max_completion_tokens'] as const
/** With the names that other formats and servers use: these make the bound larger, never smaller. */
export const LENGTHS = [
  ...CAPS,
  ...['max_output_tokens', 'maxOutputTokens', 'maxTokens', 'max_new_tokens', 'num_predict', 'n_predict'],
] as const
const CHOICES = ['n', 'best_of', 'candidateCount', 'candidate_count', 'num_generations'] as const
/** Members in which some formats keep their settings. */
export const SETTINGS = ['generationConfig', 'generation_config', 'inferenceConfig', 'options'] as const

/** All places in which a caller may have set a field. In those of `sentAsIs`, also a null reaches the provider. */
export type Places = { read: Fields[]; sentAsIs: Fields[] }

export function placesOf(request: object, { native }: Pick<NativeCall, 'native'>): Places {
  const { extra_body } = request as Fields
  const read = [request as Fields, ...(native ? [native.body] : [])]
  return { read: withSettings(read), sentAsIs: isRecord(extra_body) ? withSettings([extra_body]) : [] }
}

function withSettings(all: readonly Fields[]): Fields[] {
  return all.flatMap((one) => [one, ...SETTINGS.map((name) => one[name]).filter(isRecord)])
}

/** The most tokens of one answer; undefined if the caller sets no limit that is sure to hold. */
export function askedLength({ read, sentAsIs }: Places): number | undefined {
  const all = [...read, ...sentAsIs]
  if (!all.some((one) => CAPS.some((name) => one[name] != null))) return undefined
  const lengths = [
    ...read.flatMap((one) => LENGTHS.map((name) => one[name]).filter((value) => value != null)),
    ...sentAsIs.flatMap((one) => LENGTHS.filter((name) => Object.hasOwn(one, name)).map((name) => one[name] || null)),
  ]
  return lengths.every(isLength) ? Math.max(...lengths) : undefined
}

/** To some servers, a negative number means that there is no limit. */
function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** The most answers for one prompt. Some servers take a text for a number. */
export function askedChoices({ read, sentAsIs }: Places): number {
  const values = [...read, ...sentAsIs].flatMap((one) => CHOICES.map((name) => Number(one[name] ?? 1)))
  return Math.max(1, ...values.filter(Number.isFinite))
}
