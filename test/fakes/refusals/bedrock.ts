import { type Fields, fieldsIn, hasTwice, isBlank, listIn, type Rule, sameMembers } from './rule.ts'

const CONVERSE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html'

/** What Bedrock's Converse refuses in a conversation. */
export const BEDROCK_RULES: readonly Rule[] = [
  {
    rule: 'the roles alternate, and the user begins',
    source: CONVERSE,
    broken: (body) => listIn(body.messages).some(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant')),
  },
  {
    rule: 'every message has content',
    source: 'https://github.com/earendil-works/pi/pull/3443',
    broken: (body) => listIn(body.messages).some(({ content }) => listIn(content).length === 0),
  },
  {
    rule: 'texts are not blank',
    source: 'https://github.com/boto/botocore/issues/3525',
    broken: (body) =>
      [...blocksOf(body), ...listIn(body.system)].some((block) => 'text' in block && isBlank(block.text)),
  },
  {
    rule: 'every toolUse is answered in the next message, and nothing else is',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html',
    broken: ({ messages }) =>
      [...listIn(messages), {}].some(
        (message, at, all) => !sameMembers(idsOf(all[at - 1], 'toolUse'), idsOf(message, 'toolResult')),
      ),
  },
  {
    rule: 'ids of toolUse are unique',
    source: 'https://github.com/anthropics/claude-code/issues/28515',
    broken: (body) => hasTwice(callsOf(body).map(({ toolUseId }) => toolUseId)),
  },
  {
    rule: 'ids of toolUse have up to 64 letters, digits, _ and -',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html',
    broken: (body) => callsOf(body).some(({ toolUseId }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(toolUseId))),
  },
  {
    rule: 'ids of calls of Mistral have nine letters and digits',
    source: 'https://github.com/langchain-ai/langchain/pull/24668',
    broken: (body, { shortIds }) =>
      shortIds === true && callsOf(body).some(({ toolUseId }) => !/^[a-zA-Z0-9]{9}$/.test(String(toolUseId))),
  },
  {
    rule: 'tools are declared if the conversation has calls',
    source: 'https://github.com/vxcontrol/pentagi/pull/196',
    broken: (body) => callsOf(body).length > 0 && listIn(fieldsIn(body.toolConfig).tools).length === 0,
  },
  {
    rule: 'a failed result says something',
    source: 'https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15',
    broken: (body) =>
      blocksOf(body).some(
        ({ toolResult }) =>
          fieldsIn(toolResult).status === 'error' && listIn(fieldsIn(toolResult).content).length === 0,
      ),
  },
  {
    rule: 'reasoning has a signature of Claude',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html',
    broken: (body, { signature }) =>
      blocksOf(body).some(
        ({ reasoningContent }) =>
          reasoningContent !== undefined &&
          String(fieldsIn(fieldsIn(reasoningContent).reasoningText).signature).split('.', 1)[0] !== signature,
      ),
  },
  {
    rule: 'with a thinking budget, the last calls are preceded by their reasoning',
    source: 'https://github.com/deepset-ai/haystack-core-integrations/issues/2146',
    broken: ({ messages, additionalModelRequestFields }) => {
      const last = listIn(messages).findLast(({ role }) => role === 'assistant')
      const isThinking = fieldsIn(fieldsIn(additionalModelRequestFields).thinking).type === 'enabled'
      return isThinking && idsOf(last, 'toolUse').length > 0 && listIn(last?.content)[0]?.reasoningContent === undefined
    },
  },
]

function blocksOf({ messages }: Fields): Fields[] {
  return listIn(messages).flatMap(({ content }) => listIn(content))
}

function callsOf(body: Fields): Fields[] {
  return blocksOf(body).flatMap(({ toolUse }) => (toolUse === undefined ? [] : [fieldsIn(toolUse)]))
}

function idsOf(message: Fields | undefined, member: string): unknown[] {
  return listIn(message?.content).flatMap((block) =>
    block[member] === undefined ? [] : [fieldsIn(block[member]).toolUseId],
  )
}
