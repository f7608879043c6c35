import type { ConfigReport } from '../../../src/contract/admin/config.ts'
import type { Column } from '../../parts/table/column.ts'

export type ConfigValue = ConfigReport['values'][number]

export const ORIGINS: Readonly<Record<ConfigValue['origin'], string>> = {
  default: 'Default',
  environment: 'Environment or flag',
  file: 'Config file',
  store: 'Database',
}

export const COLUMNS: readonly Column<ConfigValue>[] = [
  { name: 'name', title: 'Name', sort: ({ name }) => name, cell: ({ name }) => <span class="setting">{name}</span> },
  { name: 'value', title: 'Value', isMain: true, cell: (value) => <Value of={value} /> },
  { name: 'origin', title: 'Origin', sort: ({ origin }) => ORIGINS[origin], cell: ({ origin }) => ORIGINS[origin] },
  {
    name: 'variable',
    title: 'Variable',
    sort: ({ variable }) => variable,
    cell: ({ variable }) => variable && <code>{variable}</code>,
  },
  {
    name: 'applies',
    title: 'Takes effect',
    cell: ({ needs_restart: late }) => (late ? 'after restart' : 'immediately'),
  },
]

function Value({ of: { value, pending } }: { of: ConfigValue }) {
  return (
    <span class="setting">
      <code>{valueText(value)}</code>
      {pending !== undefined && <span class="status warn"> → {valueText(pending)} after restart</span>}
    </span>
  )
}

/** As it would be in the file; a text without its quotes. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'not set'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
