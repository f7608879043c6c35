import { defaultModels } from '../src/endpoints/universal/default-models.ts'
import type { Feature } from '../src/translation/tasks/feature.ts'
import { FEATURES } from '../src/translation/tasks/index.ts'
import { isLlmTask } from '../src/translation/tasks/llm/llm-tasks.ts'
import { providersOf } from '../src/translation/tasks/adapters.ts'
import { type FieldRow, fieldRows } from './field-rows.ts'
import { table } from './markdown.ts'
import { providerRows } from './provider-rows.ts'

/** Longer tables are collapsed. */
const MAX_OPEN_ROWS = 14

const HEAD = `# Tasks

The model string of a task is \`feature/subfeature/provider[/model]\`. Send a *sync* task to \`POST /v3/universal-ai\`, or as
a job to \`POST /v3/universal-ai/async\`. An *async* task only runs as a job. \`GET /v3/info\` returns the same information for
the providers that are set up.

Prices are list prices in USD. A price without a source is *not known*, and the cost of such a task is \`null\`. The gateway
checks files before it calls a provider: a wrong type is a 415; a file that is too large or has too many pages is a 422.
\`sandbox\` simulates every task, accepts any file and is free. If the column *chat* says yes, any chat model can do the task
at the price of its tokens: \`feature/subfeature/<provider>/<model>\`. Every model of \`GET /v3/images/models\` can do
\`image/generation\`, and every model of \`GET /v3/embeddings/models\` can do \`text/embeddings\` and \`text/search\`, at the prices
of those endpoints.
`

/** Written from the contracts, the adapters and the price table. */
export async function tasksPage(): Promise<string> {
  const names = [...new Set(FEATURES.map(({ feature }) => feature))].toSorted()
  const sections = await Promise.all(names.map(featureSection))
  return `${[HEAD, contents(names), ...sections].join('\n')}`
}

function contents(names: string[]): string {
  const rows = names.flatMap((name) =>
    tasksOf(name).map((task) => [linkTo(task), task.mode, isLlmTask(task) ? 'yes' : '', namesOf(task).join(', ')]),
  )
  return `## Contents\n\n${table(['task', 'runs', 'chat', 'providers'], rows)}`
}

async function featureSection(name: string): Promise<string> {
  const sections = await Promise.all(tasksOf(name).map(taskSection))
  return `## ${name}\n\n${sections.join('\n')}`
}

async function taskSection(task: Feature): Promise<string> {
  const { feature, subfeature, description, input, output, unit } = task
  const runs =
    task.mode === 'async'
      ? 'Async: runs only as a job.'
      : 'Sync: the gateway answers at once or runs the task as a job.'
  const chat = isLlmTask(task) ? ' Chat models can do this task, too.' : ''
  const fallbacks = task.fallbacks === false ? ' The task accepts no fallbacks.' : ''
  return [
    `### ${feature}/${subfeature}\n`,
    `${description} ${runs}${chat}${fallbacks} The unit of the price is the ${unit}, unless the price says otherwise.\n`,
    fieldTable('Input', fieldRows(input), true),
    fieldTable('Output', fieldRows(output), false),
    await providerTable(task),
  ].join('\n')
}

function fieldTable(title: string, rows: FieldRow[], isInput: boolean): string {
  const cells = rows.map(({ name, type, required, description }) => {
    return [`\`${name}\`${isInput && required ? ' *' : ''}`, type, description]
  })
  const text = table([isInput ? 'input (* required)' : 'output', 'type', 'meaning'], cells)
  if (rows.length <= MAX_OPEN_ROWS) return text
  return `<details><summary>${title}: ${rows.length} fields</summary>\n\n${text}\n</details>\n`
}

async function providerTable(task: Feature): Promise<string> {
  const rows = await providerRows(task)
  const hasFiles = rows.some(({ files }) => files !== '')
  const cells = rows.map(({ model, price, files }) => (hasFiles ? [model, price, files] : [model, price]))
  return table(['provider', 'price', ...(hasFiles ? ['files'] : [])], cells)
}

function tasksOf(name: string): Feature[] {
  return FEATURES.filter(({ feature }) => feature === name).toSorted((one, other) =>
    one.subfeature < other.subfeature ? -1 : 1,
  )
}

function linkTo({ feature, subfeature }: Feature): string {
  return `[${feature}/${subfeature}](#${feature}${subfeature})`
}

function namesOf(task: Feature): string[] {
  return [...providersOf(task).filter((provider) => provider !== 'sandbox'), ...defaultModels(task).keys()]
}
