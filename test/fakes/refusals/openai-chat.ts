import { answersAll } from './cohere.ts'
import { type Fields, fieldsIn, hasOthers, listIn, type Rule } from './rule.ts'

const MESSAGE = 'role content name tool_calls tool_call_id refusal audio annotations function_call'
const CALL = 'id type function custom index'

/** What OpenAI and Azure refuse in a conversation. */
export const OPENAI_RULES: readonly Rule[] = [
  {
    rule: 'the calls of a message are answered by the messages after it',
    source: 'https://github.com/Nikunj2003/LLaMa-MCP-Streamlit/issues/1',
    broken: ({ messages }) => !answersAll(listIn(messages)),
  },
  {
    rule: 'only a message with calls has no content',
    source: 'https://github.com/run-llama/llama_index/pull/17921',
    broken: (body) =>
      listIn(body.messages).some(({ content, tool_calls }) => content == null && listIn(tool_calls).length === 0),
  },
  {
    rule: 'ids of calls have up to 40 characters',
    source: 'https://github.com/Portkey-AI/gateway/issues/1062',
    broken: (body) => callsOf(body).some(({ id }) => String(id).length > 40),
  },
  members(MESSAGE, CALL, 'https://github.com/transitive-bullshit/agentic/issues/531'),
]

export const AZURE_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 3),
  members(
    'role content name tool_calls tool_call_id function_call',
    CALL,
    'https://github.com/microsoft/azurechat/issues/503',
  ),
]

/** What these hosts of the same format refuse. */
export const GROQ_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  members(
    'role content name tool_calls tool_call_id reasoning',
    'id type function',
    'https://github.com/janhq/jan/issues/8136',
  ),
]

export const CEREBRAS_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  members(
    'role content name tool_calls tool_call_id reasoning',
    'id type function',
    'https://github.com/Kilo-Org/kilocode/issues/10375',
  ),
]

export const DEEPSEEK_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  {
    rule: 'while it thinks, messages with calls have their reasoning',
    source: 'https://github.com/abhigyanpatwari/GitNexus/issues/43',
    broken: (body) => fieldsIn(body.thinking).type !== 'disabled' && unreasoned(body),
  },
]

export const MOONSHOT_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  {
    rule: 'while it thinks, messages with calls have their reasoning',
    source: 'https://github.com/continuedev/continue/issues/11600',
    broken: (body) => fieldsIn(body.thinking).type !== 'disabled' && unreasoned(body),
  },
  {
    rule: 'thinking is set in one way',
    source: 'https://github.com/HKUDS/nanobot/issues/3939',
    broken: ({ thinking, reasoning_effort }) => thinking !== undefined && reasoning_effort !== undefined,
  },
]

export const OPENROUTER_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  {
    rule: 'details of reasoning are of its own kinds',
    source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
    broken: (body) =>
      listIn(body.messages)
        .flatMap(({ reasoning_details }) => listIn(reasoning_details))
        .some(({ type }) => !/^reasoning\.(text|summary|encrypted)$/.test(String(type))),
  },
]

export const PERPLEXITY_RULES: readonly Rule[] = [
  {
    rule: 'after the system prompt, the user and the assistant alternate',
    source: 'https://github.com/perplexityai/api-discussion/issues/265',
    broken: ({ messages }) => {
      const said = listIn(messages).slice(listIn(messages).findIndex(({ role }) => role !== 'system'))
      return said.some(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant')) || said.at(-1)?.role !== 'user'
    },
  },
]

export const GOOGLE_RULES: readonly Rule[] = [
  ...OPENAI_RULES.slice(0, 2),
  members(
    'role content name tool_calls tool_call_id refusal',
    'id type function extra_content',
    'https://github.com/Alishahryar1/free-claude-code/issues/542',
  ),
  {
    rule: 'the first call of each message is signed by Google',
    source: 'https://github.com/langroid/langroid/pull/969',
    broken: ({ messages }, { signature }) =>
      listIn(messages).some(
        ({ tool_calls }) => listIn(tool_calls).length > 0 && !isSigned(listIn(tool_calls)[0]!, signature),
      ),
  },
]

/** What models of Mistral refuse wherever they run: mistralai/mistral-common, protocol/instruct/validator.py. */
const MISTRAL_MODEL_RULES: readonly Rule[] = [
  {
    rule: 'no user after a tool',
    source: 'https://github.com/avante-corp/avante.nvim/pull/2695',
    broken: (body) => follows(body, 'user', ['tool']),
  },
  {
    rule: 'no system message after an answer or a result',
    source: 'https://github.com/swarmauri/swarmauri-sdk/issues/162',
    broken: (body) => follows(body, 'system', ['assistant', 'tool']),
  },
  {
    rule: 'a tool follows calls or another tool',
    source: 'https://github.com/mistralai/mistral-inference/issues/135',
    broken: (body) => follows(body, 'tool', ['system', 'user']),
  },
  {
    rule: 'there are as many results as calls',
    source: 'https://github.com/mistralai/client-ts/issues/106',
    broken: ({ messages }) => !answersAll(listIn(messages)),
  },
  {
    rule: 'ids of calls have nine letters and digits',
    source: 'https://github.com/anomalyco/opencode/issues/1680',
    broken: (body) => callsOf(body).some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(String(id))),
  },
  {
    rule: 'the assistant has content or calls',
    source: 'https://github.com/OpenHands/OpenHands/issues/8685',
    broken: (body) =>
      listIn(body.messages).some(
        ({ role, content, tool_calls }) =>
          role === 'assistant' && listIn(tool_calls).length === 0 && (content ?? '').toString() === '',
      ),
  },
  {
    rule: 'the user or a tool has the last word, or the assistant with a prefix',
    source: 'https://github.com/0xPlaygrounds/rig/pull/1130',
    broken: (body) => {
      const { role, prefix } = listIn(body.messages).at(-1) ?? {}
      return role !== 'user' && role !== 'tool' && prefix !== true
    },
  },
]

export const MISTRAL_RULES: readonly Rule[] = [
  ...MISTRAL_MODEL_RULES,
  members('role content tool_calls tool_call_id prefix name', 'id type function index', 'https://docs.mistral.ai/api'),
]

/** https://github.com/NousResearch/hermes-agent/issues/20154 */
export const MISTRAL_AT_NVIDIA_RULES: readonly Rule[] = MISTRAL_MODEL_RULES

function members(message: string, call: string, source: string): Rule {
  return {
    rule: 'messages and calls have no members of other providers',
    source,
    broken: (body) =>
      listIn(body.messages).some((one) => hasOthers(one, message)) || callsOf(body).some((one) => hasOthers(one, call)),
  }
}

function callsOf({ messages }: Fields): Fields[] {
  return listIn(messages).flatMap(({ tool_calls }) => listIn(tool_calls))
}

function unreasoned({ messages }: Fields): boolean {
  return listIn(messages).some(
    ({ tool_calls, reasoning_content }) => listIn(tool_calls).length > 0 && typeof reasoning_content !== 'string',
  )
}

/** Whether a message of this role comes directly after one of these. */
function follows({ messages }: Fields, role: string, before: readonly string[]): boolean {
  return listIn(messages).some(
    (message, at, all) => message.role === role && before.includes(String(all[at - 1]?.role)),
  )
}

function isSigned({ extra_content }: Fields, signature: string): boolean {
  const { thought_signature } = fieldsIn(fieldsIn(extra_content).google)
  return thought_signature === signature || thought_signature === 'skip_thought_signature_validator'
}
