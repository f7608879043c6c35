import { type Fields, hasOthers, listIn, type Rule, sameMembers } from './rule.ts'

const REFERENCE = 'https://docs.cohere.com/reference/chat'

const MEMBERS: Readonly<Record<string, string>> = {
  system: 'role content',
  user: 'role content',
  assistant: 'role content tool_calls tool_plan citations',
  tool: 'role content tool_call_id',
}

/** What Cohere refuses in a conversation. */
export const COHERE_RULES: readonly Rule[] = [
  {
    rule: 'messages have the members of their role',
    source: REFERENCE,
    broken: (body) => listIn(body.messages).some((message) => hasOthers(message, MEMBERS[String(message.role)] ?? '')),
  },
  {
    rule: 'every message says something',
    source: 'https://github.com/langchain-ai/langchain-cohere/pull/15',
    broken: (body) =>
      listIn(body.messages).some(
        ({ role, content, tool_calls }) => role !== 'tool' && (content ?? '') === '' && listIn(tool_calls).length === 0,
      ),
  },
  {
    rule: 'the calls of a message are answered by the messages after it',
    source: 'https://github.com/ethz-spylab/agentdojo/pull/200',
    broken: ({ messages }) => !answersAll(listIn(messages)),
  },
  {
    rule: 'calls have the members of Cohere',
    source: REFERENCE,
    broken: (body) =>
      listIn(body.messages)
        .flatMap(({ tool_calls }) => listIn(tool_calls))
        .some((call) => hasOthers(call, 'id type function')),
  },
  {
    rule: 'the user or a tool has the last word',
    source: REFERENCE,
    broken: (body) => !/^(user|tool)$/.test(String(listIn(body.messages).at(-1)?.role)),
  },
  {
    rule: 'a format is not combined with tools',
    source: 'https://docs.cohere.com/docs/structured-outputs',
    broken: (body) => body.response_format !== undefined && listIn(body.tools).length > 0,
  },
]

/** Whether each message with calls is followed by the results of all of them, and no result stands elsewhere. */
export function answersAll(messages: readonly Fields[]): boolean {
  const ends = messages.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]))
  return (
    ends.every((at, place) => {
      const results = messages.slice(at + 1, ends[place + 1] ?? messages.length).map(({ tool_call_id }) => tool_call_id)
      return sameMembers(
        listIn(messages[at]!.tool_calls).map(({ id }) => id),
        results,
      )
    }) && messages[0]?.role !== 'tool'
  )
}
