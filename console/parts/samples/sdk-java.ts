import { literal } from '../literal.ts'
import { isStreamed, type SampleRequest } from './sample-request.ts'
import { isTexts, simpleMessages } from './simple-values.ts'

// Programs with openai-java and anthropic-java. Fields that these know are set by their names; all others travel as additional
// properties of the body. A required field has a setter that takes any JSON, because a program without the field would not start.

/** The calls that set a field, or undefined if they cannot say the value. */
type Write = (value: unknown) => string[] | undefined
type Call = {
  sdk: Sdk
  /** The class of the parameters, inside of the package of models. */
  params?: string
  call: string
  print: string
  required: readonly string[]
  fields: Readonly<Record<string, Write>>
}
type Sdk = keyof typeof SDKS

const SDKS = {
  openai: { artifact: 'com.openai:openai-java', root: 'com.openai', client: 'OpenAIOkHttpClient', key: 'apiKey' },
  anthropic: {
    artifact: 'com.anthropic:anthropic-java',
    root: 'com.anthropic',
    client: 'AnthropicOkHttpClient',
    key: 'authToken',
  },
} as const

const text =
  (setter: string): Write =>
  (value) =>
    typeof value === 'string' ? [`.${setter}(${quoted(value)})`] : undefined
const double =
  (setter: string): Write =>
  (value) =>
    typeof value === 'number' ? [`.${setter}(${Number.isInteger(value) ? `${value}.0` : value})`] : undefined
const long =
  (setter: string): Write =>
  (value) =>
    Number.isSafeInteger(value) ? [`.${setter}(${value}L)`] : undefined
const texts =
  (setter: string, ofTexts: string): Write =>
  (value) => {
    if (typeof value === 'string') return [`.${setter}(${quoted(value)})`]
    return isTexts(value) ? [`.${ofTexts}(List.of(${value.map(quoted).join(', ')}))`] : undefined
  }
const messages =
  (...roles: string[]): Write =>
  (value) => {
    const all = simpleMessages(value)
    if (!all?.every(({ role }) => roles.includes(role))) return undefined
    return all.map(({ role, content }) => `.add${role[0]!.toUpperCase()}${role.slice(1)}Message(${quoted(content)})`)
  }

const MODEL = { model: text('model') }
const SAMPLING = { temperature: double('temperature'), top_p: double('topP') }
const print = (value: string) => `System.out.println(${value});`

const CALLS: Readonly<Record<string, Call>> = {
  'POST /v3/chat/completions': {
    sdk: 'openai',
    params: 'chat.completions.ChatCompletionCreateParams',
    call: 'chat().completions().create',
    print: print('answer.choices().get(0).message().content().orElse("")'),
    required: ['model', 'messages'],
    fields: {
      ...MODEL,
      messages: messages('user', 'system', 'developer', 'assistant'),
      ...SAMPLING,
      max_completion_tokens: long('maxCompletionTokens'),
      seed: long('seed'),
      n: long('n'),
    },
  },
  'POST /v3/completions': {
    sdk: 'openai',
    params: 'completions.CompletionCreateParams',
    call: 'completions().create',
    print: print('answer.choices().get(0).text()'),
    required: ['model', 'prompt'],
    fields: {
      ...MODEL,
      prompt: texts('prompt', 'promptOfArrayOfStrings'),
      ...SAMPLING,
      max_tokens: long('maxTokens'),
    },
  },
  'POST /v3/responses': {
    sdk: 'openai',
    params: 'responses.ResponseCreateParams',
    call: 'responses().create',
    required: [],
    print: [
      'answer.output().stream()',
      '    .flatMap(item -> item.message().stream())',
      '    .flatMap(message -> message.content().stream())',
      '    .flatMap(part -> part.outputText().stream())',
      '    .forEach(part -> System.out.println(part.text()));',
    ].join('\n'),
    fields: { ...MODEL, input: text('input'), ...SAMPLING, max_output_tokens: long('maxOutputTokens') },
  },
  'POST /v3/embeddings': {
    sdk: 'openai',
    params: 'embeddings.EmbeddingCreateParams',
    call: 'embeddings().create',
    print: print('answer.data().get(0).embedding()'),
    required: ['model', 'input'],
    fields: { ...MODEL, input: texts('input', 'inputOfArrayOfStrings'), dimensions: long('dimensions') },
  },
  'POST /v3/moderations': {
    sdk: 'openai',
    params: 'moderations.ModerationCreateParams',
    call: 'moderations().create',
    print: print('answer.results().get(0)'),
    required: ['input'],
    fields: { ...MODEL, input: texts('input', 'inputOfStrings') },
  },
  'POST /v3/images/generations': {
    sdk: 'openai',
    params: 'images.ImageGenerateParams',
    call: 'images().generate',
    print: print('answer.data().orElseThrow().get(0)'),
    required: ['prompt'],
    fields: { ...MODEL, prompt: text('prompt'), n: long('n') },
  },
  'GET /v3/models': {
    sdk: 'openai',
    call: 'models().list',
    print: print('answer.data()'),
    required: [],
    fields: {},
  },
  'POST /v3/v1/messages': {
    sdk: 'anthropic',
    params: 'messages.MessageCreateParams',
    call: 'messages().create',
    print: print('answer.content().get(0).asText().text()'),
    required: ['model', 'max_tokens', 'messages'],
    fields: {
      ...MODEL,
      max_tokens: long('maxTokens'),
      messages: messages('user', 'assistant'),
      system: text('system'),
    },
  },
  'POST /v3/v1/messages/count_tokens': {
    sdk: 'anthropic',
    params: 'messages.MessageCountTokensParams',
    call: 'messages().countTokens',
    print: print('answer.inputTokens()'),
    required: ['model', 'messages'],
    fields: { ...MODEL, messages: messages('user', 'assistant'), system: text('system') },
  },
}

