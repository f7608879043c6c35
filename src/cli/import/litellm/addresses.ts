import { isHttpUrl } from '../../../platform/config/custom-providers.ts'
import type { ProviderRow } from '../../../platform/providers/provider.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { ownOf } from '../../../base/schema/record.ts'
import { approximate, exact, manual, unsupported, type Verdict } from '../finding.ts'
import { type Deployment, pathOf } from './deployments.ts'
import type { ImportContext } from './import-context.ts'
import { COMPARED_ELSEWHERE, IS_TARGET, NOT_COMPARED } from './model-names.ts'
import type { DialectName } from '../../../translation/dialects/index.ts'
import { resolved, textOf } from './values.ts'

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const ADDRESSES = ['api_base', 'base_url', 'aws_bedrock_runtime_endpoint']

/**
 * Where the deployment is: its address, region, project and version. Returns false if its address cannot be used: then its
 * key must not be used either, because it would be sent to the provider's own address.
 */
export function addAddress(deployment: Deployment, context: ImportContext): boolean {
  const { provider, params, target } = deployment
  const member = ADDRESSES.find((one) => params[one] != null)
  if (member && !useAddress(deployment, member, context)) return false
  if (!member && provider === 'compatible') {
    context.draft.judge(`${deployment.path}.litellm_params.model`, manual('set api_base: the address is not known'))
    return false
  }
  if (deployment.region && hasParam(deployment.provider, 'region')) target.region = deployment.region
  for (const [name, param] of PARAMS) {
    const value = read(name, deployment, context)
    if (value !== undefined) useParam(deployment, name, { [param]: value }, context)
  }
  useBaseModel(deployment, context)
  if (PROVIDERS[deployment.provider]?.deployments && params.api_version == null)
    deployment.verdict = approximate('LiteLLM asks a version with a date; Gatehouse asks the current one')
  return true
}

function read(member: string, deployment: Deployment, { draft, environment }: ImportContext): string | undefined {
  const value = deployment.params[member]
  if (value === undefined || value === null) return undefined
  const text = resolved(value, environment)
  if (text === undefined) draft.judge(pathOf(deployment, member), unset(value))
  return text
}

function unset(value: unknown): Verdict {
  const found = textOf(value)
  const variable = found && 'variable' in found ? found.variable : undefined
  if (!variable) return unsupported('is not a text')
  return manual(
    `${variable} is not set here: run the import with it, or with --env-file, so that its value is taken over`,
  )
}

const PARAMS = [
  ['api_version', 'apiVersion'],
  ['region_name', 'region'],
  ['aws_region_name', 'region'],
  ['vertex_location', 'region'],
  ['vertex_ai_location', 'region'],
  ['watsonx_region_name', 'region'],
  ['vertex_project', 'project'],
  ['vertex_ai_project', 'project'],
] as const

type Param = { apiVersion?: string; region?: string; project?: string }

/** Versions of Azure's API that have no date, and so no address of their own. */
const UNDATED = new Set(['v1', 'latest', 'preview'])

/** Only what the provider has: LiteLLM ignores the rest too. */
function useParam(deployment: Deployment, member: string, param: Param, { draft }: ImportContext): void {
  const { provider, target } = deployment
  const [[name, value]] = Object.entries(param) as [[keyof Param, string]]
  const path = pathOf(deployment, member)
  if (name === 'apiVersion' && UNDATED.has(value)) draft.judge(path, exact('is the address without a date'))
  else if (!hasParam(provider, name) && member === 'region_name')
    draft.judge(path, unsupported('LiteLLM chooses deployments by it; targets of this provider have no region here'))
  else if (!hasParam(provider, name)) draft.judge(path, exact('the provider has none, and LiteLLM ignores it too'))
  else if (!PLAIN.test(value)) draft.judge(path, unsupported('is not a plain name'))
  else Object.assign(target, param)
}

/** A provider of its own, at an address of the operator, has none. */
function hasParam(provider: string, name: keyof Param): boolean {
  const { params = {}, deployments } = ownOf(PROVIDERS, provider) ?? {}
  if (name === 'apiVersion') return deployments !== undefined
  return Object.values(params).some((param) => (name === 'region' ? param.regions : param.isProject) !== undefined)
}

/**
 * An address that is not the provider's own is a provider of its own: so it never gets a key of the provider, and the provider
 * never gets its key. Clouds and local servers have addresses of the operator anyway.
 */
function useAddress(deployment: Deployment, member: string, context: ImportContext): boolean {
  const { draft } = context
  const address = read(member, deployment, context)
  if (address === undefined) return false
  const path = pathOf(deployment, member)
  const refusal = refusalOf(address) ?? (deployment.provider === 'vertex' ? OWN_PATH : undefined)
  if (refusal) draft.judge(path, refusal)
  else moveTo(address, deployment, path, context)
  return !refusal
}

const OWN_PATH = manual('LiteLLM calls this address with nothing of Vertex AI in its path; Gatehouse cannot')

