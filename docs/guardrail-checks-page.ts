import { CHECK_NAMES } from '../src/contract/admin/guardrails.ts'
import type { Check } from '../src/translation/guardrails/check.ts'
import { CHECKS } from '../src/translation/guardrails/checks.ts'
import { fieldRows } from './field-rows.ts'
import { code, table } from './markdown.ts'

/** The text of docs/guardrail-checks.md. */
export function guardrailChecksPage(): string {
  return [HEAD, ...CHECK_NAMES.map((name) => sectionOf(name, CHECKS[name]))].join('\n')
}

const HEAD = `# Checks of guardrails

Written from the code by \`npm run docs\`. [Guardrails](guardrails.md) says what a guardrail is and what follows from what a check finds. The checks
stand here in the order in which they run. The config file writes the parameters in camel case (\`maxCost\`), the admin API as they stand here.
`

function sectionOf(name: string, check: Check): string {
  const rows = fieldRows(check.params).map(({ name: param, type, required, description }) => {
    return [code(param), type, required ? 'yes' : '', description + usualOf(check, param)]
  })
  return `## \`${name}\`\n\n${check.description} ${WHERE[check.kind]}\n\n${table(['parameter', 'type', 'required', 'meaning'], rows)}`
}

const WHERE: Record<Check['kind'], string> = {
  local: 'It runs inside of the gateway.',
  remote: 'It sends texts to a service outside of the gateway.',
  model: 'It asks a model or a task of the gateway, at the cost of the call that is checked.',
}

type Described = { properties?: Record<string, { default?: unknown }> }

function usualOf({ params }: Check, param: string): string {
  const value = (params as Described).properties?.[param]?.default
  return value === undefined ? '' : ` The default is ${code(String(value))}.`
}
