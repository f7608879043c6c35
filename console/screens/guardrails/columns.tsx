import type { GuardrailBody } from '../../../src/contract/admin/guardrails.ts'
import { moment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { checkTitle } from './examples.ts'

export function columnsFor(holderName: (appliesTo: string) => string): readonly Column<GuardrailBody>[] {
  const whom = ({ applies_to: who }: GuardrailBody) => holderName(who)
  return [
    { name: 'id', title: 'Name', sort: guardrailName, cell: guardrailName },
    { name: 'for', title: 'Applies to', sort: whom, cell: whom },
    {
      name: 'checks',
      title: 'Checks',
      isMain: true,
      sort: checksOf,
      cell: (guardrail) => <span class="wrapped">{checksOf(guardrail)}</span>,
    },
    { name: 'action', title: 'Action', sort: ({ action }) => action, cell: ({ action }) => action },
    { name: 'mode', title: 'Mode', sort: modeOf, cell: (guardrail) => <ModeOf guardrail={guardrail} /> },
    { name: 'phases', title: 'Phases', isMinor: true, cell: phasesOf },
    { name: 'origin', title: 'Set in', isExtra: true, sort: originOf, cell: originOf },
    { name: 'changed', title: 'Changed', isExtra: true, cell: ({ updated_at: at }) => moment(at) },
  ]
}

export function guardrailName({ id, name }: GuardrailBody): string {
  return name ?? id
}

function checksOf({ checks }: GuardrailBody): string {
  return checks.map(({ check }) => checkTitle(check)).join(', ')
}

function phasesOf({ phases }: GuardrailBody): string {
  return (phases ?? ['input', 'output']).map((phase) => phase.replace('_', ' ')).join(', ')
}

export function originOf({ owned_by: owner }: GuardrailBody): string {
  return owner === 'file' ? 'config file' : 'console or API'
}

function modeOf({ mode }: GuardrailBody): string {
  return mode ?? 'enforce'
}

export function ModeOf({ guardrail }: { guardrail: GuardrailBody }) {
  return modeOf(guardrail) === 'shadow' ? (
    <span class="status warn">shadow</span>
  ) : (
    <span class="status good">enforce</span>
  )
}
