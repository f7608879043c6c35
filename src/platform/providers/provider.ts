import type { DataPolicy } from '../../contract/admin/policy.ts'
import type { EmbeddingWire } from '../../translation/dialects/embedding-wires/index.ts'
import type { ImageWire } from '../../translation/dialects/image-wires/index.ts'
import type { RerankWire } from '../../translation/dialects/rerank-wires/index.ts'
import type { SpeechWire } from '../../translation/dialects/speech-wires/index.ts'
import type { DialectName } from '../../translation/dialects/index.ts'
import type { Compat } from '../../translation/dialects/openai/compat.ts'
import type { BatchWireName } from '../../translation/batches/index.ts'
import type { GovernedFields } from './governed-fields.ts'

export type Region = 'global' | 'eu' | 'us'

/** How to read the region from the name of a model: see model-namings.ts. */
export type ModelNaming = 'bedrock' | 'google' | 'oracle'

export const REGIONS: readonly Region[] = ['global', 'eu', 'us']

/**
 * One provider: an address that speaks a dialect. A row holds data only; behaviour belongs to the dialect. What the gateway
 * knows about a provider is in its row: no other code compares the id of a provider with a name.
 */
export type ProviderRow<Dialect extends string = DialectName> = Connection & Wires<Dialect> & Locations & Facts

/** The name, the address and the credentials of a provider. */
type Connection = {
  name: string
  /** Other names that users know the provider by: `bedrock/…` means `amazon/…`. */
  aliases?: readonly string[]
  /** May contain `{PARAMETER}`s, which `params` describes. */
  baseUrl: string
  /** The variable that replaces the address, if it is not the credential's variable with `_BASE_URL` at the end. */
  baseUrlEnv?: string
  /**
   * The end of `baseUrl`, if the provider's own SDK reads the same variable and adds this path itself. The variable works with
   * the path, as it does for other programs, and without it.
   */
  sdkPath?: string
  /** The variable parts of the address, or of every body, by the name of their environment variable. */
  params?: Readonly<Record<string, AddressParam>>
  /** Operators name their deployments themselves: the path of the address, and that of one deployment in versions with a date. */
  deployments?: { path: string; dated: string }
  auth: Auth
  /** Addresses of further services by name, if each service has its own; they may contain `{PARAMETER}`s too. */
  services?: Readonly<Record<string, string>>
  /** Credentials of these services, if the key of the models does not open them. */
  serviceAuth?: Auth
  /** Parameters of these services that have a default or determine a region. */
  serviceParams?: Readonly<Record<string, AddressParam>>
  /** Environment variables that its task adapters need: places in the operator's account at the provider. */
  taskSettings?: readonly string[]
}

type Wires<Dialect extends string> = {
  /** The wire format of its chat models; absent if it has none. */
  dialect?: Dialect
  /** It has OpenAI's endpoint for text completions, for every model unless the catalog says otherwise. */
  completions?: boolean
  /** The wire format for images, if it is not that of its dialect. */
  images?: ImageWire
  /** The wire format for embeddings, if it is not that of its dialect. */
  embeddings?: EmbeddingWire
  /** The wire format for reranking, if it is not that of its dialect; `engine`: the gateway compares vectors itself. */
  rerank?: RerankWire | 'engine'
  /** The wire format for speech, if it is not that of its dialect. */
  speech?: SpeechWire
  /** The wire format of its text recognition, if it is one that `/v3/ocr` has: it gets every field of a request. */
  ocr?: 'mistral'
  /** It takes many requests at once, answers them later, and charges less for that. */
  batches?: BatchApi
  /** The provider whose chat models users call by this row's name, because this row has none of its own. */
  chatOf?: string
  /** Differences from OpenAI's own API. */
  compat?: Compat
  /** The provider returns one answer per request, although its wire format could ask for more. */
  choices?: 'one'
  /** Models continue an assistant message at the end of the conversation; a model's traits take precedence. */
  prefill?: boolean
  fieldRules?: FieldRules
}

/** How a provider takes batches. */
export type BatchApi = {
  wire: BatchWireName
  /** What requests may be for: the ends of addresses, as its own lines name them behind `prefix`. */
  endpoints: readonly string[]
  prefix?: string
  /** What a token costs in a batch, as a part of its usual price. The catalog may have a tier `batch` of a model, which counts then. */
  factor: number
  /** Tokens of a cache cost as much as usual. */
  keepsCachePrice?: boolean
  /** The operator wants no more batches there. Those that it has are still read. */
  isOff?: true
  /** Where it says so. */
  source: string
}

type Locations = {
  /** Where its models are served, as advertised and fixed by the address; a model row may name fewer. Absent: `global` only. */
  regions?: readonly Region[]
  /** How the names of its models say where a model is served; absent if they say nothing. */
  modelNaming?: ModelNaming
  /** It forwards calls to other companies: its regions hold for models of the catalog only. */
  passesOn?: boolean
  /**
   * What it promises every customer about the data of calls to its models, and where it says so. Absent if nothing is known, and
   * for what depends on a contract or an account: the operator states that in the config file.
   */
  dataPolicy?: { promise: DataPolicy; source: string }
}

