import Type from '../../base/schema/type.ts'
import { mapOf, words } from '../../base/schema/fields.ts'
import { REGIONS, type Region } from '../providers/provider.ts'
import { checkSection } from './section.ts'

const Statements = mapOf(Type.Array(words([...REGIONS]), { minItems: 1 }))

/**
 * The regions that the operator states, by `provider`, `provider/model` or `provider:service`: only the operator knows the
 * region of a replaced address, of a deployment or of an inference profile.
 */
export type RegionSettings = Readonly<Record<string, readonly Region[]>>

export function readRegionSettings(value: unknown): RegionSettings {
  if (value === undefined) return {}
  checkSection('regions', Statements, value)
  return mapValues(value as RegionSettings, withGlobal)
}

/** The statements about single models, or single services, of a provider, by the name after the separator. */
export function statedOf(settings: RegionSettings, provider: string, divider: '/' | ':'): RegionSettings | undefined {
  const start = provider + divider
  const own = Object.entries(settings).filter(([name]) => name.startsWith(start))
  return own.length > 0 ? Object.fromEntries(own.map(([name, value]) => [name.slice(start.length), value])) : undefined
}

function withGlobal(regions: readonly Region[]): readonly Region[] {
  return REGIONS.filter((region) => region === 'global' || regions.includes(region))
}

function mapValues(settings: RegionSettings, change: (regions: readonly Region[]) => readonly Region[]) {
  return Object.fromEntries(Object.entries(settings).map(([name, regions]) => [name, change(regions)]))
}
