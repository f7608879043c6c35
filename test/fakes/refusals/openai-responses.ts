import { type Fields, hasOthers, listIn, type Rule } from './rule.ts'

const MEMBERS: Readonly<Record<string, string>> = {
  message: 'type id role content status phase',
  reasoning: 'type id summary encrypted_content content status',
  function_call: 'type id call_id name arguments status namespace',
  function_call_output: 'type id call_id output status',
}

/** What the responses endpoint of OpenAI and of Azure refuses in its input, of which it stores nothing. */
export const RESPONSES_RULES: readonly Rule[] = [
  {
    rule: 'reasoning is followed by what it led to',
    source: 'https://github.com/continuedev/continue/issues/8933',
    broken: (body) => itemsOf(body).some(({ type }, at, all) => type === 'reasoning' && !isMade(all[at + 1])),
  },
  {
    rule: 'reasoning was encrypted by this provider',
    source: 'https://github.com/openai/codex/issues/3573',
    broken: (body, { signature }) =>
      itemsOf(body).some(({ type, encrypted_content }) => type === 'reasoning' && encrypted_content !== signature),
  },
  {
    rule: 'every call has an output, and every output a call',
    source: 'https://github.com/openai/codex/issues/93',
    broken: (body) => {
      const ids = (type: string) =>
        itemsOf(body)
          .filter((item) => item.type === type)
          .map(({ call_id }) => call_id)
      return String(ids('function_call').toSorted()) !== String(ids('function_call_output').toSorted())
    },
  },
  {
    rule: 'ids of calls have up to 64 characters',
    source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
    broken: (body) => itemsOf(body).some(({ call_id = '' }) => String(call_id).length > 64),
  },
  {
    rule: 'items have no members of other formats',
    source: 'https://github.com/microsoft/agent-framework/issues/2203',
    broken: (body) => itemsOf(body).some((item) => hasOthers(item, MEMBERS[String(item.type ?? 'message')] ?? '')),
  },
]

function itemsOf({ input }: Fields): Fields[] {
  return listIn(input)
}

function isMade(item: Fields | undefined): boolean {
  const { type = 'message', role } = item ?? {}
  return (
    item !== undefined &&
    (type === 'function_call' || type === 'reasoning' || (type === 'message' && role === 'assistant'))
  )
}
