import type { TargetParams } from '../../../platform/config/aliases/alias.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { type Fields, isRecord, listOf, ownOf, recordOf } from '../../../base/schema/record.ts'
import { manual, unsupported, type Verdict } from '../finding.ts'
import type { ImportContext } from './import-context.ts'
import { makerOf } from './makers.ts'
import { BY_RESPONSES, NOT_COMPARED, type Kind, kindOf, type ModelAt, readModelName } from './model-names.ts'
import { CHATS_ELSEWHERE, providerOf } from './provider-names.ts'
import { resolved, textOf } from './values.ts'

/** An entry of `model_list` that can be a target here. */
export type Deployment = {
  /** Its place in the source: `model_list[3]`. */
  path: string
  /** The name that callers use. */
  name: string
  /** LiteLLM's name of the provider. */
  source: string
  provider: string | 'compatible'
  /** Without its provider. */
  model: string
  /** The region that the name of the model says. */
  region?: string | undefined
  /** How much its requests are those of LiteLLM. */
  verdict: Verdict
  params: Fields
  info: Fields
  /** Filled in by addresses.ts and credentials.ts. */
  target: { -readonly [Key in keyof TargetParams]: TargetParams[Key] } & { credential?: string }
  /** The paths of parameters that come from `credential_list`. */
  elsewhere: ReadonlyMap<string, string>
}

/** Where a parameter of the deployment stands in the source. */
export function pathOf({ path, elsewhere }: Deployment, param: string): string {
  return elsewhere.get(param) ?? `${path}.litellm_params.${param}`
}

const NAME = /^[\x21-\x3f\x41-\x7e][\x21-\x7e]{0,199}$/

/** Whether an alias can have this name. */
export function isAliasName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name) && name.split('*').length <= 2
}

/** A model that is named without parameters: `groq/x` among the fallbacks. Its place is the usual one of the provider. */
export function modelNamed(text: string, context: ImportContext): { id: string; isSame: boolean } | undefined {
  if (!text.includes('/')) return undefined
  const read = readModel(text, {}, undefined, context)
  if ('refusal' in read || read.provider === 'compatible' || read.region !== undefined) return undefined
  const { params, reportsModels } = PROVIDERS[read.provider]!
  const isElsewhere = params !== undefined || reportsModels !== undefined
  return { id: `${read.provider}/${read.model}`, isSame: read.verdict.outcome === 'exact' && !isElsewhere }
}

export function readDeployments(context: ImportContext): Deployment[] {
  return listOf(context.content.model_list).flatMap((entry, index) => {
    const path = `model_list[${index}]`
    if (!isRecord(entry)) {
      context.draft.findings.push({ path, ...unsupported('is no model with a name') })
      return []
    }
    const deployment = readDeployment(entry, path, context)
    const isManual = context.draft.verdicts.get(`${path}.litellm_params.model`)?.outcome === 'manual'
    if (!deployment) leaveOut(path, entry, context, isManual ? manual : unsupported)
    return deployment ?? []
  })
}

/** Nothing of an entry is taken over if its model is not. */
export function leaveOut(path: string, entry: Fields, { draft }: ImportContext, judge = unsupported): void {
  const sections = ['litellm_params', 'model_info'].flatMap((section) =>
    Object.keys(recordOf(entry[section])).map((member) => `${path}.${section}.${member}`),
  )
  for (const section of [`${path}.model_name`, ...sections])
    if (!draft.verdicts.has(section)) draft.judge(section, judge('the model is left out'))
}

