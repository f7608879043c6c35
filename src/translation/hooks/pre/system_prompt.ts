import Type from '../../../base/schema/type.ts'
import { optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../closed-params.ts'
import { preHook } from '../hook.ts'
import { isInstruction } from '../message-texts.ts'

const MAX_PROMPT_CHARS = 100_000

export default preHook({
  description: 'Adds a system prompt, or replaces all system prompts.',
  params: closedParams({
    text: Type.String({ minLength: 1, maxLength: MAX_PROMPT_CHARS, description: 'The prompt.' }),
    mode: optional(
      words(['prepend', 'append', 'replace']),
      'Before the system prompts at the start of the conversation, after them, or instead of all system prompts.',
      { default: 'prepend' },
    ),
    role: optional(words(['system', 'developer']), 'The role of the message.', { default: 'system' }),
  }),
  run(request, { text, mode, role }) {
    const added = { role: role ?? ('system' as const), content: text }
    const messages =
      mode === 'replace' ? request.messages.filter((message) => !isInstruction(message)) : request.messages
    const at = mode === 'append' ? countWhile(messages, isInstruction) : 0
    return { ...request, messages: [...messages.slice(0, at), added, ...messages.slice(at)] }
  },
})

function countWhile<Item>(items: readonly Item[], isPart: (item: Item) => boolean): number {
  const end = items.findIndex((item) => !isPart(item))
  return end < 0 ? items.length : end
}
