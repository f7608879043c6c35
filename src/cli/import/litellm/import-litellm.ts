import type { Catalog } from '../../../platform/catalog/catalog.ts'
import { readAliases } from '../../../platform/config/aliases/read-aliases.ts'
import { parseConfig } from '../../../platform/config/config.ts'
import { ConfigError } from '../../../platform/config/config-error.ts'
import type { Environment } from '../../../platform/config/environment.ts'
import { recordOf } from '../../../base/schema/record.ts'
import { Draft } from '../draft.ts'
import { type Finding, manual, type Verdict } from '../finding.ts'
import { addAddress } from './addresses.ts'
import { addAliases } from './aliases.ts'
import { addConfigLimits } from './config-limits.ts'
import { addCredential, addUsualCredentials, dropNeedlessLists } from './credentials.ts'
import { type Deployment, judgeUnusedCredentials, leaveOut, pathOf, readDeployments } from './deployments.ts'
import { addFallbacks, addOtherNames } from './fallbacks.ts'
import type { ImportContext } from './import-context.ts'
import { usualVerdict } from './mapping/mapping.ts'
import { addPrices } from './prices.ts'
import { addEnvironment, addGeneralDefaults, addMasterKey, judgeValues } from './settings.ts'
import { findingsOf } from './walk-source.ts'

type Options = { environment: Environment; catalog: Catalog }

/** Turns the content of a config.yaml into a config file, its secrets, and a finding for every member of the source. */
export function importLitellm(
  content: Record<string, unknown>,
  options: Options,
): { draft: Draft; findings: Finding[] } {
  const draft = new Draft()
  const stated = Object.entries(recordOf(content.environment_variables)).filter(
    ([, value]) => typeof value === 'string',
  )
  const environment = { ...Object.fromEntries(stated as [string, string][]), ...options.environment }
  const context: ImportContext = { content, environment, catalog: options.catalog, draft }
  addEnvironment(context)
  addMasterKey(context)
  addModels(context)
  for (const section of ['litellm_settings', 'router_settings'])
    addFallbacks(section, recordOf(content[section]), context)
  addOtherNames('router_settings.model_group_alias', recordOf(content.router_settings).model_group_alias, context)
  addOtherNames('litellm_settings.model_alias_map', recordOf(content.litellm_settings).model_alias_map, context)
  addGeneralDefaults(context)
  addConfigLimits(context)
  judgeValues(context)
  return { draft, findings: [...findingsOf(content, draft.verdicts), ...draft.findings] }
}

function addModels(context: ImportContext): void {
  const { draft } = context
  const deployments = readDeployments(context)
  judgeUnusedCredentials(deployments, context)
  const placed = deployments.filter((deployment) => {
    const isPlaced = addAddress(deployment, context)
    const { path, params, info } = deployment
    if (!isPlaced) leaveOut(path, { litellm_params: params, model_info: info }, context, manual)
    return isPlaced
  })
  for (const deployment of placed) addCredential(deployment, context)
  addUsualCredentials(placed, context)
  dropNeedlessLists(placed, context)
  const valid = validTargets(placed, context)
  for (const deployment of valid) draft.judge(`${deployment.path}.litellm_params.model`, verdictOf(deployment, context))
  addPrices(valid, context)
  addAliases(valid, context)
}

/** Parameters that say as whom, and where, a target is called. */
const PLACES = [
  ...['api_key', 'api_version', 'litellm_credential_name', 'organization', 'region_name', 'aws_region_name'],
  ...['aws_access_key_id', 'aws_role_name', 'aws_profile_name', 'aws_web_identity_token', 'vertex_project'],
  ...['vertex_ai_project', 'vertex_location', 'vertex_ai_location', 'vertex_credentials', 'vertex_ai_credentials'],
  ...['azure_ad_token', 'tenant_id', 'client_id', 'azure_username', 'watsonx_region_name'],
]

/** A target is not that of LiteLLM while a person has to say with which credential, where, or for whom it is called. */
function verdictOf(deployment: Deployment, { content, draft }: ImportContext): Verdict {
  const open = PLACES.filter((member) => {
    if (deployment.params[member] == null) return false
    const special = draft.verdicts.get(pathOf(deployment, member))
    const { outcome } = special ?? usualVerdict('model_list[].litellm_params', member)
    return outcome === 'manual' || outcome === 'unsupported'
  })
  if (recordOf(content.router_settings).enable_tag_filtering === true)
    open.push(...['tags', 'tag_regex'].filter((member) => deployment.params[member] != null))
  open.push(...['team_id', 'supported_environments'].filter((member) => deployment.info[member] != null))
  if (open.length === 0) return deployment.verdict
  return manual(`is a target of the alias, but is called without what ${open.join(', ')} says`)
}

/** A target that the gateway would refuse is left to the operator, so that the rest can be imported. */
function validTargets(deployments: readonly Deployment[], context: ImportContext): Deployment[] {
  const { providers, credentials } = context.draft.toConfig()
  const content = { ...(providers !== undefined && { providers }), ...(credentials !== undefined && { credentials }) }
  const config = parseConfig({ environment: {}, file: { path: undefined, content } })
  return deployments.filter(({ path, name, provider, model, target, params, info }) => {
    try {
      const alias = { targets: [{ model: `${provider}/${model}`, ...target }] }
      readAliases({ [name]: alias }, config.providers, config.source)
      return true
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      context.draft.judge(`${path}.litellm_params.model`, manual(`the gateway refuses it: ${withoutName(error, name)}`))
      leaveOut(path, { litellm_params: params, model_info: info }, context, manual)
      return false
    }
  })
}

function withoutName({ message }: ConfigError, name: string): string {
  return message.replaceAll(`aliases.${name}.targets.0`, 'target')
}
