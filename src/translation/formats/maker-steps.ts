import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { newStep, type ReadBlock, type ServerStep, type StepKind } from './server-step.ts'
import { writeJson } from '../json/written-numbers.ts'

// How each maker writes what it did by itself. https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools

const KINDS: readonly (readonly [RegExp, StepKind])[] = [
  [/code|python|bash/i, 'code'],
  [/fetch|url/i, 'fetch'],
  [/search|grounding/i, 'search'],
]

function kindOf(name: string): StepKind | undefined {
  return name.startsWith('tool_search') ? undefined : KINDS.find(([pattern]) => pattern.test(name))?.[1]
}

export const readAnthropic: ReadBlock = (block, pending) => {
  const { type, id, name, input, server_name, mcp_server_name, tools, tool_use_id } = block
  if (type === 'mcp_tool_listing')
    return [newStep('mcp tools', { mcpServer: textOf(mcp_server_name), tools: recordsIn(tools) })]
  if (type === 'mcp_tool_use') {
    const fields = { name: textOf(name), mcpServer: textOf(server_name), input: recordOf(input) }
    pending.set(textOf(id), newStep('mcp', fields))
  }
  const kind = type === 'server_tool_use' ? kindOf(textOf(name)) : undefined
  if (kind) pending.set(textOf(id), newStep(kind, { name: textOf(name), input: recordOf(input) }))
  return tool_use_id === undefined ? [] : finished(textOf(tool_use_id), pending, () => anthropicResult(block))
}

function anthropicResult({ content, is_error }: Fields): Partial<ServerStep> {
  if (typeof content === 'string') return { output: content, isError: is_error === true }
  const results = Array.isArray(content) ? recordsIn(content) : [recordOf(content)]
  const made = results.flatMap((result) => recordsIn(result.content))
  return {
    output: results.map(outputOf).filter(Boolean).join('\n'),
    isError: is_error === true || results.some(({ error_code }) => error_code != null),
    sources: results.flatMap(({ url, title }) => (textOf(url) ? [{ url: textOf(url), title: textOf(title) }] : [])),
    files: made.flatMap(({ file_id }) => textOf(file_id) || []),
  }
}

function outputOf({ text, stdout, stderr, error_code, content }: Fields): string {
  const logs = [stdout, stderr].map(textOf).filter(Boolean).join('\n')
  return textOf(text) || logs || textOf(error_code) || textOf(content)
}

/** Parts without an id follow each other: the result belongs to the code before it. */
const LAST = 'last'

export const readGemini: ReadBlock = ({ executableCode, codeExecutionResult, toolCall, toolResponse }, pending) => {
  if (isRecord(executableCode)) {
    const input = { code: executableCode.code, language: executableCode.language }
    pending.set(textOf(executableCode.id) || LAST, newStep('code', { name: 'code_execution', input }))
  }
  if (isRecord(codeExecutionResult)) {
    const { id, output, outcome } = codeExecutionResult
    const isError = outcome !== undefined && outcome !== 'OUTCOME_OK'
    return finished(textOf(id) || LAST, pending, () => ({ output: textOf(output), isError }))
  }
  if (isRecord(toolCall)) {
    const { id, toolType, args } = toolCall
    const kind = kindOf(textOf(toolType))
    if (kind)
      pending.set(textOf(id) || LAST, newStep(kind, { name: textOf(toolType).toLowerCase(), input: recordOf(args) }))
  }
  if (!isRecord(toolResponse)) return []
  const { id, response } = toolResponse
  return finished(textOf(id) || LAST, pending, () => ({ output: writeJson(response ?? {}) }))
}

export const readBedrock: ReadBlock = ({ toolUse, toolResult }, pending) => {
  if (isRecord(toolUse)) {
    const { toolUseId, name, input } = toolUse
    const kind = kindOf(textOf(name))
    if (kind) pending.set(textOf(toolUseId), newStep(kind, { name: textOf(name), input: recordOf(input) }))
  }
  if (!isRecord(toolResult)) return []
  const { toolUseId, content, status } = toolResult
  const results = recordsIn(content).map(({ text, json }) => textOf(text) || writeJson(json ?? ''))
  return finished(textOf(toolUseId), pending, () => ({ output: results.join('\n'), isError: status === 'error' }))
}

function finished(id: string, pending: Map<string, ServerStep>, result: () => Partial<ServerStep>): ServerStep[] {
  const step = pending.get(id)
  if (!step) return []
  pending.delete(id)
  return [{ ...step, ...result() }]
}
