import Type from '../schema/type.ts'
import { mapOf } from '../schema/fields.ts'
import { validator } from '../schema/validator.ts'
import { ConfigError } from './config-error.ts'

/** How long each part of a call may take. Each limit has its own word in errors, so that it is clear which one to move. */
export type TimeLimits = {
  /** To accept a connection. */
  connectMs: number
  /** To begin an answer: what a silent provider is given. */
  headersMs: number
  /** To the first word of a stream, and only while another target is left: the last one may take what the total allows. */
  firstTokenMs: number
  /** Between two pieces of an answer. */
  idleMs: number
  /** From the request to the end of the answer, over all attempts. */
  totalMs: number
}

export const DEFAULT_LIMITS: TimeLimits = {
  connectMs: 10_000,
  headersMs: 300_000,
  firstTokenMs: 10_000,
  idleMs: 120_000,
  totalMs: 600_000,
}

/** Models that think before they speak are given longer to the first word. */
export const THINKING_FIRST_TOKEN_MS = 60_000

const milliseconds = Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400_000 }))
const Limits = Type.Object(
  {
    connectMs: milliseconds,
    headersMs: milliseconds,
    firstTokenMs: milliseconds,
    idleMs: milliseconds,
    totalMs: milliseconds,
  },
  { additionalProperties: false },
)
const limits = validator(mapOf(Limits))

/** By `provider` or `provider/model`; the longer name wins, limit by limit. */
export type LimitSettings = Record<string, Partial<TimeLimits>>

export function readLimits(value: unknown): LimitSettings {
  if (value === undefined) return {}
  if (limits.check(value)) return value as LimitSettings
  throw new ConfigError(
    limits
      .issues(value, ['limits'])
      .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
      .join('; '),
  )
}