function readDeployment(entry: Fields, path: string, context: ImportContext): Deployment | undefined {
  const { model_name: name, litellm_params: stated, model_info: info } = entry
  const own = recordOf(stated)
  const shared = credentialOf(own, path, context)
  const params = { ...shared.values, ...own }
  const elsewhere = new Map(
    Object.keys(shared.values).flatMap((one) => (one in own ? [] : [[one, `${shared.path}.${one}`]])),
  )
  const general = recordOf(context.content.litellm_settings)
  const model = textOf(params.model)
  if (!isRecord(stated)) {
    context.draft.judge(`${path}.model_name`, unsupported('the entry has no litellm_params'))
    return undefined
  }
  if (!isAliasName(name)) {
    context.draft.judge(
      `${path}.model_name`,
      unsupported('a name has 1 to 200 visible ASCII characters and one * at most'),
    )
    return undefined
  }
  if (!model || !('text' in model)) {
    context.draft.judge(`${path}.litellm_params.model`, unsupported('the name of the model has to be in the file'))
    return undefined
  }
  const found = readModel(model.text, params, recordOf(info).mode, context)
  if ('refusal' in found) {
    context.draft.judge(`${path}.litellm_params.model`, found.refusal)
    return undefined
  }
  if (found.provider === 'vertex')
    for (const member of OF_EVERY_VERTEX.filter((one) => params[one] == null && params[NAMES_OF_VERTEX[one]] == null))
      if (general[member] != null) {
        params[member] = general[member]
        elsewhere.set(member, `litellm_settings.${member}`)
      }
  const usual = withUsual(params, found, context)
  return { path, name, target: {}, elsewhere, ...found, params: usual, info: recordOf(info) }
}

/** LiteLLM chats with no model of a provider that has only embeddings or images, but with all others. */
function kindAt({ provider, name }: { provider: string; name: string }, mode: unknown): Kind {
  const { dialect, embeddings } = PROVIDERS[provider] ?? { dialect: 'openai' }
  if (dialect || mode != null || CHATS_ELSEWHERE.has(provider)) return kindOf(mode, name)
  return embeddings && !name.includes('rerank') ? 'embedding' : 'other'
}

function hasKind({ provider, model }: ModelAt, kind: Kind, { catalog }: ImportContext): boolean {
  if (kind !== 'chat' || provider === 'compatible') return true
  return PROVIDERS[provider]?.dialect !== undefined || catalog.find(provider, model) !== undefined
}

/** Where models at Vertex AI are that do not say it: in `litellm_settings`, and their other names in `litellm_params`. */
const NAMES_OF_VERTEX = { vertex_project: 'vertex_ai_project', vertex_location: 'vertex_ai_location' } as const
const OF_EVERY_VERTEX = ['vertex_project', 'vertex_location'] as const

/** Variables that LiteLLM reads for a parameter that is not stated. */
const USUAL: readonly [provider: string, param: string, variable: string][] = [
  ['azure', 'api_base', 'AZURE_API_BASE'],
  ['azure', 'api_version', 'AZURE_API_VERSION'],
  ['azure_ai', 'api_base', 'AZURE_AI_API_BASE'],
  ['bedrock_mantle', 'api_base', 'BEDROCK_MANTLE_API_BASE'],
  ['vertex', 'vertex_project', 'VERTEXAI_PROJECT'],
  ['vertex', 'vertex_location', 'VERTEXAI_LOCATION'],
  ['amazon', 'aws_region_name', 'AWS_REGION_NAME'],
  ['ollama', 'api_base', 'OLLAMA_API_BASE'],
  ['vllm', 'api_base', 'HOSTED_VLLM_API_BASE'],
  ['lmstudio', 'api_base', 'LM_STUDIO_API_BASE'],
]

/** Servers that have no row here, with the variable of their keys. */
const SERVERS: Readonly<Record<string, { base?: (region: string) => string; key: string }>> = {
  azure_ai: { key: 'AZURE_AI_API_KEY' },
  bedrock_mantle: {
    base: (region) => `https://bedrock-mantle.${region}.api.aws/v1`,
    key: 'AWS_BEARER_TOKEN_BEDROCK',
  },
  codestral: { base: () => 'https://codestral.mistral.ai/v1', key: 'CODESTRAL_API_KEY' },
}

