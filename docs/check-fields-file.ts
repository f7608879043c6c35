import { CHECK_NAMES } from '../src/contract/admin/guardrails.ts'
import { CHECKS } from '../src/translation/guardrails/checks.ts'
import { simplifiedSchema } from '../src/translation/tasks/simplified-schema.ts'

type Described = { properties?: Record<string, { default?: unknown; maxLength?: number }> }

/** Addresses may have this many characters. */
const LONG = 2_000

/** console/screens/guardrails/check-fields.ts: the parameters of all checks, from which the console makes its forms. */
export function checkFieldsFile(): string {
  const checks = CHECK_NAMES.map((name) => {
    const { description, params } = CHECKS[name]
    const fields = simplifiedSchema(params).fields.map((field) => {
      const { default: usual, maxLength = 0 } = (params as Described).properties?.[field.name] ?? {}
      const isLong = field.type === 'string' && maxLength > LONG
      return `      ${JSON.stringify({ ...field, ...(field.type === 'string' && { isLong }), ...(usual !== undefined && { usual: String(usual) }) })},\n`
    })
    return `  ${name}: {\n    description: ${JSON.stringify(description)},\n    fields: [\n${fields.join('')}    ],\n  },\n`
  })
  return `// Written by \`npm run docs\`, from the schemas of the checks.

import type { CheckName } from '../../../src/contract/admin/guardrails.ts'
import type { DescribedField } from '../../parts/described-input.ts'

type DescribedCheck = { description: string; fields: readonly DescribedField[] }

/** What a form asks for each check. */
${'export'} const CHECK_FIELDS: Readonly<Record<CheckName, DescribedCheck>> = {
${checks.join('')}}
`
}
