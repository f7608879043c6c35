import { MAX_FALLBACKS } from '../../../platform/config/aliases/alias-limits.ts'
import { type Fields, isRecord, listOf } from '../../../base/schema/record.ts'
import type { DraftAlias } from '../draft.ts'
import { approximate, unsupported } from '../finding.ts'
import type { ImportContext } from './import-context.ts'
import { providerOf } from './provider-names.ts'

const KINDS = ['fallbacks', 'context_window_fallbacks'] as const

/** `fallbacks: [{ "gpt-4": ["claude"] }]` of both sections; `*` and default_fallbacks are for every alias. */
export function addFallbacks(section: string, settings: Fields, context: ImportContext): void {
  const { aliases } = context.draft
  const everywhere: string[] = []
  for (const kind of KINDS) {
    const problems = new Set<string>()
    for (const entry of listOf(settings[kind]).filter(isRecord))
      for (const [name, names] of Object.entries(entry)) {
        if (name === '*') everywhere.push(...knownNames(names, context, problems))
        else if (aliases.has(name)) append(name, knownNames(names, context, problems), context, problems)
        else problems.add(`there is no model ${name}`)
      }
    report(`${section}.${kind}`, problems, context)
  }
  const problems = new Set<string>()
  everywhere.push(...knownNames(settings.default_fallbacks, context, problems))
  for (const [name, { hidden }] of aliases) if (!hidden) append(name, everywhere, context, problems)
  report(`${section}.default_fallbacks`, problems, context)
}

/** A fallback is an alias, or a model of a provider. LiteLLM accepts no others. */
function knownNames(names: unknown, { draft }: ImportContext, problems: Set<string>): string[] {
  return listOf(names).flatMap((name) => {
    if (typeof name === 'string' && (draft.aliases.has(name) || providerOf(name.split('/')[0]!))) return [name]
    problems.add(
      typeof name === 'string' ? `there is no model ${name}` : 'a fallback with settings of its own is left out',
    )
    return []
  })
}

function append(name: string, more: readonly string[], { draft }: ImportContext, problems: Set<string>): void {
  const alias = draft.aliases.get(name)!
  const all = [...new Set([...(alias.fallbacks ?? []), ...more])].filter((one) => one !== name)
  if (all.length > MAX_FALLBACKS) problems.add(`an alias has ${MAX_FALLBACKS} fallbacks at most`)
  if (all.length > 0) (alias as { fallbacks?: DraftAlias['fallbacks'] }).fallbacks = all.slice(0, MAX_FALLBACKS)
}

function report(path: string, problems: ReadonlySet<string>, { draft }: ImportContext): void {
  if (problems.size > 0) draft.judge(path, approximate(`taken over, but ${[...problems].join('; ')}`))
}

/** `model_group_alias` and `model_alias_map`: another name for a name. */
export function addOtherNames(path: string, names: unknown, { draft }: ImportContext): void {
  if (!isRecord(names)) return
  const missing: string[] = []
  for (const [name, value] of Object.entries(names)) {
    const target = isRecord(value) ? value.model : value
    const isHidden = isRecord(value) && value.hidden === true
    const alias = typeof target === 'string' ? draft.aliases.get(target) : undefined
    if (alias) draft.aliases.set(name, { ...alias, ...(isHidden && { hidden: true }) })
    else if (typeof target === 'string' && providerOf(target.split('/')[0]!) && target.includes('/'))
      draft.aliases.set(name, { targets: [{ model: target }] })
    else missing.push(name)
  }
  if (missing.length > 0) draft.judge(path, unsupported(`${missing.join(', ')}: stands for no model of the file`))
}
