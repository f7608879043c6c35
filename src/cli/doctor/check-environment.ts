import type { Config } from '../../platform/config/config.ts'
import { SETTINGS } from '../../platform/config/settings.ts'
import type { Environment } from '../../platform/config/environment.ts'
import { effectiveValues } from '../../platform/config/report/effective-values.ts'
import { nearestName } from '../../base/schema/nearest-name.ts'
import { type Finding, warning } from './finding.ts'

/** Variables of other programs are no mistake, so only names that differ from ours by case or separators are suspicious. */
export function checkEnvironment(config: Config, environment: Environment): Finding[] {
  const variables = new Set([...variablesOf(config), ...OTHER_VARIABLES])
  const plainNames = new Map(Array.from(variables, (name) => [plain(name), name]))
  return Object.keys(environment).flatMap((name) => {
    if (variables.has(name) || isLowerCaseProxy(name)) return []
    const meant = name.startsWith('GATEHOUSE_') ? nearestName(name, variables) : plainNames.get(plain(name))
    if (!meant && !name.startsWith('GATEHOUSE_')) return []
    const advice = meant ? `Did you mean ${meant}?` : 'docs/settings.md lists all variables.'
    return [warning('variables', `${name} is set, but nothing reads it.`, advice)]
  })
}

/** Read elsewhere than in the tables of settings. */
const OTHER_VARIABLES = ['GATEHOUSE_CONFIG', 'GATEHOUSE_SOAK']

function variablesOf(config: Config): string[] {
  return effectiveValues(config).flatMap(({ variable }) => variable ?? [])
}

function isLowerCaseProxy(name: string): boolean {
  return Object.values(SETTINGS).some((setting) => 'isLowerCase' in setting && setting.env.toLowerCase() === name)
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}
