// Which program sent a request, by what it says about itself. A program that is not in the table has no name here: names that
// callers choose freely would be as many as calls.

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The name of a program in logs and reports, and words that it writes, in lower case. Agents come before the SDKs that they use. */
const PROGRAMS: readonly (readonly [name: string, ...words: string[]])[] = [
  ['claude-code', 'claude-cli', 'claude-code', 'claude code'],
  ['codex', 'codex_cli_rs', 'codex-cli', 'codex-tui', 'codex_vscode', 'codex_exec', 'codex_sdk_ts', 'codex/'],
  ['gemini-cli', 'geminicli', 'gemini-cli', 'gemini cli'],
  ['qwen-code', 'qwencode', 'qwen-code', 'qwen code'],
  ['opencode', 'opencode'],
  ['roo-code', 'roocode', 'roo-code', 'roo code', 'roo-cline'],
  ['kilo-code', 'kilocode', 'kilo-code', 'kilo code'],
  ['cline', 'cline'],
  ['cursor', 'cursor'],
  ['aider', 'aider'],
  ['continue', 'continue.dev', 'continue/', 'continuedev'],
  ['windsurf', 'windsurf', 'codeium'],
  ['zed', 'zed/', 'zed.dev', 'zed editor'],
  ['copilot', 'githubcopilot', 'github-copilot', 'copilot'],
  ['goose', 'goose'],
  ['crush', 'crush/', 'charm crush'],
  ['amp', 'amp-cli', 'ampcode'],
  ['factory', 'factory-cli', 'factory-droid'],
  ['openhands', 'openhands'],
  ['jetbrains-ai', 'jetbrains', 'junie'],
  ['openclaw', 'openclaw'],
  ['open-webui', 'open webui', 'open-webui', 'openwebui'],
  ['librechat', 'librechat'],
  ['anythingllm', 'anythingllm'],
  ['n8n', 'n8n'],
  ['dify', 'dify'],
  ['langchain', 'langchain', 'langgraph'],
  ['llama-index', 'llama-index', 'llama_index', 'llamaindex'],
  ['litellm', 'litellm'],
  ['ai-sdk', 'ai-sdk'],
  ['openai-python', 'openai/python', 'asyncopenai/python', 'azureopenai/python', 'asyncazureopenai/python'],
  ['openai-node', 'openai/js', 'azureopenai/js', 'openai/node'],
  ['openai-go', 'openai/go'],
  ['openai-java', 'openai/java', 'openaiclientimpl/java'],
  ['openai-dotnet', 'openai/dotnet', 'openai/2'],
  ['anthropic-python', 'anthropic/python', 'asyncanthropic/python'],
  ['anthropic-node', 'anthropic/js'],
  ['google-genai', 'google-genai-sdk', 'google-genai'],
  ['cohere', 'cohere'],
  ['curl', 'curl/'],
  ['postman', 'postmanruntime'],
  ['python', 'python-requests', 'python-httpx', 'python-urllib', 'aiohttp'],
  ['node', 'node-fetch', 'axios/', 'undici', 'node'],
  ['go', 'go-http-client'],
]

/** What a program says about itself on purpose comes before what its HTTP library says. */
const SAID_ON_PURPOSE = ['x-source', 'x-title', 'http-referer', 'originator'] as const

/** Programs name themselves at the beginning. */
const MAX_CHARS = 200
const MAX_REMEMBERED = 1_000
/** The headers of a program are the same in every request. */
const remembered = new Map<string, string | null>()

/** Null if the program is not known. */
export function clientIn(headers: Headers): string | null {
  for (const name of SAID_ON_PURPOSE) {
    const value = headers[name]
    const client = typeof value === 'string' ? programIn(value) : null
    if (client !== null) return client
  }
  const agent = headers['user-agent']
  return typeof agent === 'string' ? programIn(agent) : null
}

function programIn(value: string): string | null {
  const text = value.length > MAX_CHARS ? value.slice(0, MAX_CHARS) : value
  const known = remembered.get(text)
  if (known !== undefined) return known
  const lower = text.toLowerCase()
  const found = PROGRAMS.find(([, ...words]) => words.some((word) => hasWord(lower, word)))?.[0] ?? null
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(text, found)
  return found
}

/** Where a word begins: `cline` is not in `inline`. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isLetterOrDigit(text.charCodeAt(at - 1))) return true
  return false
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)
}
