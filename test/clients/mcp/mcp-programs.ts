// Servers and clients of MCP by others, which are tried with the gateway in between.

export type PublicServer = {
  /** Its name at the gateway. */
  name: string
  packages: readonly string[]
  language: 'npm' | 'python'
  /** What it cannot run without. */
  needs: readonly string[]
  /** A shell command that listens at `$PORT` of 127.0.0.1. */
  start: string
  tool: string
  input: object
  /** What the result of the tool has to say. */
  says: string
}

export const PUBLIC_SERVERS: readonly PublicServer[] = [
  {
    name: 'everything',
    packages: ['@modelcontextprotocol/server-everything@2026.8.31'],
    language: 'npm',
    needs: ['npm'],
    start: 'exec node node_modules/.bin/mcp-server-everything streamableHttp',
    tool: 'get-sum',
    input: { a: 2, b: 40 },
    says: '42',
  },
  {
    name: 'playwright',
    packages: ['@playwright/mcp@0.0.83'],
    language: 'npm',
    needs: ['npm', 'chromium'],
    // Without --allowed-hosts it answers to the name localhost only, which the guard for outbound requests refuses.
    start:
      'exec node node_modules/.bin/playwright-mcp --headless --isolated --no-sandbox --host 127.0.0.1 --port "$PORT" ' +
      `--allowed-hosts '*' --executable-path "$(command -v chromium)"`,
    tool: 'browser_navigate',
    input: { url: 'data:text/html,<title>gate-42</title>' },
    says: 'Page Title: gate-42',
  },
  {
    name: 'duckduckgo',
    packages: ['duckduckgo-mcp-server==0.7.0'],
    language: 'python',
    needs: ['python3'],
    start: 'exec env/bin/duckduckgo-mcp-server --transport streamable-http --port "$PORT"',
    // The tool that needs no network: it looks the link up in its own table.
    tool: 'expand_link',
    input: { token: 'ref://gate42' },
    says: "Unknown link reference 'ref://gate42'",
  },
]

export type McpProgram = {
  name: string
  packages: readonly string[]
  language: 'npm' | 'python'
  /** A shell command. The gateway has the server `everything`, and a model that calls its tool `get-sum`. */
  run: string
  prints: readonly string[]
}

const INSPECT = 'node node_modules/.bin/mcp-inspector --cli'
const KEY_HEADER = '--transport http --header "Authorization: Bearer $GATEHOUSE_API_KEY"'

export const MCP_PROGRAMS: readonly McpProgram[] = [
  {
    name: 'MCP inspector',
    packages: ['@modelcontextprotocol/inspector@2.12.0'],
    language: 'npm',
    run: [
      `${INSPECT} "$GATEHOUSE_URL/v3/mcp" ${KEY_HEADER} --method tools/list`,
      `${INSPECT} "$GATEHOUSE_URL/v3/mcp" ${KEY_HEADER} --method tools/call --tool-name gatehouse_list_models`,
      `${INSPECT} "$GATEHOUSE_URL/v3/mcp/everything" ${KEY_HEADER} --method tools/call --tool-name get-sum --tool-arg a=2 --tool-arg b=40`,
    ].join('\n'),
    prints: ['gatehouse_find_tools', 'fake/priced', 'The sum of 2 and 40 is 42'],
  },
  {
    name: 'openai-agents, hosted tool',
    packages: ['openai-agents==0.24.0'],
    language: 'python',
    run: `env/bin/python -B -W ignore '${import.meta.dirname}/hosted_tool.py'`,
    prints: [
      'whole: The tool has answered.',
      'mcp_list_tools, mcp_call, message',
      'called: get-sum The sum of 2 and 40 is 42.',
      'stream: The tool has answered.',
      'approved: get-sum The tool has answered.',
    ],
  },
]
