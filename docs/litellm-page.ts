import { OTHER_TABLES, TABLES } from '../src/cli/import/litellm/mapping/database-tables.ts'
import { SECTIONS } from '../src/cli/import/litellm/mapping/mapping.ts'
import type { Row } from '../src/cli/import/litellm/mapping/row.ts'
import { code, table } from './markdown.ts'

/** Every field and column that an import knows, written from its tables. */
export function litellmPage(): string {
  return [HEAD, ...fieldTables(), ...databaseTables()].join('\n')
}

const HEAD = `# Fields of LiteLLM's config.yaml

What \`gatehouse import litellm\` does with every field that it knows. [Migration](migration.md) says how to use it. The outcomes are:

- **exact**: it does the same here.
- **approximate**: it does something similar here.
- **manual**: a person has to do something.
- **unsupported**: it is left out, and nothing here does it.

The report of an import may say more about a value than this page. A field that is not on this page is reported as unsupported.
`

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
## Tables of LiteLLM's database

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
