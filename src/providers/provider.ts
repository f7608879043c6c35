import type { EmbeddingWire } from '../dialects/embedding-wires/index.ts'
import type { ImageWire } from '../dialects/image-wires/index.ts'
import type { SpeechWire } from '../dialects/speech-wires/index.ts'
import type { DialectName } from '../dialects/index.ts'
import type { Compat } from '../dialects/openai/compat.ts'

export type Region = 'global' | 'eu' | 'us'

/** Providers whose model names carry a region, and how to read them: see model-namings.ts. */
export type ModelNaming = 'bedrock' | 'google' | 'oracle'

export const REGIONS: readonly Region[] = ['global', 'eu', 'us']

/** One provider: an address that speaks a dialect. Everything here is data; what needs a function is a dialect. */
export type ProviderRow<Dialect extends string = DialectName> = {
  name: string
  /** Other names that users know it by: `bedrock/…` means `amazon/…`. */
  aliases?: readonly string[]
  /** The wire of its chat models; absent: it has none (it draws, or does tasks). */
  dialect?: Dialect
  /** The wire that it makes images by, where it is not that of its dialect. */
  images?: ImageWire
  /** The wire that it embeds texts by, where it is not that of its dialect. */
  embeddings?: EmbeddingWire
  /** The wire that it speaks by, where it is not that of its dialect. */
  speech?: SpeechWire
  /** The row whose chat models users call by this row's name, where it has none of its own. */
  chatOf?: string
  /** Addresses of further services, by name, for those that have one each; `{PARAMETER}`s as in `baseUrl`. */
  services?: Readonly<Record<string, string>>
  /** May hold `{PARAMETER}`s, which `params` describes. */
  baseUrl: string
  /** The variable that moves the address, where it is not the credential's name with `_BASE_URL` at the end. */
  baseUrlEnv?: string
  /** What the address, or every body, needs to know, by the variable that says it. */
  params?: Readonly<Record<string, AddressParam>>
  /** Variables that its tasks ask for beside the address: places of the operator's account there. */
  taskSettings?: readonly string[]
  auth: Auth
  /** Where its models are served, as advertised and fixed by the address; a model row may name fewer. Absent: `global` only. */
  regions?: readonly Region[]
  /** How the names of its models say where a model is served; absent: they lead nowhere but to the address. */
  modelNaming?: ModelNaming
  /** It passes calls on to other companies: its regions hold for the models of the catalog only. */
  passesOn?: boolean
  /** Only the models of the catalog exist; otherwise any name is passed on and the provider decides. */
  closed?: boolean
  /** It goes on from an assistant message at the end of the conversation; a model's traits know better. */
  prefill?: boolean
  /** What it wants otherwise than others of the OpenAI wire. */
  compat?: Compat
  /** It gives one answer at a time, although its wire could ask for more. */
  choices?: 'one'
  fieldRules?: FieldRules
  /** Fields of `governed-fields.ts` that callers may send here all the same. */
  allowFields?: readonly string[]
}

/** A part of an address. Without a default it has to be set before the provider counts as set up. */
export type AddressParam = {
  default?: string
  /** Another variable that serves in its place. */
  or?: string
  /** Values with an address of their own, which replaces `baseUrl`. */
  baseUrls?: Readonly<Record<string, string>>
  /** The values that keep a call inside a region; with any other value the row is `global` only. */
  regions?: Readonly<Partial<Record<Region, readonly string[]>>>
}

/**
 * How a call proves who it is: `bearer` and `header` carry the key of `env` (`header` in the header it names), `aws` signs with
 * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN or carries AWS_BEARER_TOKEN_BEDROCK, `google` fetches tokens
 * with the service account whose key file `env` names, `exchange` with the key of `env` from whom `exchange` names.
 */
export type Auth = {
  scheme: 'bearer' | 'none' | 'header' | 'aws' | 'google' | 'exchange'
  header?: string
  /** The word before the key, where it is not `Bearer`. */
  prefix?: string
  env?: string
  optional?: boolean
  exchange?: Exchange
}

/** Who gives a token for a key, and the variables that move it and say what the token is for. */
export type Exchange = { kind: 'ibm' | 'gigachat'; url: string; urlEnv: string; scope?: string; scopeEnv?: string }

/** What this address wants otherwise than its dialect says. */
export type FieldRules = {
  /** Fields it refuses: left out, with a note. */
  drop?: readonly string[]
  rename?: Readonly<Record<string, string>>
  /** Set where the caller was silent. A text that is one `{PARAMETER}` of the row's has its value, or is not sent. */
  defaults?: Readonly<Record<string, unknown>>
}
