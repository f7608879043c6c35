import { DATA_POLICIES, type DataPolicy } from '../../contract/admin/policy.ts'
import type { ProviderRow } from '../providers/provider.ts'
import { mapOf, words } from '../../base/schema/fields.ts'
import { type Addresses, isElsewhere } from './provider-regions.ts'
import { checkSection } from './section.ts'
import { unknownProvider } from './unknown-provider.ts'

const Statements = mapOf(words(DATA_POLICIES))

/** What the operator states about providers: only the operator knows what a contract or an account says. */
export type DataPolicySettings = Readonly<Record<string, DataPolicy>>

export function readDataPolicies(value: unknown): DataPolicySettings {
  if (value === undefined) return {}
  checkSection('dataPolicies', Statements, value)
  return value as DataPolicySettings
}

/** A statement about an unknown provider is a typo. */
export function refuseUnknownIn(settings: DataPolicySettings, providers: Readonly<Record<string, unknown>>): void {
  for (const name in settings)
    if (!Object.hasOwn(providers, name)) throw unknownProvider(`dataPolicies.${name}`, name, providers)
}

/** What the operator states, or else what the row promises for its own address. */
export function dataPolicyOf(
  id: string,
  row: ProviderRow,
  addresses: Addresses,
  settings: DataPolicySettings,
): ProviderRow['dataPolicy'] {
  if (Object.hasOwn(settings, id)) return { promise: settings[id]!, source: 'the config file' }
  return isElsewhere(row, addresses) ? undefined : row.dataPolicy
}
