import type { DialectName } from '../dialects/index.ts'

export type Region = 'global' | 'eu' | 'us'

export const REGIONS: readonly Region[] = ['global', 'eu', 'us']

/** One provider: an address that speaks a dialect. Everything here is data; what needs a function is a dialect. */
export type ProviderRow = {
  name: string
  dialect: DialectName
  baseUrl: string
  auth: Auth
  /** Where its models are served; a model row may name fewer. Absent: `global` only. */
  regions?: readonly Region[]
  /** Only the models of the catalog exist; otherwise any name is passed on and the provider decides. */
  closed?: boolean
  quirks?: Quirks
}

export type Auth = { scheme: 'bearer' | 'none'; env?: string; optional?: boolean }

/** What this address wants otherwise than its dialect says. */
export type Quirks = {
  /** Fields it refuses: left out, with a note. */
  drop?: readonly string[]
  rename?: Readonly<Record<string, string>>
  /** Set where the caller was silent. */
  defaults?: Readonly<Record<string, unknown>>
}
