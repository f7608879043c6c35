import { isRecord } from '../../../base/schema/record.ts'
import type { StepBudget } from '../step-budget.ts'

/** The schema that a reference names, as a JSON pointer. A reference to nowhere allows nothing. */
export function schemaAt(ref: string, root: unknown, budget: StepBudget): unknown {
  const steps = ref.slice(1).split('/').slice(1)
  budget.spendChars(ref.length)
  budget.spend(steps.length)
  const names = steps.map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)] ?? false
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : false
  }, root)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