/** Facts that belong to the name of a provider. A custom provider with the same name keeps those of KEPT_FACTS. */
type Facts = {
  /** The gateway simulates this provider: nothing is sent anywhere. */
  simulated?: boolean
  /** It works inside of the gateway, so that its work costs nothing. */
  free?: boolean
  /**
   * It reports its models itself, at `/models`: a server of the operator, whose models no catalog knows. Some servers say at
   * addresses of their own which of them make embeddings.
   */
  reportsModels?: 'names' | 'ollama' | 'lmstudio'
  /** Only the models of the catalog and of the config file exist; otherwise any name is passed on and the provider decides. */
  strict?: boolean
  /** It has OpenAI's newer endpoints: `/responses` with more than chat, token counting, transcription, speech with usage events. */
  openaiEndpoints?: readonly OpenaiEndpoint[]
  /** The hosts, or their parents, that have its responses endpoint. Other addresses of the provider may not have it. */
  responsesHosts?: readonly string[]
  /** Names that only this maker gives to its models, so that one that no catalog has is passed on without the name of the maker. */
  ownNames?: RegExp
  /** Names of models that accept `web_search_options`, besides those of the catalog that can search. */
  searchModels?: RegExp
  /** The model of the task `image/generation` if a caller names none. */
  defaultImageModel?: string
  /** The model of the tasks `text/embeddings` and `text/search` if a caller names none. */
  defaultEmbeddingModel?: string
  /** Tasks that it no longer does → the day on which it ended them. */
  endedTasks?: Readonly<Record<string, string>>
  /** The alias that the lists of tasks show in place of the id. */
  taskAlias?: string
  /** Fields that callers may not send here, besides those of governed-fields.ts, which they override. */
  governedFields?: GovernedFields
  /** Fields of governed-fields.ts that callers may send here nevertheless. */
  allowFields?: readonly string[]
  /**
   * Whether it may be asked for models that the catalog calls ended: as the config file says, otherwise at an address that the
   * operator has set, because another server may serve what the maker of a model has ended.
   */
  servesEnded?: boolean
  /** Names of models that do not say which model or deployment runs: a preset, a router, an address in the account. */
  indirectModels?: RegExp
  /** Its answers name the model that answered as the catalog does: an unknown name is another model, with an unknown price. */
  namesModels?: boolean
  /** It takes a `prompt_cache_key`, with which requests with the same beginning are answered where that is cached. */
  cacheKeys?: boolean
  /** Tools that the provider runs with another model, and the default for that model. */
  toolModels?: Readonly<Record<string, string>>
  /** The name that OpenTelemetry's conventions give it, if that is not its id. */
  conventionName?: string
  /** It is told about the trace of a call, so that its own spans join it: a server of the operator, or one that the config file names. */
  traceContext?: boolean
  /** Settings of tasks that would send a result elsewhere, besides those of output-destinations.ts. */
  outputDestinations?: readonly string[]
}

type OpenaiEndpoint = 'responses' | 'token counts' | 'transcriptions' | 'speech events'

/**
 * Facts that a custom provider inherits from the built-in provider whose name it takes: no config file switches them off.
 * `free` is not among them: the price of another server under that name is unknown.
 */
export const KEPT_FACTS = [
  ...(['simulated', 'openaiEndpoints', 'defaultImageModel', 'defaultEmbeddingModel', 'endedTasks'] as const),
  ...(['taskAlias', 'governedFields', 'indirectModels', 'toolModels', 'outputDestinations'] as const),
] satisfies (keyof Facts)[]

/** A variable part of an address. Without a default, it has to be set before the provider counts as configured. */
export type AddressParam = {
  default?: string
  /** Another variable that may be set instead. */
  or?: string
  /** Values for which another address replaces `baseUrl`. */
  baseUrls?: Readonly<Record<string, string>>
  /** The operator's project at the provider, which pays for the call. */
  isProject?: boolean
  /** The values that keep a call inside of a region; with any other value the row is `global` only. Only regions have it. */
  regions?: Readonly<Partial<Record<Region, readonly string[]>>>
}

/**
 * How a request authenticates. `bearer` and `header` send the key of `env` (`header` in the header that it names). `aws` signs
 * with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or sends AWS_BEARER_TOKEN_BEDROCK. `google` fetches
 * tokens for the service account whose key file `env` names. `exchange` fetches tokens for the key of `env`.
 */
export type Auth = {
  scheme: 'bearer' | 'none' | 'header' | 'aws' | 'google' | 'exchange'
  header?: string
  /** The word before the key, if it is not `Bearer`. */
  prefix?: string
  env?: string
  optional?: boolean
  exchange?: Exchange
  /** The cloud whose identities open the provider without a key: a role of the machine, of its container or its workload. */
  identity?: CloudName
}

export type CloudName = 'aws' | 'google' | 'azure'

/** The server that exchanges a key for a token, and the variables that replace its address and the scope of the token. */
export type Exchange = { kind: 'ibm' | 'gigachat'; url: string; urlEnv: string; scope?: string; scopeEnv?: string }

/** How the requests to this provider differ from its dialect. */
export type FieldRules = {
  /** Fields that the provider refuses. They are dropped with a note. */
  drop?: readonly string[]
  rename?: Readonly<Record<string, string>>
  /** Fields that are set if the caller does not set them. A text that is one `{PARAMETER}` of the row is replaced by its value. */
  defaults?: Readonly<Record<string, unknown>>
}
