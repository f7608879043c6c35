import { isTimezone } from '../../../platform/config/spend-limits/limit-entry.ts'
import { recordOf } from '../../../base/schema/record.ts'
import type { Draft } from '../draft.ts'
import { nameHere } from './database/model-scopes.ts'

/** The time zone in which LiteLLM begins its days. */
export function timezoneIn(content: Record<string, unknown>): string {
  const { timezone } = recordOf(content.litellm_settings)
  return typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC'
}

/** Limits are about models of providers: a name of config.yaml stands for the models of its alias. */
export function limitedModels(draft: Draft): (name: string) => readonly string[] | undefined {
  return (name) => {
    const alias = draft.aliases.get(name)
    if (alias) return [...new Set(alias.targets.map(({ model }) => model))]
    return name.includes('/') ? [nameHere(name)] : undefined
  }
}
