import Type from '../../base/schema/type.ts'
import { mapOf } from '../../base/schema/fields.ts'
import { nearestName } from '../../base/schema/nearest-name.ts'
import { isRecord } from '../../base/schema/record.ts'
import { ConfigError } from './config-error.ts'
import { checkSection } from './section.ts'
import { refuseUnknownProviders } from './unknown-provider.ts'
import { DAY_MS } from '../../base/units/units.ts'

/** Time limits of the parts of a call. Errors name the limit that was exceeded, so that operators know which one to change. */
export type Timeouts = {
  /** Until the connection is established. */
  connectMs: number
  /** Until the provider starts to answer. */
  headersMs: number
  /** Until the first token of a stream, and only while another target is left. */
  firstTokenMs: number
  /** Between two chunks of an answer. */
  idleMs: number
  /** From the request to the end of the answer, over all attempts. */
  totalMs: number
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 300_000,
  firstTokenMs: 10_000,
  idleMs: 120_000,
  totalMs: 600_000,
}

/** For streams of models that are known not to reason, if no other target is left. */
export const LAST_FIRST_TOKEN_MS = 60_000

/** Reasoning models get more time until the first token. */
export const THINKING_FIRST_TOKEN_MS = 60_000

const milliseconds = Type.Optional(Type.Integer({ minimum: 1, maximum: DAY_MS }))
export const TimeoutEntry = Type.Object(
  {
    connectMs: milliseconds,
    headersMs: milliseconds,
    firstTokenMs: milliseconds,
    idleMs: milliseconds,
    totalMs: milliseconds,
  },
  { additionalProperties: false },
)
const Section = mapOf(TimeoutEntry)

/** By `provider` or `provider/model`; for each limit the more specific name wins. */
export type TimeoutSettings = Record<string, Partial<Timeouts>>

export function readTimeouts(settings: unknown, providers: Readonly<Record<string, unknown>>): TimeoutSettings {
  if (settings === undefined) return {}
  if (isRecord(settings)) {
    refuseWithoutProvider(settings)
    refuseUnknownProviders('timeouts', settings, providers)
  }
  checkSection('timeouts', Section, settings)
  return settings as TimeoutSettings
}

/** A limit at the place of a provider, also a mistyped one, would otherwise be called an unknown provider. */
function refuseWithoutProvider(settings: object): void {
  for (const [key, value] of Object.entries(settings)) {
    const name = isRecord(value) ? undefined : nearestName(key, Object.keys(DEFAULT_TIMEOUTS))
    if (name !== undefined) throw new ConfigError(`timeouts.${key}: needs a provider, as in timeouts.openai.${name}`)
  }
}
