import { defaultFaults } from '../../../platform/config/aliases/default-faults.ts'
import { HEADER_REASONS, reservedBecause } from '../../../contract/reserved-headers.ts'
import { recordOf } from '../../../base/schema/record.ts'
import type { AliasTarget } from '../../../platform/config/aliases/alias.ts'
import { MAX_RETRIES, MAX_TARGETS, MAX_WEIGHT } from '../../../platform/config/aliases/alias-limits.ts'
import { providerOf } from './provider-names.ts'
import type { DraftAlias } from '../draft.ts'
import { approximate, exact, manual, unsupported } from '../finding.ts'
import { type Deployment, leaveOut, pathOf } from './deployments.ts'
import type { ImportContext } from './import-context.ts'
import { isRequestField, usualVerdict } from './mapping/mapping.ts'
import { hasReference, numberOf } from './values.ts'
import { timeoutsOf } from './timeouts.ts'

/** One alias for each name. Its deployments are its targets, or fallbacks if they have a higher order. */
export function addAliases(deployments: readonly Deployment[], context: ImportContext): void {
  const byName = Map.groupBy(
    deployments.filter((deployment) => !isPassedThrough(deployment, deployments, context)),
    ({ name }) => name,
  )
  for (const [name, group] of byName) addAlias(name, group, context)
}

/** `openai/*` and `*` need no alias: a name with a provider goes to the provider, and a bare name to its maker. */
function isPassedThrough(deployment: Deployment, all: readonly Deployment[], context: ImportContext): boolean {
  const { name, provider, model, path, target, params, info } = deployment
  const [prefix = '', rest] = name.split('/')
  const isOfProvider = name.includes('*') && rest !== undefined && providerOf(prefix) !== undefined
  const isEverything = name === '*' && params.model === '*'
  if (!isOfProvider && !isEverything) return false
  const isSame = isEverything || (providerOf(prefix) === provider && rest === model)
  const { credential, ...moved } = target
  if (isSame && Object.keys(moved).length === 0) {
    const isShared = all.some((one) => one.provider === provider && one.target.credential !== credential)
    const verdict = isEverything ? approximate(BY_MAKER) : isShared ? approximate(ANY_CREDENTIAL) : exact(PASSED_ON)
    context.draft.judge(`${path}.model_name`, verdict)
    for (const member of Object.keys(params).filter((one) => !OF_PROVIDER.has(one) && !isManual(one)))
      context.draft.judge(pathOf(deployment, member), unsupported('models that are passed on have no settings'))
  } else {
    context.draft.judge(`${path}.model_name`, manual('names of a provider go to it; set the address of the provider'))
    for (const member of Object.keys(params).filter((one) => !CREDENTIALS.has(one) && !isManual(one)))
      context.draft.judge(pathOf(deployment, member), manual('the model is left out'))
    leaveOut(path, { model_info: info }, context, manual)
  }
  return true
}

const PASSED_ON = 'needs no alias: provider/model is passed on, with the credentials of the provider'
/** The operator is told what to do about it, whatever the name is. */
function isManual(member: string): boolean {
  return usualVerdict('model_list[].litellm_params', member).outcome === 'manual'
}

const ANY_CREDENTIAL = 'needs no alias: provider/model is passed on, with any of the credentials of the provider'
const BY_MAKER =
  'needs no alias; a name without a provider goes to the maker of the model, which LiteLLM may see elsewhere'
/** Their values are credentials of the provider, whether or not the name is an alias. */
const CREDENTIALS = new Set([
  ...['api_key', 'litellm_credential_name', 'vertex_credentials', 'vertex_ai_credentials'],
  ...['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'],
])
/** Parameters that belong to the provider, or do nothing. */
const OF_PROVIDER = new Set([
  ...CREDENTIALS,
  ...['model', 'api_base', 'base_url', 'custom_llm_provider', 'drop_params'],
])

function addAlias(name: string, group: readonly Deployment[], context: ImportContext): void {
  const orders = [...new Set(group.map(orderOf))].sort((one, other) => one - other)
  const [first, ...later] = orders.map((order) => group.filter((one) => orderOf(one) === order))
  const alias = aliasOf(first!, context)
  const fallbacks = later.map((deployments, index) => {
    const hidden = `${name}#${index + 2}`
    context.draft.aliases.set(hidden, { ...aliasOf(deployments, context), hidden: true })
    return hidden
  })
  context.draft.aliases.set(name, { ...alias, ...(fallbacks.length > 0 && { fallbacks }) })
}

