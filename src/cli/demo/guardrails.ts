import type { CreateGuardrailRequest } from '../../contract/admin/guardrails.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { createGuardrail } from '../../tenants/guardrails/manage-guardrails.ts'
import { HOUR_MS } from '../../base/units/units.ts'
import { type Demo, servicesAt } from './demo.ts'
import { SECRET_FOUND } from './outcomes.ts'
import type { Random } from './random.ts'

/** How often a guardrail finds something, and what. */
type DemoGuardrail = CreateGuardrailRequest & {
  id: string
  project?: string
  finds?: { share: number; outcome: 'redacted' | 'would_block'; rules: readonly string[] }
}

const GUARDRAILS: readonly DemoGuardrail[] = [
  {
    id: 'no-secrets',
    name: 'No credentials in prompts',
    applies_to: 'all',
    action: 'block',
    phases: ['input'],
    checks: [{ check: 'secrets' }],
    message: 'The prompt contains a credential. Remove it and rotate it.',
  },
  {
    id: 'customer-data',
    name: 'Personal data of customers',
    applies_to: 'project:support',
    action: 'redact',
    checks: [{ check: 'personal_data', restore: true }],
    project: 'support',
    finds: { share: 0.16, outcome: 'redacted', rules: ['email', 'phone', 'iban'] },
  },
  {
    id: 'code-names',
    name: 'Unreleased products',
    applies_to: 'project:marketing',
    action: 'block',
    checks: [{ check: 'patterns', words: ['Project Heron', 'Project Osprey'] }],
    mode: 'shadow',
    project: 'marketing',
    finds: { share: 0.07, outcome: 'would_block', rules: ['Project Heron', 'Project Osprey'] },
  },
]

export async function addGuardrails(demo: Demo): Promise<number> {
  for (const [index, { project: _project, finds: _finds, ...request }] of GUARDRAILS.entries()) {
    const services = servicesAt(demo, demo.from + 15 * HOUR_MS + index * 240_000)
    await createGuardrail(request, { ...services, config: demo.config, refreshGuardrails: async () => undefined })
  }
  return GUARDRAILS.length
}

const CREDENTIALS = ['aws_access_key', 'github_token', 'openai_key'] as const
type Checked = Pick<LedgerLine, 'project' | 'code' | 'attempts'>
type Runs = Pick<LedgerLine, 'guardrails' | 'guardrailsPassed'>

/** What the guardrails did in a call. A call that was refused for another reason was not checked. */
export function guardrailsOf({ project, code, attempts }: Checked, random: Random): Runs {
  const [first] = GUARDRAILS
  if (code === SECRET_FOUND)
    return { guardrails: [[first!.id, 'blocked', 'secrets', 1, random.pick(CREDENTIALS)]], guardrailsPassed: null }
  if (attempts === 0) return { guardrails: null, guardrailsPassed: null }
  const applying = GUARDRAILS.filter((one) => one.project === undefined || one.project === project)
  const finding = applying.filter(({ finds }) => finds && random.isTrue(finds.share))
  const runs = finding.map(({ id, checks, finds }): NonNullable<Runs['guardrails']>[number] => {
    return [id, finds!.outcome, checks[0]!.check, random.whole(1, 3), random.pick(finds!.rules)]
  })
  const passed = applying.filter((one) => !finding.includes(one)).map(({ id }) => id)
  return { guardrails: runs.length > 0 ? runs : null, guardrailsPassed: passed.length > 0 ? passed : null }
}
