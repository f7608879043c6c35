import { loadCatalog } from '../../platform/catalog/catalog.ts'
import { KEYLESS_CALLER } from '../../endpoints/explain/explanation.ts'
import { AliasTable, type NamedAlias } from '../../platform/config/aliases/alias-table.ts'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import { hasCredential } from '../../platform/config/credentials/credential.ts'
import type { CredentialSettings } from '../../platform/config/credentials/credential-settings.ts'
import { Problem } from '../../contract/problems.ts'
import { UNOBSERVED } from '../../calls/attempts/observations.ts'
import { modelsOfAlias } from '../../calls/routing/names/alias-models.ts'
import type { ResolvedModel } from '../../calls/routing/names/resolved-model.ts'
import { refuseEnded, refuseForbidden } from '../../calls/routing/names/refusals.ts'
import { recordOf } from '../../base/schema/record.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'

/** Explains every alias of the config file, and lists what is missing. Calls no provider. Exits with 1 if something is missing. */
export async function checkImport(_: Input<'import check'>, { environment, print }: Terminal): Promise<number> {
  const config = loadConfig(environment)
  const services = {
    config,
    catalog: loadCatalog(config.providers, { prices: config.prices }),
    aliases: new AliasTable(config.aliases),
    observations: UNOBSERVED,
  }
  const checked = services.aliases.list().map((named) => checkAlias(named, services))
  for (const { text } of checked) print(text)
  const providers = closedProviders(config)
  for (const { provider, variables } of providers)
    print(`${provider} has no credential: set ${variables.join(' or ')}\n`)
  const faulty = checked.filter(({ isComplete }) => !isComplete).length
  print(`${checked.length} aliases, ${faulty} with a target that cannot be called\n`)
  return faulty + providers.length > 0 ? 1 : 0
}

type Services = Parameters<typeof modelsOfAlias>[3]

function checkAlias(named: NamedAlias, services: Services): { text: string; isComplete: boolean } {
  const { name, alias } = named
  const asking = { caller: { ...KEYLESS_CALLER, region: services.config.region }, affinity: () => 0 }
  const models = modelsOfAlias({ ...named, rest: name.includes('*') ? '*' : undefined }, name, asking, services)
  const lines = models.map((resolved) => ({ resolved, problem: problemOf(resolved, asking.caller) }))
  const unknown = (alias.fallbacks ?? []).filter((one) => one.includes('/') === false && !services.aliases.find(one))
  const text = [
    `${name}${alias.hidden ? ' (hidden)' : ''}\n`,
    ...lines.map(
      ({ resolved, problem }) => `  ${problem ? '✗' : '✓'} ${labelOf(resolved)}${problem ? `: ${problem}` : ''}\n`,
    ),
    ...(models.length === 0 ? ['  ✗ stands for no model that exists here\n'] : []),
    ...unknown.map((one) => `  ✗ the fallback ${one} is no alias of the file\n`),
  ]
  const isComplete = models.length > 0 && unknown.length === 0 && lines.every(({ problem }) => !problem)
  return { text: text.join(''), isComplete }
}

function labelOf({ id, model, via }: ResolvedModel): string {
  const deployment = id.endsWith(`/${model}`) ? '' : ` as ${model}`
  return `${id}${deployment}${via?.credential ? ` with ${via.credential}` : ''}`
}

function problemOf(resolved: ResolvedModel, caller: Parameters<typeof refuseForbidden>[1]): string | undefined {
  const credential = resolved.via?.credential
  if (credential !== undefined && !hasCredential(resolved.provider, credential)) return `${credential} is not set`
  try {
    refuseEnded([resolved])
    refuseForbidden(resolved, caller)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

/** Providers for which the config file lists variables, none of which is set. */
function closedProviders({ providers, source: { file } }: Config): { provider: string; variables: string[] }[] {
  const lists = Object.entries(recordOf(file.content.credentials) as CredentialSettings)
  return lists.flatMap(([provider, list]) => {
    const variables = list.flatMap(({ env }) => env ?? [])
    return variables.length > 0 && providers[provider]?.credentials.length === 0 ? [{ provider, variables }] : []
  })
}
