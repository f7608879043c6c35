import type { TargetParams } from '../../../platform/config/aliases/alias.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { type Fields, isRecord, listOf, recordOf } from '../../../base/schema/record.ts'
import { manual, unsupported } from '../finding.ts'
import type { ImportContext } from './import-context.ts'
import { makerOf } from './makers.ts'
import { modelAt, providerOf } from './provider-names.ts'
import { textOf } from './values.ts'

/** An entry of `model_list` that can be a target here. */
export type Deployment = {
  /** Its place in the source: `model_list[3]`. */
  path: string
  /** The name that callers use. */
  name: string
  provider: string | 'compatible'
  /** Without its provider. */
  model: string
  /** The region that the name of the model says. */
  region?: string | undefined
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

export function readDeployments(context: ImportContext): Deployment[] {
  return listOf(context.content.model_list).flatMap((entry, index) => {
    const path = `model_list[${index}]`
    if (!isRecord(entry)) {
      context.draft.findings.push({ path, ...unsupported('is no model with a name') })
      return []
    }
    const deployment = readDeployment(entry, path, context)
    if (!deployment) leaveOut(path, entry, context)
    return deployment ?? []
  })
}

/** Nothing of an entry is taken over if its model is not. */
export function leaveOut(path: string, entry: Fields, { draft }: ImportContext, judge = unsupported): void {
  const sections = ['litellm_params', 'model_info'].flatMap((section) =>
    Object.keys(recordOf(entry[section])).map((member) => `${path}.${section}.${member}`),
  )
  for (const place of [`${path}.model_name`, ...sections])
    if (!draft.verdicts.has(place)) draft.judge(place, judge('the model is left out'))
}

function readDeployment(entry: Fields, path: string, context: ImportContext): Deployment | undefined {
  const { model_name: name, litellm_params: stated, model_info: info } = entry
  const own = recordOf(stated)
  const shared = credentialOf(own, path, context)
  const params = { ...shared.values, ...own }
  const elsewhere = new Map(
    Object.keys(shared.values).flatMap((one) => (one in own ? [] : [[one, `${shared.path}.${one}`]])),
  )
  const model = textOf(params.model)
  if (!isRecord(stated)) {
    context.draft.judge(`${path}.model_name`, unsupported('the entry has no litellm_params'))
    return undefined
  }
  if (typeof name !== 'string' || !NAME.test(name) || name.split('*').length > 2) {
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
  const found = splitModel(model.text, params, context)
  if (found && found.model !== '' && hasKind(found, recordOf(info).mode, context))
    return {
      path,
      name,
      ...found,
      params: withUsual(params, found.provider, context),
      info: recordOf(info),
      target: {},
      elsewhere,
    }
  context.draft.judge(`${path}.litellm_params.model`, unsupported(whyNot(found)))
  return undefined
}

function whyNot(found: { model: string } | undefined): string {
  if (!found) return 'Gatehouse has no such provider'
  return found.model === '' ? 'names no model' : 'the provider has no chat models here'
}

const CHAT_MODES: ReadonlySet<unknown> = new Set([undefined, null, 'chat', 'completion', 'responses'])

/** A provider without chat models has others, such as those for images. */
function hasKind({ provider, model }: { provider: string; model: string }, mode: unknown, { catalog }: ImportContext) {
  if (PROVIDERS[provider]?.dialect ?? provider === 'compatible') return true
  return !CHAT_MODES.has(mode) || catalog.find(provider, model) !== undefined
}

/** Variables that LiteLLM reads for a parameter that is not stated. */
const USUAL: readonly [provider: string, param: string, variable: string][] = [
  ['azure', 'api_base', 'AZURE_API_BASE'],
  ['azure', 'api_version', 'AZURE_API_VERSION'],
  ['vertex', 'vertex_project', 'VERTEXAI_PROJECT'],
  ['vertex', 'vertex_location', 'VERTEXAI_LOCATION'],
  ['amazon', 'aws_region_name', 'AWS_REGION_NAME'],
  ['ollama', 'api_base', 'OLLAMA_API_BASE'],
  ['vllm', 'api_base', 'HOSTED_VLLM_API_BASE'],
]

function withUsual(params: Fields, provider: string, { environment }: ImportContext): Fields {
  const usual = USUAL.filter(
    ([id, param, variable]) => id === provider && params[param] == null && environment[variable],
  )
  return { ...params, ...Object.fromEntries(usual.map(([, param, variable]) => [param, environment[variable]])) }
}

function splitModel(text: string, { custom_llm_provider: stated }: Fields, context: ImportContext) {
  const slash = text.indexOf('/')
  const prefix = slash > 0 ? text.slice(0, slash) : undefined
  const named = prefix === undefined ? undefined : providerOf(prefix)
  if (typeof stated === 'string') {
    const provider = providerOf(stated)
    return provider ? { provider, ...modelAt(provider, stated === prefix ? text.slice(slash + 1) : text) } : undefined
  }
  if (named) return { provider: named, ...modelAt(named, text.slice(slash + 1)) }
  // A name with a slash and an unknown provider is not the name of a model of OpenAI.
  if (prefix !== undefined) return undefined
  return text === '*' ? { provider: 'openai', model: '*' } : { provider: makerOf(text, context), model: text }
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
