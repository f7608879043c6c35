import { keepWritten } from '../../../translation/json/written-numbers.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { AskedChat } from '../native-codec.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

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
export type FieldSources = { read: Fields[]; sentAsIs: Fields[] }

export function fieldSources(request: object, { native }: Pick<AskedChat, 'native'>): FieldSources {
  const { extra_body } = request as Fields
  const read = [request as Fields, ...(native ? [native.body] : [])]
  return { read: withSettings(read), sentAsIs: isRecord(extra_body) ? withSettings([extra_body]) : [] }
}

function withSettings(all: readonly Fields[]): Fields[] {
  const found = [...all]
  for (const one of all) for (const name of SETTINGS) if (isRecord(one[name])) found.push(one[name])
  return found
}

/** The most tokens of one answer; undefined if the caller sets no limit that is sure to hold. */
export function askedLength({ read, sentAsIs }: FieldSources): number | undefined {
  if (!read.some(isCapped) && !sentAsIs.some(isCapped)) return undefined
  const [ofRead, ofSent] = [longest(read), longest(sentAsIs, true)]
  return ofRead === undefined || ofSent === undefined ? undefined : Math.max(ofRead, ofSent)
}

/** Undefined if one of the lengths is no limit. To some servers, a negative number, a null or a zero means that. */
function longest(all: readonly Fields[], areSentAsIs = false): number | undefined {
  let most = 0
  for (const one of all)
    for (const name of LENGTHS) {
      const value = one[name]
      if (value === undefined || (value === null && !areSentAsIs)) continue
      if (typeof value !== 'number' || value < (areSentAsIs ? 1 : 0)) return undefined
      most = Math.max(most, value)
    }
  return most
}

function isCapped(fields: Fields): boolean {
  return CAPS.some((name) => fields[name] != null)
}

/** The same fields for a single answer: nowhere in them are several asked for. */
export function withoutChoices(fields: Fields): Fields {
  const single = leavingOut(CHOICES, fields)
  for (const name of SETTINGS) if (isRecord(single[name])) single[name] = leavingOut(CHOICES, single[name])
  return single
}

function leavingOut(names: readonly string[], fields: Fields): Fields {
  return keepWritten(Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))), fields)
}

/** The most answers for one prompt. Some servers take a text for a number. */
export function askedChoices({ read, sentAsIs }: FieldSources): number {
  let most = 1
  for (const all of [read, sentAsIs])
    for (const one of all)
      for (const name of CHOICES) {
        const value = one[name] == null ? 1 : toNumber(one[name])
        if (value > most && Number.isFinite(value)) most = value
      }
  return most
}
