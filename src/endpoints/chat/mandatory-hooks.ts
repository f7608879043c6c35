import type { Caller } from '../../tenants/access/caller.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { isOfPolicy, POLICY } from '../../translation/hooks/blocked.ts'
import type { PostHook, PreHook } from '../../translation/hooks/hook.ts'
import { type NamedHook, namedHooks, POST_HOOKS, PRE_HOOKS } from '../../translation/hooks/index.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'

// Hooks that the policies of a project and a key demand. A request can neither remove them nor get around them.

/**
 * What a request adds to itself comes first, so that the hooks of the policy see all of it. What sends the content to a provider
 * comes after them, so that nothing is sent that they have not seen.
 */
export function withMandatoryPre(own: NamedHook<PreHook>[], { policy }: Caller): NamedHook<PreHook>[] {
  if (!policy?.preHooks.length) return own
  const mandatory = namedHooks(policy.preHooks, PRE_HOOKS, [POLICY, 'pre_hooks'])
  return [...own.filter(({ hook }) => !hook.task), ...mandatory, ...own.filter(({ hook }) => hook.task)]
}

/** They have the last word about an answer. */
export function withMandatoryPost(own: NamedHook<PostHook>[], { policy }: Caller): NamedHook<PostHook>[] {
  if (!policy?.postHooks.length) return own
  return [...own, ...namedHooks(policy.postHooks, POST_HOOKS, [POLICY, 'post_hooks'])]
}

/** The request says that there are post hooks, so that no answer passes in the format of its provider. */
export function withPolicy(call: AskedChat, { policy }: Caller): AskedChat {
  if (!policy?.postHooks.length) return call
  const request: ChatRequest = {
    ...call.request,
    post_hooks: [...(call.request.post_hooks ?? []), ...policy.postHooks],
  }
  return { ...call, request }
}

/** Tasks of mandatory hooks need no scope of the key: its holder has not asked for them. The data policy holds for them too. */
export function callerOfHook(caller: Caller, loc: Loc): Caller {
  if (!isOfPolicy(loc) || caller.policy === null) return caller
  return { ...caller, scopes: null, policy: { ...caller.policy, models: [], endpoints: null } }
}