/** The artifact that has a function for this request, or undefined. */
export function javaArtifact({ name }: SampleRequest): string | undefined {
  const call = CALLS[name]
  return call && SDKS[call.sdk].artifact
}

export function sdkJava(request: SampleRequest): string {
  const call = CALLS[request.name]!
  const { root, client, key } = SDKS[call.sdk]
  const set = setLines(call, request)
  const lines = [
    `var client = ${client}.builder()`,
    `    .baseUrl(${quoted(`${request.base}/v3`)})`,
    `    .${key}(System.getenv("${request.key}"))`,
    '    .build();',
    ...(call.params ? [`var params = ${className(call.params)}.builder()`, ...set, '    .build();'] : []),
    ...sendLines(call, request),
  ]
  const main = lines.map((line) => `        ${line.replaceAll('\n', '\n        ')}\n`).join('')
  const imports = [
    `${root}.client.okhttp.${client}`,
    ...(call.params ? [`${root}.models.${call.params}`] : []),
    ...(main.includes('JsonValue.') ? [`${root}.core.JsonValue`] : []),
    ...(main.includes('ObjectMapper') ? ['com.fasterxml.jackson.databind.ObjectMapper'] : []),
    ...(main.includes('List.of') ? ['java.util.List'] : []),
  ]
  const shown = imports.toSorted().map((name) => `import ${name};\n`)
  return `${shown.join('')}\npublic class Sample {\n    public static void main(String[] args) throws Exception {\n${main}    }\n}`
}

function className(params: string): string {
  return params.slice(params.lastIndexOf('.') + 1)
}

function sendLines({ call, params, print: printed }: Call, request: SampleRequest): string[] {
  const asked = `client.${call}${isStreamed(request) ? 'Streaming' : ''}(${params ? 'params' : ''})`
  if (!isStreamed(request)) return [`var answer = ${asked};`, printed]
  return [`try (var stream = ${asked}) {`, '    stream.stream().forEach(System.out::println);', '}']
}

function setLines({ fields, required }: Call, { json }: SampleRequest): string[] {
  const { stream: _, ...body } = (json ?? {}) as Record<string, unknown>
  return Object.entries(body).flatMap(([name, value]) => {
    const typed = Object.hasOwn(fields, name) ? fields[name]!(value) : undefined
    if (typed) return typed.map((line) => `    ${line}`)
    const any = `JsonValue.from(${javaValue(value)})`
    return [
      required.includes(name)
        ? `    .${camel(name)}(${any})`
        : `    .putAdditionalBodyProperty(${quoted(name)}, ${any})`,
    ]
  })
}

/** `max_tokens` → `maxTokens` */
function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Java has no literals for objects, and its lists and maps cannot have null. */
function javaValue(value: unknown): string {
  if (typeof value === 'object' && value !== null && !isTexts(value))
    return `new ObjectMapper().readTree(${textBlock(value)})`
  return isTexts(value) ? `List.of(${value.map(quoted).join(', ')})` : JSON.stringify(value)
}

function textBlock(value: object): string {
  const escaped = literal(value, 'json').replaceAll('\\', '\\\\').replaceAll('"""', '\\"""')
  return `"""\n        ${escaped.replaceAll('\n', '\n        ')}\n        """`
}

function quoted(value: string): string {
  return JSON.stringify(value)
}