function orderOf({ params }: Deployment): number {
  return numberOf(params.order) ?? 1
}

function aliasOf(group: readonly Deployment[], context: ImportContext): DraftAlias {
  for (const { path } of group.slice(MAX_TARGETS))
    context.draft.judge(`${path}.litellm_params.model`, unsupported(`an alias has ${MAX_TARGETS} targets at most`))
  const deployments = group.slice(0, MAX_TARGETS)
  const weights = weightsOf(deployments, context)
  const targets = deployments.map(({ provider, model, target }, index): AliasTarget => {
    const weight = weights[index]
    return { model: `${provider}/${model}`, ...(weight !== undefined && weight !== 1 && { weight }), ...target }
  })
  const defaults = defaultsOf(deployments, context)
  const retries = retriesOf(deployments)
  const timeouts = timeoutsOf(deployments)
  return {
    targets,
    ...(retries !== undefined && { retries }),
    ...(timeouts && { timeouts }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
  }
}

/** LiteLLM takes the first of `weight`, `rpm` and `tpm` that any deployment has. */
function weightsOf(group: readonly Deployment[], { draft }: ImportContext): (number | undefined)[] {
  const member = ['weight', 'rpm', 'tpm'].find((one) => group.some(({ params }) => numberOf(params[one]) !== undefined))
  if (member === undefined || group.length === 1) return []
  const stated = group.map(({ params }) => Math.max(0, numberOf(params[member]) ?? 0))
  const scale = scaleOf(stated)
  return stated.map((value, index) => {
    const weight = Math.min(MAX_WEIGHT, Math.max(1, Math.round(value * scale)))
    const { path } = group[index]!
    if (value === 0)
      draft.judge(`${path}.litellm_params.model`, approximate('LiteLLM never chooses it; its weight is 1 here'))
    else if (member === 'weight' && Math.abs(weight / scale - value) > value / 100)
      draft.judge(`${path}.litellm_params.weight`, approximate('is rounded: weights are whole numbers from 1 to 1000'))
    return weight
  })
}

/** Whole weights stay as they are if they fit. */
function scaleOf(weights: readonly number[]): number {
  const most = Math.max(...weights)
  if (most <= MAX_WEIGHT && weights.every(Number.isInteger)) return 1
  return most > 0 ? MAX_WEIGHT / most : 1
}

function retriesOf(group: readonly Deployment[]): number | undefined {
  const stated = group.flatMap(({ params }) => numberOf(params.num_retries) ?? numberOf(params.max_retries) ?? [])
  return stated.length > 0 ? Math.min(MAX_RETRIES, Math.max(0, Math.round(Math.max(...stated)))) : undefined
}

/** Fields of requests among the parameters. They belong to the alias, so the first deployment that has one decides. */
function defaultsOf(group: readonly Deployment[], { draft }: ImportContext): Record<string, unknown> {
  const defaults: Record<string, unknown> = {}
  for (const { path, params } of group)
    for (const [member, value] of Object.entries(params)) {
      const field = member === 'headers' || member === 'default_headers' ? 'extra_headers' : member
      if (field === member && !isRequestField(member)) continue
      const fieldPath = `${path}.litellm_params.${member}`
      const [fault] = defaultFaults({ [field]: value })
      if (hasReference(value)) draft.judge(fieldPath, manual('refers to a variable, which `defaults` cannot'))
      else if (field === 'extra_headers' && hasCredential(value))
        draft.judge(fieldPath, manual('a header carries a credential, which would be a secret in the config file'))
      else if (field === 'extra_headers' && !Object.keys(recordOf(value)).every((name) => HEADER_NAME.test(name)))
        draft.judge(fieldPath, manual('was left out, because a header cannot have such a name'))
      else if (fault) draft.judge(fieldPath, manual(`was left out, because requests cannot have it: ${fault.msg}`))
      else if (Object.hasOwn(defaults, field) && JSON.stringify(defaults[field]) !== JSON.stringify(value))
        draft.judge(
          fieldPath,
          approximate('another deployment of the same name has another value, which counts for all'),
        )
      else {
        defaults[field] = value
        if (group.some(({ params: others }) => !(member in others))) draft.judge(fieldPath, approximate(FOR_ALL))
      }
    }
  return defaults
}

const FOR_ALL = 'is in `defaults` of the alias, and so for its other deployments too'

/** The characters that the name of a header can have. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

function hasCredential(headers: unknown): boolean {
  return Object.keys(recordOf(headers)).some((name) => reservedBecause(name) === HEADER_REASONS.credential)
}
