import type { Catalog } from '../../../platform/catalog/catalog.ts'
import { readAliases } from '../../../platform/config/aliases/read-aliases.ts'
import { parseConfig } from '../../../platform/config/config.ts'
import { ConfigError } from '../../../platform/config/config-error.ts'
import type { Environment } from '../../../platform/config/environment.ts'
import { recordOf } from '../../../base/schema/record.ts'
import { Draft } from '../draft.ts'
import { type Finding, manual } from '../finding.ts'
import { addAddress } from './addresses.ts'
import { addAliases } from './aliases.ts'
import { addConfigLimits } from './config-limits.ts'
import { addCredential, addUsualCredentials, dropNeedlessLists } from './credentials.ts'
import { type Deployment, judgeUnusedCredentials, leaveOut, readDeployments } from './deployments.ts'
import { addFallbacks, addOtherNames } from './fallbacks.ts'
import type { ImportContext } from './import-context.ts'
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
  for (const { path, verdict } of valid) draft.judge(`${path}.litellm_params.model`, verdict)
  addPrices(valid, context)
  addAliases(valid, context)
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
