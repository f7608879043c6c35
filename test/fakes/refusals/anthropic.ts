import { createHash } from 'node:crypto'
import { type Fields, hasOthers, hasTwice, isBlank, listIn, fieldsIn, type Rule, sameMembers } from './rule.ts'

type Turn = { role: unknown; blocks: Fields[] }

const MEMBERS: Readonly<Record<string, string>> = {
  text: 'type text citations cache_control',
  thinking: 'type thinking signature',
  redacted_thinking: 'type data',
  tool_use: 'type id name input cache_control caller',
  tool_result: 'type tool_use_id content is_error cache_control',
  image: 'type source cache_control',
  document: 'type source title context citations cache_control',
}

/** What Anthropic refuses in a conversation. */
export const ANTHROPIC_RULES: readonly Rule[] = [
  {
    rule: 'the user comes first, and only the user and the assistant speak',
    source: 'https://github.com/Maol-1997/cursor-claude-connector/issues/3',
    broken: (body) =>
      turnsOf(body)[0]?.role !== 'user' || turnsOf(body).some(({ role }) => !/^(user|assistant)$/.test(String(role))),
  },
  {
    rule: 'every message has content, except a last one of the assistant',
    source: 'https://github.com/anthropics/claude-code/issues/6774',
    broken: (body) => turnsOf(body).some(({ blocks }) => blocks.length === 0),
  },
  {
    rule: 'texts are not blank',
    source: 'https://github.com/anthropics/claude-code/issues/59812',
    broken: (body) => blocksOf(body, 'text').some(({ text }) => isBlank(text)),
  },
  {
    rule: 'every tool_use is answered in the next message, and nothing else is',
    source: 'https://github.com/anthropics/claude-code/issues/8210',
    broken: (body) => {
      const turns = merged(turnsOf(body))
      return (
        turns.some(
          (_, at) =>
            !sameMembers(idsOf(turns[at - 1], 'tool_use', 'id'), idsOf(turns[at], 'tool_result', 'tool_use_id')),
        ) || idsOf(turns.at(-1), 'tool_use', 'id').length > 0
      )
    },
  },
  {
    rule: 'results of tools precede other content',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use',
    broken: (body) =>
      merged(turnsOf(body)).some(({ blocks }) =>
        blocks.some(({ type }, at) => type === 'tool_result' && at > 0 && blocks[at - 1]!.type !== 'tool_result'),
      ),
  },
  {
    rule: 'ids of tool_use are letters, digits, _ and -',
    source: 'https://github.com/anomalyco/opencode/issues/1279',
    broken: (body) => blocksOf(body, 'tool_use').some(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(String(id))),
  },
  {
    rule: 'ids of tool_use are unique',
    source: 'https://github.com/anthropics/claude-code/issues/28515',
    broken: (body) => hasTwice(blocksOf(body, 'tool_use').map(({ id }) => id)),
  },
  {
    rule: 'a thinking block has a signature of Claude',
    source: 'https://github.com/can1357/oh-my-pi/issues/6379',
    broken: (body, { signature }) =>
      [...blocksOf(body, 'thinking'), ...blocksOf(body, 'redacted_thinking')].some(
        (block) => String(block.signature ?? block.data).split('.', 1)[0] !== signature,
      ),
  },
  {
    rule: 'nothing before a thinking block has changed since it was made',
    source: 'https://platform.claude.com/docs/build-with-claude/preserved-thinking',
    broken: (body, { signature, isBound }) =>
      isBound === true &&
      turnsOf(body).some(({ blocks }, at) => {
        const bound = boundSignature(signature, { ...body, messages: listIn(body.messages).slice(0, at) })
        // Blocks of other models are not read.
        return blocks.some(({ type, signature: own }) => type === 'thinking' && own !== signature && own !== bound)
      }),
  },
  {
    rule: 'with a thinking budget, the last calls are preceded by their thinking',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2075',
    broken: (body) => {
      const last = merged(turnsOf(body)).findLast(({ role }) => role === 'assistant')
      const isThinking = fieldsIn(body.thinking).type === 'enabled'
      return isThinking && idsOf(last, 'tool_use', 'id').length > 0 && !/thinking$/.test(String(last?.blocks[0]?.type))
    },
  },
  {
    rule: 'blocks have no members of other formats',
    source: 'https://platform.claude.com/docs/en/api/messages',
    broken: (body) =>
      turnsOf(body).some(({ blocks }) =>
        blocks.some(
          (block) => MEMBERS[String(block.type)] === undefined || hasOthers(block, MEMBERS[String(block.type)]!),
        ),
      ),
  },
  {
    rule: 'an answer to be continued does not end with white space',
    source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/prefill-claudes-response',
    broken: (body) => {
      const last = turnsOf(body).at(-1)
      return last?.role === 'assistant' && /\s$/.test(String(last.blocks.at(-1)?.text ?? ''))
    },
  },
]

/** A text is short for one block, and marks for the cache are no content: Claude Code moves its marks with every turn. */
function contentOnly(key: string, value: unknown): unknown {
  if (key === 'cache_control') return undefined
  return key === 'content' && typeof value === 'string' ? [{ type: 'text', text: value }] : value
}

/** A signature of the answer to this request. */
export function boundSignature(signature: string, { system, tools, messages }: Fields): string {
  const before = createHash('sha256')
    .update(JSON.stringify([system, tools, messages], contentOnly))
    .digest('base64url')
  return `${signature}.${before}`
}

function turnsOf({ messages }: Fields): Turn[] {
  return listIn(messages).map(({ role, content }) => ({
    role,
    blocks: typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content),
  }))
}

/** Anthropic reads messages of one role as one. */
function merged(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const { role, blocks } of turns) {
    const last = joined.at(-1)
    if (last && last.role === role) last.blocks = [...last.blocks, ...blocks]
    else joined.push({ role, blocks })
  }
  return joined
}

function blocksOf(body: Fields, type: string): Fields[] {
  return turnsOf(body).flatMap(({ blocks }) => blocks.filter((block) => block.type === type))
}

function idsOf(turn: Turn | undefined, type: string, member: string): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === type).map((block) => block[member])
}