function withUsual(params: Fields, { source, provider, region }: Read, { environment }: ImportContext): Fields {
  const usual = USUAL.filter(
    ([id, param, variable]) => (id === provider || id === source) && params[param] == null && environment[variable],
  )
  const completed = {
    ...params,
    ...Object.fromEntries(usual.map(([, param, variable]) => [param, environment[variable]])),
  }
  const server = ownOf(SERVERS, source)
  if (!server) return completed
  const awsRegion =
    resolved(params.aws_region_name, environment) ?? region ?? environment.AWS_REGION_NAME ?? 'us-east-1'
  const base = completed.api_base ?? completed.base_url ?? server.base?.(awsRegion)
  return {
    ...completed,
    ...(base != null && { api_base: base }),
    api_key: completed.api_key ?? `os.environ/${server.key}`,
  }
}

/** LiteLLM's name of the makers of models without a provider, where it is not ours. */
const LITELLM_NAMES: Readonly<Record<string, string>> = { vertex: 'vertex_ai' }

type Read = ModelAt & { source: string }

/** The provider and the model of a name, or why there is none here. */
function readModel(text: string, params: Fields, mode: unknown, context: ImportContext): Read | { refusal: Verdict } {
  const split = splitModel(text, params, context)
  if (!split) return { refusal: unsupported('Gatehouse has no such provider') }
  const kind = kindAt(split, mode)
  const read = readModelName(split.source, split.name, { provider: split.provider, kind })
  if ('refusal' in read) return read
  const id = read.provider === 'amazon' ? resolved(params.model_id, context.environment) : undefined
  const ofMode = mode === 'responses' ? BY_RESPONSES : mode === 'completion' ? NOT_COMPARED : undefined
  const verdict = read.verdict.outcome === 'exact' ? (ofMode ?? read.verdict) : read.verdict
  const found = { ...read, verdict, source: split.source, model: id ?? read.model }
  if (found.model === '') return { refusal: unsupported('names no model') }
  return hasKind(found, kind, context) ? found : { refusal: unsupported('the provider has no chat models here') }
}

function splitModel(text: string, { custom_llm_provider: stated }: Fields, context: ImportContext) {
  const slash = text.indexOf('/')
  const prefix = slash > 0 ? text.slice(0, slash) : undefined
  const named = prefix === undefined ? undefined : providerOf(prefix)
  if (typeof stated === 'string') {
    const provider = providerOf(stated)
    return provider && { source: stated, provider, name: stated === prefix ? text.slice(slash + 1) : text }
  }
  if (prefix !== undefined && named) return { source: prefix, provider: named, name: text.slice(slash + 1) }
  // A name with a slash and an unknown provider is not the name of a model of OpenAI.
  if (prefix !== undefined) return undefined
  const provider = text === '*' ? 'openai' : makerOf(text, context)
  return { source: LITELLM_NAMES[provider] ?? provider, provider, name: text }
}

/** The values of the entry of `credential_list` that the deployment names. Its own values win. */
function credentialOf(params: Fields, path: string, { content, draft }: ImportContext) {
  const name = params.litellm_credential_name
  if (name === undefined) return { values: {}, path: '' }
  const list = listOf(content.credential_list)
  const index = list.findIndex((one) => isRecord(one) && one.credential_name === name)
  if (index < 0)
    draft.judge(`${path}.litellm_params.litellm_credential_name`, unsupported('there is no such credential'))
  const values = recordOf(recordOf(list[index]).credential_values)
  return { values, path: `credential_list[${index}].credential_values` }
}

/** Credentials that no model names are not taken over: the provider that they are for is unknown. */
export function judgeUnusedCredentials(deployments: readonly Deployment[], { content, draft }: ImportContext): void {
  const used = new Set(deployments.map(({ params }) => params.litellm_credential_name))
  for (const [index, entry] of listOf(content.credential_list).entries()) {
    if (!isRecord(entry) || used.has(entry.credential_name)) continue
    for (const member of Object.keys(recordOf(entry.credential_values)))
      draft.judge(
        `credential_list[${index}].credential_values.${member}`,
        manual('no model of the file names this credential'),
      )
  }
}
