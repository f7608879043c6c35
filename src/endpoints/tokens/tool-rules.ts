import type { Tool, ToolRule } from './family.ts'
import type { Sheet } from './sheet.ts'

const PER_PROPERTY = 3
const PER_ENUM_ITEM = 3
const AFTER_OPENAI_TOOLS = 12

/** OpenAI writes a tool definition as `name:description` lines, one per property. */
export function openaiTools(perFunction: number): ToolRule {
  return (tools, _choice, sheet) => {
    for (const { name, description, input_schema } of tools) {
      sheet.add(perFunction)
      sheet.text(`${textOf(name)}:${withoutStop(description)}`)
      addProperties(input_schema, sheet)
    }
    sheet.add(AFTER_OPENAI_TOOLS)
  }
}

function addProperties(schema: unknown, sheet: Sheet): void {
  const entries = Object.entries(recordOf(recordOf(schema).properties))
  if (entries.length > 0) sheet.add(PER_PROPERTY)
  for (const [key, value] of entries) {
    const property = recordOf(value)
    sheet.add(PER_PROPERTY)
    sheet.text(`${key}:${textOf(property.type)}:${withoutStop(property.description)}`)
    addChoices(property.enum, sheet)
    addProperties(property, sheet)
    addProperties(property.items, sheet)
  }
}

function addChoices(items: unknown, sheet: Sheet): void {
  if (!Array.isArray(items) || items.length === 0) return
  sheet.add(-PER_PROPERTY + PER_ENUM_ITEM * items.length)
  for (const item of items) sheet.text(String(item))
}

const PER_CLAUDE_TOOL = 8

/** Anthropic's own tools, whose definitions are not part of the request. */
const CLAUDE_CLIENT_TOOLS: [prefix: string, tokens: number][] = [
  ['text_editor_', 700],
  ['bash_', 245],
  ['computer_', 735],
  ['memory_', 1_220],
]

type Choices = { auto: number; none: number; any: number; tool: number }

/** If there are tools, Claude gets additional instructions, whose length depends on `tool_choice`. */
export function claudeTools(instructions: Choices): ToolRule {
  return (tools, choice, sheet) => {
    sheet.add(Object.hasOwn(instructions, choice) ? instructions[choice as keyof Choices] : instructions.auto)
    for (const tool of tools) addClaudeTool(tool, sheet)
  }
}

function addClaudeTool(tool: Tool, sheet: Sheet): void {
  const own = CLAUDE_CLIENT_TOOLS.find(([prefix]) => textOf(tool.type).startsWith(prefix))
  sheet.add(own ? own[1] : PER_CLAUDE_TOOL)
  if (own) return
  sheet.text(tool.name)
  sheet.text(tool.description)
  sheet.json(tool.input_schema)
}

const PER_PLAIN_TOOL = 8

/** Most other models get the definition as it is in the request. */
export function plainTools(tools: readonly Tool[], _choice: string, sheet: Sheet): void {
  for (const tool of tools) {
    sheet.add(PER_PLAIN_TOOL)
    sheet.json(tool)
  }
}

function withoutStop(description: unknown): string {
  return textOf(description).replace(/\.$/, '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
