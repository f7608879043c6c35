import { isStreamed, type SampleRequest } from './sample-request.ts'
import { isTexts, simpleMessages } from './simple-values.ts'

// Programs with openai-go and anthropic-sdk-go. Fields that these know get their types; all others travel as extra fields, which
// also replace what the type of a field cannot say.

/** A value as its field wants it, or undefined if the field cannot have it. */
type Write = (value: unknown) => string | undefined
type Call = { sdk: Sdk; params?: string; call: string; read: string; fields: Readonly<Record<string, Write>> }
type Sdk = keyof typeof MODULES

const MODULES = {
  openai: 'github.com/openai/openai-go/v3',
  anthropic: 'github.com/anthropics/anthropic-sdk-go',
} as const

const text: Write = (value) => (typeof value === 'string' ? quoted(value) : undefined)
const whole: Write = (value) => (Number.isSafeInteger(value) ? String(value) : undefined)
const float =
  (sdk: Sdk): Write =>
  (value) =>
    typeof value === 'number' ? `${sdk}.Float(${value})` : undefined
const int =
  (sdk: Sdk): Write =>
  (value) =>
    Number.isSafeInteger(value) ? `${sdk}.Int(${value})` : undefined
/** A text, or several where the union has them. */
const textIn =
  (union: string, ofTexts?: string): Write =>
  (value) => {
    if (typeof value === 'string') return `${union}{OfString: openai.String(${quoted(value)})}`
    return ofTexts && isTexts(value) ? `${union}{${ofTexts}: []string{${value.map(quoted).join(', ')}}}` : undefined
  }

const OPENAI_ROLES = {
  user: 'UserMessage',
  system: 'SystemMessage',
  developer: 'DeveloperMessage',
  assistant: 'AssistantMessage',
}
const ANTHROPIC_ROLES = { user: 'NewUserMessage', assistant: 'NewAssistantMessage' }

const openaiMessages: Write = (value) =>
  messagesOf(value, OPENAI_ROLES, {
    type: 'openai.ChatCompletionMessageParamUnion',
    write: (call, content) => `openai.${call}(${quoted(content)})`,
  })
const anthropicMessages: Write = (value) =>
  messagesOf(value, ANTHROPIC_ROLES, {
    type: 'anthropic.MessageParam',
    write: (call, content) => `anthropic.${call}(anthropic.NewTextBlock(${quoted(content)}))`,
  })

const MODEL = { model: text }
const SAMPLING = { temperature: float('openai'), top_p: float('openai') }

const CALLS: Readonly<Record<string, Call>> = {
  'POST /v3/chat/completions': {
    sdk: 'openai',
    params: 'openai.ChatCompletionNewParams',
    call: 'Chat.Completions.New',
    read: 'answer.Choices[0].Message.Content',
    fields: {
      ...MODEL,
      messages: openaiMessages,
      ...SAMPLING,
      max_tokens: int('openai'),
      max_completion_tokens: int('openai'),
      seed: int('openai'),
      n: int('openai'),
    },
  },
  'POST /v3/completions': {
    sdk: 'openai',
    params: 'openai.CompletionNewParams',
    call: 'Completions.New',
    read: 'answer.Choices[0].Text',
    fields: {
      ...MODEL,
      prompt: textIn('openai.CompletionNewParamsPromptUnion', 'OfArrayOfStrings'),
      ...SAMPLING,
      max_tokens: int('openai'),
    },
  },
  'POST /v3/responses': {
    sdk: 'openai',
    params: 'responses.ResponseNewParams',
    call: 'Responses.New',
    read: 'answer.OutputText()',
    fields: {
      ...MODEL,
      input: textIn('responses.ResponseNewParamsInputUnion'),
      ...SAMPLING,
      max_output_tokens: int('openai'),
    },
  },
  'POST /v3/embeddings': {
    sdk: 'openai',
    params: 'openai.EmbeddingNewParams',
    call: 'Embeddings.New',
    read: 'answer.Data[0].Embedding',
    fields: {
      ...MODEL,
      input: textIn('openai.EmbeddingNewParamsInputUnion', 'OfArrayOfStrings'),
      dimensions: int('openai'),
    },
  },
  'POST /v3/moderations': {
    sdk: 'openai',
    params: 'openai.ModerationNewParams',
    call: 'Moderations.New',
    read: 'answer.Results[0].RawJSON()',
    fields: { ...MODEL, input: textIn('openai.ModerationNewParamsInputUnion', 'OfStringArray') },
  },
  'POST /v3/images/generations': {
    sdk: 'openai',
    params: 'openai.ImageGenerateParams',
    call: 'Images.Generate',
    read: 'answer.Data[0].RawJSON()',
    fields: { ...MODEL, prompt: text, n: int('openai') },
  },
  'GET /v3/models': { sdk: 'openai', call: 'Models.List', read: 'answer.RawJSON()', fields: {} },
  'POST /v3/v1/messages': {
    sdk: 'anthropic',
    params: 'anthropic.MessageNewParams',
    call: 'Messages.New',
    read: 'answer.Content[0].Text',
    fields: {
      ...MODEL,
      max_tokens: whole,
      messages: anthropicMessages,
      temperature: float('anthropic'),
      top_p: float('anthropic'),
    },
  },
  'POST /v3/v1/messages/count_tokens': {
    sdk: 'anthropic',
    params: 'anthropic.MessageCountTokensParams',
    call: 'Messages.CountTokens',
    read: 'answer.InputTokens',
    fields: { ...MODEL, messages: anthropicMessages },
  },
}

