import { countsOf } from '../src/cli/import/report.ts'
import { OUTCOMES } from '../src/cli/import/finding.ts'
import { OTHER_TABLES, TABLES } from '../src/cli/import/litellm/mapping/database-tables.ts'
import { SECTIONS } from '../src/cli/import/litellm/mapping/mapping.ts'
import type { Row } from '../src/cli/import/litellm/mapping/row.ts'
import { CONFIG_NAMES, importConfig } from '../test/import/import-fixture.ts'
import { code, table } from './markdown.ts'

/** The text of docs/litellm-fields.md. */
export function litellmPage(): string {
  return [HEAD, '## Coverage\n', COVERAGE, coverageTable(), ...fieldTables(), ...databaseTables()].join('\n')
}

const HEAD = `<!-- Written from the code by npm run docs. -->

# Fields of LiteLLM's config.yaml

What \`gatehouse import litellm\` does with every field that it knows. [Migration](migration.md) says how to use it. The outcomes are:

- **exact**: it does the same here.
- **approximate**: it does something similar here.
- **manual**: a person has to do something.
- **unsupported**: it is left out, and nothing here does it.

The report of an import may say more about a value than this page. A field that is not on this page is reported as unsupported.
`

const COVERAGE = `Measured over the configs in [test/import/configs](../test/import/configs), which we wrote with the fields that we counted in 36 public
files. They also have what no real file has all at once, such as fields that Gatehouse refuses on purpose. The numbers are settings in the file.
`

function coverageTable(): string {
  const rows = CONFIG_NAMES.map((name) => ({ name, counts: countsOf(importConfig(name).findings) }))
  const sums = OUTCOMES.map((outcome) => rows.reduce((sum, { counts }) => sum + counts[outcome], 0))
  const all = sums.reduce((sum, one) => sum + one, 0)
  const shares = sums.map((sum) => `${sum} (${Math.round((100 * sum) / all)} %)`)
  return table(
    ['config', ...OUTCOMES],
    [
      ...rows.map(({ name, counts }) => [code(name), ...OUTCOMES.map((outcome) => String(counts[outcome]))]),
      ['all', ...shares],
    ],
  )
}

const TITLES: Record<string, string> = {
  '': 'the top level',
  'model_list[].litellm_params': 'litellm_params of a model',
}

function fieldTables(): string[] {
  return Object.entries(SECTIONS).flatMap(([section, rows]) => {
    const title = TITLES[section] ?? section
    const lines = cellsOf(rows)
    const more =
      section === 'model_list[].litellm_params'
        ? '\nEvery other field of a chat request, such as `temperature`, is exact: it is in `defaults` of the alias.\n'
        : ''
    return [`## ${title}\n`, table(['field', 'outcome', 'what becomes of it'], lines), more]
  })
}

const DATABASE = `
# Tables of LiteLLM's database

What \`--database\` does with every column of the tables that it reads, as LiteLLM 1.108 has them. The report of an import counts the rows in which a column
says something that is not taken over exactly.
`

function databaseTables(): string[] {
  const tables = Object.entries(TABLES).flatMap(([name, rows]) => [
    `## ${name}\n`,
    table(['column', 'outcome', 'what becomes of it'], cellsOf(rows)),
  ])
  const others = table(['table', 'outcome', 'what becomes of it'], cellsOf(OTHER_TABLES))
  return [DATABASE, ...tables, '## Tables that are only counted\n', others]
}

function cellsOf(rows: readonly Row[]): string[][] {
  return rows.map(([name, outcome, note]) => [code(name), outcome, note])
}
