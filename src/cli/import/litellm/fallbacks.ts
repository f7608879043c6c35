import { MAX_FALLBACKS } from '../../../platform/config/aliases/alias-limits.ts'
import { type Fields, isRecord, listOf } from '../../../base/schema/record.ts'
import type { DraftAlias } from '../draft.ts'
import { approximate, unsupported } from '../finding.ts'
import type { ImportContext } from './import-context.ts'
import { isAliasName, modelNamed } from './deployments.ts'

const KINDS = ['fallbacks', 'context_window_fallbacks'] as const

/** `fallbacks: [{ "gpt-4": ["claude"] }]` of both sections; `*` and default_fallbacks are for every alias without its own. */
export function addFallbacks(section: string, settings: Fields, context: ImportContext): void {
  const { aliases } = context.draft
  const everywhere: string[] = []
  const forLongPrompts: string[] = []
  const own = new Set<string>()
  for (const kind of KINDS) {
    const problems = new Set<string>()
    for (const entry of entriesOf(settings[kind], problems))
      for (const [name, names] of Object.entries(entry)) {
        if (name === '*')
          (kind === 'fallbacks' ? everywhere : forLongPrompts).push(...knownNames(names, context, problems))
        else if (aliases.has(name)) append(name, knownNames(names, context, problems), context, problems)
        else problems.add(`there is no model ${name}`)
        if (kind === 'fallbacks') own.add(name)
      }
    report(`${section}.${kind}`, problems, context)
  }
  const problems = new Set<string>()
  if (settings.default_fallbacks != null) everywhere.push(...knownNames(settings.default_fallbacks, context, problems))
  for (const [name, { hidden }] of aliases)
    if (!hidden) append(name, own.has(name) ? forLongPrompts : [...everywhere, ...forLongPrompts], context, problems)
  report(`${section}.default_fallbacks`, problems, context)
}

function entriesOf(value: unknown, problems: Set<string>): Fields[] {
  if (value == null) return []
  const entries = listOf(value).filter(isRecord)
  if (!Array.isArray(value) || entries.length < value.length)
    problems.add('what is no list of names with their fallbacks is left out')
  return entries
}

/** A fallback is an alias, or a model of a provider. LiteLLM accepts no others. */
function knownNames(names: unknown, context: ImportContext, problems: Set<string>): string[] {
  if (!Array.isArray(names)) problems.add('what is no list of names is left out')
  return listOf(names).flatMap((name) => {
    if (typeof name === 'string' && context.draft.aliases.has(name)) return [name]
    const model = typeof name === 'string' ? modelNamed(name, context) : undefined
    if (model?.isSame === false) problems.add(`${String(name)} is called as its provider is set here`)
    if (model) return [model.id]
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
export function addOtherNames(path: string, names: unknown, context: ImportContext): void {
  const { draft } = context
  if (names == null) return
  if (!isRecord(names)) return draft.judge(path, unsupported('is no list of names with what they stand for'))
  const missing: string[] = []
  const others: string[] = []
  for (const [name, value] of Object.entries(names)) {
    const target = isRecord(value) ? value.model : value
    const isHidden = isRecord(value) && value.hidden === true
    const alias = typeof target === 'string' ? draft.aliases.get(target) : undefined
    const model = typeof target === 'string' && !alias ? modelNamed(target, context) : undefined
    if (!isAliasName(name) || (!alias && !model)) missing.push(name)
    else
      draft.aliases.set(name, { ...(alias ?? { targets: [{ model: model!.id }] }), ...(isHidden && { hidden: true }) })
    if (model?.isSame === false) others.push(name)
  }
  if (missing.length > 0)
    draft.judge(path, unsupported(`${missing.join(', ')}: stands for no model of the file, or is no name of an alias`))
  else if (others.length > 0)
    draft.judge(path, approximate(`${others.join(', ')}: is called as its provider is set here`))
}