/** The module that has a function for this request, or undefined. */
export function goModule({ name }: SampleRequest): string | undefined {
  const call = CALLS[name]
  return call && MODULES[call.sdk]
}

export function sdkGo(request: SampleRequest): string {
  const { sdk, params, call, read, fields } = CALLS[request.name]!
  const asked = `client.${call}${isStreamed(request) ? 'Streaming' : ''}(context.Background()${params ? ', params' : ''})`
  const lines = [
    `client := ${sdk}.NewClient(option.WithBaseURL(${quoted(`${request.base}/v3`)}), ${keyOption(sdk, request)})`,
    ...(params ? paramLines(params, request, fields) : []),
    ...(isStreamed(request) ? streamLines(asked) : [`answer, err := ${asked}`, ...CHECK, `fmt.Println(${read})`]),
  ]
  const main = lines.map((line) => `\t${line}\n`).join('')
  return `package main\n\nimport (\n${imports(sdk, params)})\n\nfunc main() {\n${main}}`
}

const CHECK = ['if err != nil {', '\tpanic(err)', '}']

function streamLines(asked: string): string[] {
  const each = ['for stream.Next() {', '\tfmt.Println(stream.Current().RawJSON())', '}']
  return [`stream := ${asked}`, ...each, 'if err := stream.Err(); err != nil {', '\tpanic(err)', '}']
}

function imports(sdk: Sdk, params = ''): string {
  const module = MODULES[sdk]
  const isResponses = params.startsWith('responses.')
  const names = [module, `${module}/option`, ...(isResponses ? [`${module}/responses`] : [])]
  return ['\t"context"\n\t"fmt"\n\t"os"\n', ...names.map((name) => `\t"${name}"\n`)]
    .join('')
    .replace('"os"\n', '"os"\n\n')
}

/** Anthropic's own header for keys has another name; the gateway accepts both. */
function keyOption(sdk: Sdk, { key }: SampleRequest): string {
  return `option.With${sdk === 'anthropic' ? 'AuthToken' : 'APIKey'}(os.Getenv("${key}"))`
}

/** gofmt puts the values below each other. */
function paramLines(type: string, { json }: SampleRequest, fields: Call['fields']): string[] {
  const { stream: _, ...body } = (json ?? {}) as Record<string, unknown>
  const written = Object.entries(body).map(([name, value]) => ({
    name,
    value,
    text: Object.hasOwn(fields, name) ? fields[name]!(value) : undefined,
  }))
  const typed = written.flatMap((one) => (one.text === undefined ? [] : [{ name: pascal(one.name), text: one.text }]))
  const extra = Object.fromEntries(written.flatMap((one) => (one.text === undefined ? [[one.name, one.value]] : [])))
  const width = Math.max(...typed.map(({ name }) => name.length)) + 1
  const members = typed.map((one) => `\t${`${one.name}:`.padEnd(width)} ${one.text},`)
  return [
    ...(members.length > 0 ? [`params := ${type}{`, ...members, '}'] : [`params := ${type}{}`]),
    ...(Object.keys(extra).length > 0 ? [`params.SetExtraFields(${goLiteral(extra)})`] : []),
  ]
}

/** `max_tokens` → `MaxTokens` */
function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

type Messages = { type: string; write: (call: string, content: string) => string }

/** Messages that only have a role and a text. */
function messagesOf(value: unknown, roles: Readonly<Record<string, string>>, { type, write }: Messages) {
  const all = simpleMessages(value)
  if (!all?.every(({ role }) => role in roles)) return undefined
  return `[]${type}{${all.map(({ role, content }) => write(roles[role]!, content)).join(', ')}}`
}

function goLiteral(value: unknown): string {
  if (value === null) return 'nil'
  if (Array.isArray(value)) return `[]any{${value.map(goLiteral).join(', ')}}`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${quoted(name)}: ${goLiteral(one)}`)
  return `map[string]any{${members.join(', ')}}`
}

function quoted(value: string): string {
  return JSON.stringify(value)
}
