import type { ChatRequest, Hook } from '../../contract/chat.ts'
import { listTooLong, type Loc, notAmong } from '../../base/schema/issue-messages.ts'
import { issues } from '../../base/schema/validation-issues.ts'
import type { JsonSchema } from '../../base/schema/json-schema.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { Phase, PostHook, PreHook } from './hook.ts'
import preBlockPatterns from './pre/block_patterns.ts'
import preModerate from './pre/moderate.ts'
import pdfTextExtract from './pre/pdf_text_extract.ts'
import preRedactPii from './pre/redact_pii.ts'
import systemPrompt from './pre/system_prompt.ts'
import preTranslate from './pre/translate.ts'
import trimHistory from './pre/trim_history.ts'
import postBlockPatterns from './post/block_patterns.ts'
import jsonHeal from './post/json_heal.ts'
import postModerate from './post/moderate.ts'
import postRedactPii from './post/redact_pii.ts'
import postTranslate from './post/translate.ts'

/** More steps than any call needs. Each may cost time and money. */
export const MAX_HOOKS = 20

export const PRE_HOOKS: Readonly<Record<string, PreHook>> = {
  block_patterns: preBlockPatterns,
  moderate: preModerate,
  pdf_text_extract: pdfTextExtract,
  redact_pii: preRedactPii,
  system_prompt: systemPrompt,
  translate: preTranslate,
  trim_history: trimHistory,
}

export const POST_HOOKS: Readonly<Record<string, PostHook>> = {
  block_patterns: postBlockPatterns,
  json_heal: jsonHeal,
  moderate: postModerate,
  redact_pii: postRedactPii,
  translate: postTranslate,
}

/** A hook that a request names, with valid parameters. */
export type NamedHook<Kind> = { action: string; hook: Kind; params: Record<string, unknown>; loc: Loc }

/** Lists everything that is wrong with the hooks of a request: unknown actions and invalid parameters. */
export function hookIssues(request: ChatRequest): ValidationIssue[] {
  return [...issuesOf('pre', request, PRE_HOOKS), ...issuesOf('post', request, POST_HOOKS)]
}

export function preHooksOf(request: ChatRequest): NamedHook<PreHook>[] {
  return namedHooks(request.pre_hooks ?? [], PRE_HOOKS, ['body', 'pre_hooks'])
}

export function postHooksOf(request: ChatRequest): NamedHook<PostHook>[] {
  return namedHooks(request.post_hooks ?? [], POST_HOOKS, ['body', 'post_hooks'])
}

function issuesOf(
  phase: Phase,
  request: ChatRequest,
  hooks: Readonly<Record<string, PreHook | PostHook>>,
): ValidationIssue[] {
  const options = request[`${phase}_hooks`] ?? []
  if (options.length > MAX_HOOKS) return [listTooLong(['body', `${phase}_hooks`], MAX_HOOKS, options.length)]
  return options.flatMap(({ action, params }, index) => {
    const loc: Loc = ['body', `${phase}_hooks`, index]
    const hook = Object.hasOwn(hooks, action) ? hooks[action]! : undefined
    if (!hook) return [notAmong([...loc, 'action'], Object.keys(hooks))]
    return paramIssues(hook, params ?? {}, [...loc, 'params'])
  })
}

/** The schema is not compiled: that would take longer than checking these few fields. */
function paramIssues({ params: schema, rules }: PreHook | PostHook, params: object, loc: Loc): ValidationIssue[] {
  const found = issues(schema as JsonSchema, params, loc)
  return found.length > 0 ? found : (rules?.(params, loc) ?? [])
}

/** `loc`: where the list stands. */
function namedHooks<Kind>(list: readonly Hook[], hooks: Readonly<Record<string, Kind>>, loc: Loc): NamedHook<Kind>[] {
  return list.map(({ action, params }, index) => {
    return { action, hook: hooks[action]!, params: params ?? {}, loc: [...loc, index, 'params'] }
  })
}
