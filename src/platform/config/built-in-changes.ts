import Type, { type Static } from '../../base/schema/type.ts'
import { mapOf } from '../../base/schema/fields.ts'
import type { BatchApi, ProviderRow } from '../providers/provider.ts'
import { PROVIDERS } from '../providers/providers.ts'
import { isRecord } from '../../base/schema/record.ts'
import { ConfigError } from './config-error.ts'
import { batchApiOf, CustomProvider, checkSettings, modelRows } from './custom-providers.ts'
import { checkSection } from './section.ts'

// A section of `providers` without a dialect, under the name of a built-in provider, changes only what it names.

const { dialect: _dialect, auth: _auth, baseUrl, ...rest } = CustomProvider.properties
const Changes = Type.Object({ ...rest, baseUrl: Type.Optional(baseUrl) }, { additionalProperties: false })
export type BuiltInChanges = Static<typeof Changes>

type SplitSections = {
  /** Providers that the config file describes as a whole. */
  described: unknown
  changes: Record<string, BuiltInChanges>
}

export function splitChanges(sections: unknown): SplitSections {
  if (!isRecord(sections)) return { described: sections, changes: {} }
  const isChange = ([id, entry]: [string, unknown]) =>
    Object.hasOwn(PROVIDERS, id) && isRecord(entry) && !('dialect' in entry)
  const entries = Object.entries(sections)
  const changes = Object.fromEntries(entries.filter(isChange))
  checkSection('providers', mapOf(Changes), changes)
  return {
    described: Object.fromEntries(entries.filter((entry) => !isChange(entry))),
    changes: changes as Record<string, BuiltInChanges>,
  }
}

/** The built-in rows with their changes. A changed address is applied where that of the environment is. */
export function changedRows(changes: Record<string, BuiltInChanges>): Record<string, ProviderRow> {
  return Object.fromEntries(Object.entries(changes).map(([id, change]) => [id, changedRow(id, change)]))
}

function changedRow(id: string, change: BuiltInChanges): ProviderRow {
  const row = PROVIDERS[id]!
  checkSettings(id, { ...change, ...(row.dialect && { dialect: row.dialect }) })
  if (change.responses && !row.dialect)
    throw new ConfigError(`providers.${id}.responses: this provider has no chat models`)
  const { baseUrl: _, responses: __, models: ___, fieldRules, compat, batches, ...fields } = change
  const batchApi = batchesOf(id, row, batches)
  return {
    ...row,
    ...(batchApi && { batches: batchApi }),
    ...(fields as Partial<ProviderRow>),
    ...(fieldRules && { fieldRules: { ...row.fieldRules, ...fieldRules } as ProviderRow['fieldRules'] }),
    ...(compat && { compat: { ...row.compat, ...compat } }),
    ...(change.models && { models: modelRows(change) }),
  } as ProviderRow
}

function batchesOf(id: string, row: ProviderRow, change: BuiltInChanges['batches']): BatchApi | undefined {
  if (change === false) return row.batches && { ...row.batches, isOff: true }
  if (!change) return row.batches
  return row.batches ? { ...row.batches, ...change } : batchApiOf(id, change, row.dialect)
}
