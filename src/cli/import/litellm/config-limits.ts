import { recordOf } from '../../../base/schema/record.ts'
import { manual, unsupported } from '../finding.ts'
import { numberOf } from './values.ts'
import { type ImportedLimit, type LimitRemark, limitsOf } from './database/limits.ts'
import type { ImportContext } from './import-context.ts'
import { timezoneIn } from './limit-names.ts'
import { providerOf } from './provider-names.ts'

const EVERYBODY = { appliesTo: 'all', kind: 'proxy', source: 'config.yaml' }

/** Budgets and limits for everybody, which LiteLLM has in config.yaml. What was spent of them is in no table. */
export function addConfigLimits(context: ImportContext): void {
  const { max_budget, budget_duration } = recordOf(context.content.litellm_settings)
  const { global_max_parallel_requests: parallel } = recordOf(context.content.general_settings)
  const stated = {
    'litellm_settings.max_budget': max_budget,
    'general_settings.global_max_parallel_requests': parallel,
  }
  for (const [path, value] of Object.entries(stated))
    if (value != null && numberOf(value) === undefined) context.draft.judge(path, unsupported('is no number'))
  const row = { max_budget, budget_duration, max_parallel_requests: parallel }
  const limits = limitsOf(row, EVERYBODY, limitContext(context, 'litellm_settings.max_budget'))
  context.draft.addLimits([...limits, ...providerLimits(context)])
}

const BUDGETS = 'router_settings.provider_budget_config'

function providerLimits(context: ImportContext): ImportedLimit[] {
  const budgets = recordOf(recordOf(context.content.router_settings).provider_budget_config)
  return Object.entries(budgets).flatMap(([name, value]) => {
    const provider = providerOf(name)
    if (!provider || provider === 'compatible') {
      context.draft.judge(BUDGETS, manual('one of these providers is not known here: make its budget by hand'))
      return []
    }
    const { budget_limit: max_budget, time_period: budget_duration } = recordOf(value)
    const holder = { ...EVERYBODY, source: `provider ${provider}`, kind: 'provider' }
    const limits = limitsOf({ max_budget, budget_duration }, holder, limitContext(context, BUDGETS))
    return limits.map((limit) => ({ ...limit, entry: { ...limit.entry, providers: [provider] } }))
  })
}

/** A window of another length is said where the budget is. */
function limitContext({ content, draft }: ImportContext, path: string) {
  return {
    now: 0,
    timezone: timezoneIn(content),
    modelsOf: () => undefined,
    remark: (about: LimitRemark) =>
      draft.judge(path, {
        outcome: about === 'other window' ? 'approximate' : 'manual',
        note: about === 'other window' ? 'is a budget for the most similar window' : 'Gatehouse accepts no such limit',
      }),
  }
}
