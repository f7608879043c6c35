import type { OfferedTool, ToolKit } from '../../src/endpoints/mcp/offered-tool.ts'
import { ERROR_CODES, McpProblem } from '../../src/translation/mcp/errors.ts'
import { type ContentBlock, type ObjectSchema, textResult, type ToolResult } from '../../src/translation/mcp/tools.ts'

// Tools that the conformance suite of the protocol calls. They exercise the server and do nothing.

/** The smallest PNG, and a recording of no sample. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const IMAGE: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' }
const TEXT: ContentBlock = { type: 'text', text: 'This is a simple text response for testing.' }

function resource(text: string, mimeType: string): ContentBlock {
  return { type: 'resource', resource: { uri: 'test://embedded', mimeType, text } }
}

const CONTENTS: Readonly<Record<string, ContentBlock[]>> = {
  test_simple_text: [TEXT],
  test_image_content: [IMAGE],
  test_audio_content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('This is an embedded resource content.', 'text/plain')],
  test_multiple_content_types: [TEXT, IMAGE, resource('{"test":"data"}', 'application/json')],
}

const ADDRESS = {
  $anchor: 'addressDef',
  type: 'object',
  properties: { street: { type: 'string' }, city: { type: 'string' } },
}

/** Keywords of JSON Schema 2020-12 that have to arrive as they are. */
const SCHEMA_2020: ObjectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: ADDRESS },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

export const DIAGNOSTIC_TOOLS: readonly OfferedTool[] = [
  ...Object.entries(CONTENTS).map(([name, content]) => tool(name, async () => ({ content }))),
  tool('test_error_handling', async () => textResult('This tool intentionally returns an error for testing', true)),
  tool('test_tool_with_progress', withProgress),
  tool('test_logging_tool', async () => textResult('Nothing was logged.')),
  tool('test_missing_capability', async () => {
    const data = { requiredCapabilities: { sampling: {} } }
    throw new McpProblem(400, { code: ERROR_CODES.missingClientCapability, message: 'Sampling is needed.', data })
  }),
  tool('json_schema_2020_12_tool', async () => textResult('ok'), SCHEMA_2020),
]

async function withProgress({ progress }: ToolKit): Promise<ToolResult> {
  for (const step of ['first', 'second', 'third']) progress(`The ${step} step.`)
  return textResult('Done.')
}

function tool(
  name: string,
  run: (kit: ToolKit) => Promise<ToolResult>,
  inputSchema: ObjectSchema = { type: 'object', additionalProperties: false },
): OfferedTool {
  return {
    tool: { name, description: 'A tool of the conformance suite.', inputSchema },
    endpoints: [],
    run: async (_args, kit) => ({ result: await run(kit) }),
  }
}
