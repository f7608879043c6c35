// Every client of docs/clients.md: what is installed, which program uses it, and what the program has to print. A program
// prints a line for each thing that users of the client do.

export type Language = 'npm' | 'python' | 'go' | 'java' | 'rust'

export type Client = {
  /** As in docs/clients.md. */
  name: string
  language: Language
  /** Names with versions, as the package manager of the language reads them. */
  packages: readonly string[]
  /** A file in programs/<language>/. */
  program: string
  /** Texts that the output has to contain. */
  prints: readonly string[]
}

/** Clients that are development dependencies. `npm run test:sdks` runs their lines (test/sdks/dialect-sdks.test.ts). */
export const IN_TEST_SDKS: readonly string[] = [
  ...['openai SDK', 'Anthropic SDK', 'AI SDK, openai-compatible', 'AI SDK, anthropic', 'AI SDK, google'],
  ...['Google Gen AI SDK', 'LangChain', 'AzureOpenAI'],
]

/** Programs with a screen or a server of their own. `npm run test:sdks` sends the requests that they are known to send. */
export const BY_REQUESTS: readonly string[] = ['Open WebUI', 'n8n', 'Cursor']

const SAID = ['whole: You said: Hello', 'stream: You said: Hello']
const TOOLS = 'tool: call_0: rain in Oslo; call_1: rain in Zürich'
const STRUCTURED = 'structured: Zürich'
const RESPONSE = 'response: You said: Hello'
const OVERFLOW = 'error: context_length_exceeded'
const OVERFLOW_IN_MESSAGES = 'error: prompt is too long: 9000 tokens > 8192 maximum'

/** What the programs in Rust need besides their client. */
const RUST = ['tokio@1+macros+rt-multi-thread', 'serde_json@1', 'futures@0.3']