function refusalOf(address: string): Verdict | undefined {
  if (!isHttpUrl(address)) return unsupported('is no http:// or https:// address')
  const { username, password, search } = new URL(address)
  if (!username && !password && !search) return undefined
  return manual('the address holds a secret or a query; make a provider for it in `providers` by hand')
}

function moveTo(address: string, deployment: Deployment, path: string, { draft }: ImportContext): void {
  const { source, target } = deployment
  if (source === 'azure_ai' && /\.(?:openai|cognitiveservices)\.azure\.com$/.test(new URL(address).hostname))
    deployment.provider = 'azure'
  const { provider } = deployment
  const row = PROVIDERS[provider === 'compatible' ? 'openai' : provider]!
  const isOwn = provider !== 'compatible' && new URL(address).origin === URL.parse(row.baseUrl)?.origin
  if (isOwn) draft.judge(path, exact('is the address of the provider'))
  else if (row.params || row.reportsModels) {
    target.baseUrl = withPath(provider, address)
    if (row.reportsModels) deployment.verdict = verdictElsewhere(deployment)
  } else {
    const server = serverAt(address, deployment, row)
    deployment.provider = customProvider(server.address, server.dialect, draft.providers)
    deployment.verdict = verdictElsewhere(deployment)
    draft.judge(path, verdictOf(deployment, row))
  }
}

/** What is known about a name at the address of its provider says nothing about another address. */
function verdictElsewhere({ source, verdict }: Deployment): Verdict {
  if (verdict.outcome !== 'exact' && verdict !== NOT_COMPARED) return verdict
  return COMPARED_ELSEWHERE.has(source) ? IS_TARGET : NOT_COMPARED
}

/** Azure has its models of other makers at one path, and those of Anthropic at another, in the format of Anthropic. */
function serverAt(address: string, { source, model }: Deployment, { dialect }: ProviderRow): Server {
  if (WITH_VERSION.has(source)) {
    const plain = address.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
    return { address: plain.endsWith('/v1') ? plain : `${plain}/v1`, dialect: dialect! }
  }
  if (source !== 'azure_ai') return { address, dialect: dialect! }
  const { origin, pathname, hostname } = new URL(address)
  const path = pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  if (!hostname.endsWith('.services.ai.azure.com') || !/^(?:\/models)?$/.test(path))
    return { address: `${origin}${path}`, dialect: 'openai' }
  const isClaude = /claude/i.test(model)
  return isClaude
    ? { address: `${origin}/anthropic`, dialect: 'anthropic' }
    : { address: `${origin}/models`, dialect: 'openai' }
}

/** LiteLLM adds `/v1` to the addresses of these. */
const WITH_VERSION: ReadonlySet<string> = new Set(['huggingface', 'mistral'])

type Server = { address: string; dialect: DialectName }

function verdictOf({ provider, params, verdict }: Deployment, { dialect, auth }: ProviderRow): Verdict {
  if (params.api_key == null)
    return approximate(`is the provider ${provider}, called without a key; LiteLLM sends ${auth.env} there`)
  if (dialect === 'openai' && verdict.outcome === 'exact') return exact(`is the provider ${provider}`)
  return approximate(`is the provider ${provider}, with the wire format and without further facts about the models`)
}

/** Paths that LiteLLM adds itself, by provider or dialect: it speaks Ollama's own format, which has none. */
const ADDED_PATHS: Readonly<Record<string, RegExp>> = { ollama: /^\/$/, anthropic: /^(?!.*\/v1$)/ }

function withPath(name: string, address: string): string {
  const plain = address.replace(/(?<!\/)\/+$/, '').replace(/\/v1\/messages$/, '/v1')
  return ADDED_PATHS[name]?.test(new URL(plain).pathname) ? `${plain}/v1` : plain
}

/** Named after the host. Two addresses of one host have different names. */
function customProvider(address: string, dialect: DialectName, providers: Providers): string {
  const baseUrl = withPath(dialect, address)
  for (const [id, existing] of providers) if (existing.baseUrl === baseUrl && existing.dialect === dialect) return id
  const slug = new URL(baseUrl).host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  let id = slug
  for (let number = 2; providers.has(id) || Object.hasOwn(PROVIDERS, id); number++) id = `${slug}-${number}`
  providers.set(id, { dialect, baseUrl, auth: { scheme: 'none' } })
  return id
}

type Providers = ImportContext['draft']['providers']

/** Azure's deployments have names of their own; the base model says which model they are. */
function useBaseModel(deployment: Deployment, { draft }: ImportContext): void {
  const base = deployment.info.base_model
  if (typeof base !== 'string' || base === '') return
  const path = `${deployment.path}.model_info.base_model`
  if (!PROVIDERS[deployment.provider]?.deployments || !PLAIN.test(deployment.model))
    return draft.judge(path, unsupported('only deployments at Azure have names of their own here'))
  deployment.target.deployment = deployment.model
  const name = base.slice(base.indexOf('/') + 1)
  deployment.model = name.slice(name.lastIndexOf('/') + 1)
  if (deployment.model !== name)
    draft.judge(
      path,
      approximate('is the model of the target, without the region or tier in its name, which may cost more'),
    )
}