export const CLIENTS: readonly Client[] = [
  npm('Claude Code', ['@anthropic-ai/claude-code@2.1.325'], 'claude-code.sh', [
    ...['bash: call_0: gate-42', 'haiku: You said: Hello', 'sonnet: You said: Hello', 'opus: You said: Hello'],
    ...[
      'fable: You said: Hello',
      'another maker: call_0: gate-42',
      'subagents: sub-42 haiku',
      'subagent model: sub-42',
    ],
    ...['wrong key: Failed to authenticate. API Error: 401', 'compacted: compact_boundary', 'models: true'],
    ...['mcp: "language":"de"', 'long result: Cut after 20000'],
  ]),
  npm('Codex', ['@openai/codex@0.166.0'], 'codex.sh', [
    ...['anthropic: gate-42', 'google: gate-42', 'openai: gate-42', 'cohere: gate-42', 'amazon: gate-42'],
    ...['And now, without a tool', 'too long: Codex ran out of room', 'compacted: context compacted'],
    ...['no model: There is no model', 'mcp: "language":"de"', 'long result: Cut after 20000'],
  ]),
  npm('Gemini CLI', ['@google/gemini-cli@0.61.0'], 'gemini-cli.sh', [
    ...['whole: You said: ', 'another maker: You said: ', 'shell: gate-42', 'wrong key: status: 401'],
  ]),
  python('mcp (Python)', ['mcp==2.3.0'], 'mcp_sdk.py', [
    ...['legacy: 2025-11-25', 'legacy tools: True', 'legacy result: de', 'legacy cost: 0', 'legacy refused: True'],
    ...['auto: 2026-07-28', 'auto tools: True', 'auto result: de', 'auto cost: 0', 'auto refused: True'],
  ]),
  python('openai (Python)', ['openai==3.51.0'], 'openai_sdk.py', [
    ...[
      ...SAID,
      TOOLS,
      STRUCTURED,
      RESPONSE,
      'streamed response: You said: Hello',
      'parsed response: Zürich',
      'image events: image_generation.completed',
      OVERFLOW,
    ],
  ]),
  python('anthropic (Python)', ['anthropic==2.10.0'], 'anthropic_sdk.py', [
    ...[...SAID, TOOLS, STRUCTURED, 'models: True', 'tokens: True', OVERFLOW_IN_MESSAGES, 'wrong key: 401'],
  ]),
  python('google-genai (Python)', ['google-genai==3.3.0'], 'google_genai.py', [
    ...[...SAID, 'tool: call_0: {"result":"rain in Oslo"}', STRUCTURED, 'thinking: You said: Hello'],
    ...[
      'tokens: True',
      'models: True',
      'file: ACTIVE a.txt 5',
      'files: True',
      'with the file: True',
      'gone: 404',
      'error: 400 INVALID_ARGUMENT',
    ],
  ]),
  python('langchain-openai', ['langchain-openai==1.7.3'], 'langchain_openai_chat.py', [
    ...[...SAID, 'usage: 120', TOOLS, STRUCTURED, RESPONSE, OVERFLOW],
  ]),
  python('langchain-anthropic', ['langchain-anthropic==1.7.7'], 'langchain_anthropic_chat.py', [
    ...[...SAID, TOOLS, STRUCTURED, OVERFLOW_IN_MESSAGES],
  ]),
  python(
    'llama-index',
    ['llama-index-core==0.14.25', 'llama-index-llms-openai==0.8.3', 'llama-index-llms-openai-like==0.8.1'],
    'llama_index_chat.py',
    [...SAID, TOOLS, 'structured: Oslo', 'OpenAI: You said: Hello', OVERFLOW],
  ),
  python('instructor', ['instructor==1.17.0', 'anthropic==2.8.0'], 'instructor_client.py', [
    ...[
      STRUCTURED,
      'JSON schema: Zürich',
      'messages: Zürich',
      'from_provider: Zürich',
      'stream: Zürich',
      'error: True',
    ],
  ]),
  python('pydantic-ai', ['pydantic-ai-slim[openai,anthropic]==2.66.0'], 'pydantic_ai_agent.py', [
    ...[...SAID, TOOLS, 'structured: Oslo', RESPONSE, 'messages: call_0: rain in Oslo; call_1: rain in Zürich'],
    'error: 400 context_length_exceeded',
  ]),
  python('openai-agents', ['openai-agents==0.24.0'], 'openai_agents.py', [
    ...[...SAID, TOOLS, 'chat: call_0: rain in Oslo; call_1: rain in Zürich', STRUCTURED, OVERFLOW],
  ]),
  python('crewai', ['crewai==1.15.30'], 'crewai_crew.py', [...SAID, TOOLS, "structured: city='Zürich'", 'error: True']),
  python('dspy', ['dspy==3.4.1'], 'dspy_program.py', [
    ...['whole: You said: Hello', 'messages: You said: Hello', STRUCTURED, 'tool: rain in Oslo; rain in Zürich'],
    'error: ContextWindowExceededError',
  ]),
  // Its tools import a package that it does not depend on.
  python('litellm', ['litellm==1.106.2', 'mcp==2.3.0'], 'litellm_sdk.py', [
    ...[...SAID, TOOLS, STRUCTURED, 'messages: You said: Hello', 'error: 400\nerror: 400'],
  ]),
  python('mistralai', ['mistralai==3.7.0'], 'mistral_sdk.py', [
    ...[...SAID, TOOLS, STRUCTURED, 'ocr: True', 'embeddings: 2 True', 'models: True', 'error: 400'],
  ]),
  python('cohere', ['cohere==7.3.1'], 'cohere_sdk.py', [
    ...[
      ...SAID,
      'embeddings: 2',
      'rerank: Oslo is in Norway.',
      "models: 1 ['rerank'] False",
      'error: 404 There is no model',
    ],
  ]),
  go('openai-go', 'github.com/openai/openai-go/v3@v3.91.0', 'openai-go.go', [
    ...[...SAID, TOOLS, STRUCTURED, RESPONSE, OVERFLOW],
  ]),
  go('go-openai', 'github.com/sashabaranov/go-openai@v1.43.0', 'go-openai.go', [...SAID, TOOLS, STRUCTURED, OVERFLOW]),
  go('anthropic-sdk-go', 'github.com/anthropics/anthropic-sdk-go@v1.84.0', 'anthropic-sdk-go.go', [
    ...[...SAID, TOOLS, OVERFLOW_IN_MESSAGES],
  ]),
  go('langchaingo', 'github.com/tmc/langchaingo@v0.1.14', 'langchaingo.go', [
    ...[...SAID, TOOLS, 'messages: You said: Hello', 'error: true'],
  ]),
  java('openai-java', ['com.openai:openai-java:4.95.0'], 'OpenaiJava.java', [
    ...[...SAID, TOOLS, STRUCTURED, RESPONSE, 'error: 400'],
  ]),
  java('anthropic-java', ['com.anthropic:anthropic-java:3.8.0'], 'AnthropicJava.java', [
    ...[...SAID, TOOLS, OVERFLOW_IN_MESSAGES],
  ]),
  java(
    'langchain4j',
    ['langchain4j-open-ai', 'langchain4j-anthropic', 'langchain4j'].map((id) => `dev.langchain4j:${id}:1.19.0`),
    'Langchain4j.java',
    [...SAID, TOOLS, STRUCTURED, 'messages: You said: Hello', 'error: true'],
  ),
  rust('async-openai', ['async-openai@0.43.0+chat-completion', ...RUST], 'async_openai.rs', [
    ...SAID,
    TOOLS,
    STRUCTURED,
    OVERFLOW,
  ]),
  rust('rig-core', ['rig-core@0.44.0+reqwest', ...RUST], 'rig_core.rs', [
    ...[...SAID, TOOLS, RESPONSE, 'messages: You said: Hello', 'models: true', 'error: true'],
  ]),
]

function npm(name: string, packages: string[], program: string, prints: string[]): Client {
  return { name, language: 'npm', packages, program, prints }
}

function python(name: string, packages: string[], program: string, prints: string[]): Client {
  return { name, language: 'python', packages, program, prints }
}

function go(name: string, module: string, program: string, prints: string[]): Client {
  return { name, language: 'go', packages: [module], program, prints }
}

function java(name: string, packages: string[], program: string, prints: string[]): Client {
  return { name, language: 'java', packages, program, prints }
}

function rust(name: string, packages: string[], program: string, prints: string[]): Client {
  return { name, language: 'rust', packages, program, prints }
}
